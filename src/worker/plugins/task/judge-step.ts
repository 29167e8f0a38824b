// Comes after each step of a run: compaction, then signals, then the gate (T2), and on it goes or out.
import { messageOf } from '../../../storage/log/errors.ts'
import { estimateTokens } from '../../../storage/log/estimate-tokens.ts'
import { addAside } from '../../../storage/log/projections/account.ts'
import type { Disposer } from '../../hooks/agent.ts'
import { compactionOf } from '../../hooks/compaction-port.ts'
import type { Course, Findings } from './course.ts'
import { remind } from './reminders.ts'
import { isStopped, note, type Run, usedUp } from './run.ts'
import { textOf } from './step-facts.ts'
import { endsWithText } from './task-options.ts'
import type { Reporting } from './texts.ts'
import { budgetExhausted, executionError, isSuccess, maxIterations, type Verdict } from './verdict.ts'
import { findWrittenCall } from './written-call.ts'

/** With the run's own last context size; only if the model reported none, with an estimate. */
const compactIfDue = async (run: Run): Promise<void> => {
  const { agent, signal } = run
  const port = run.options.compaction ?? compactionOf(agent)
  if (port === undefined || signal === undefined) return
  const estimate = (): number => port.estimate?.(agent) ?? estimateTokens(agent.session.deriveMessages(), agent.session.requestHeader())
  const preCompactTokens = run.account.contextTokens ?? estimate()
  if (!port.needs(preCompactTokens)) return
  const { calls } = run.account
  const usage = await port.compact(agent, { signal })
  if (isStopped(run)) return
  // The built-in plugin logs what it used; another port may only tell.
  if (usage !== undefined && run.account.calls === calls) run.account = addAside(run.account, usage, run.pricesOf)
  run.page.write(run.account)
  note(run, 'compaction', { preCompactTokens, postCompactEstimate: estimate() })
}

const reportingOf = (run: Run): Reporting => {
  if (run.textOnly) return 'text'
  return run.sent.includes('status') ? 'tool' : 'shell'
}

const findingsOf = (run: Run): Findings => {
  const { options, cut, facts, home } = run
  const isConversation = options.kind === 'interview' || endsWithText(options.kind)
  const text = run.textOnly || isConversation ? '' : textOf(facts.content)
  const right = cut === undefined ? undefined : (home.tools.nearest(cut.name) ?? (run.sent.length === 1 ? run.sent[0] : undefined))
  return {
    loop: run.loop,
    wrongTool: cut === undefined ? undefined : { name: cut.name, right, names: run.sent },
    writtenCall: text === '' || facts.outcomes.length > 0 ? undefined : findWrittenCall(text, run.sent),
    reporting: reportingOf(run),
  }
}

/** Why there is no next step; undefined while there may be one. */
export const limitOf = (run: Run): Verdict | undefined => {
  const { maxSteps } = run.options
  if (run.steps >= maxSteps) return maxIterations(maxSteps)
  const what = usedUp(run)
  return what === undefined ? undefined : budgetExhausted(what)
}

/** What the person said while the step ran, in the log or about to be. */
const isSteered = ({ facts, agent: { inbox } }: Run): boolean =>
  facts.steered || (!inbox.held && inbox.waiting.some(({ target }) => target === 'step'))

const pass = async (run: Run, course: Course): Promise<Course> => {
  if (course.kind !== 'claim') return course
  const objection = await run.options.completionGate?.()
  return typeof objection === 'string' ? run.course.sentBack(objection) : { kind: 'exit', verdict: course.verdict }
}

const judge = async (run: Run): Promise<Verdict | undefined> => {
  const ranTools = run.facts.outcomes.length > 0
  if (ranTools) await compactIfDue(run)
  if (isStopped(run)) return undefined
  const course = await pass(run, run.course.after({ ...run.facts, steered: isSteered(run) }, findingsOf(run)))
  if (isStopped(run)) return undefined
  if (course.kind !== 'on') return course.verdict
  const limit = limitOf(run)
  if (limit !== undefined) return limit
  if (!ranTools) await compactIfDue(run)
  if (isStopped(run)) return undefined
  if (run.course.retrying) run.circles.forget()
  if (course.note !== undefined) note(run, course.note.name, course.note.data)
  if (course.reminder !== undefined) remind(run.agent, course.reminder)
  return undefined
}

/** Gives whether the turn goes on. A failure on the way is an outcome too (T1). */
const goesOn = async (run: Run): Promise<boolean> => {
  try {
    run.verdict ??= await judge(run)
  } catch (error) {
    if (!isStopped(run)) run.verdict ??= executionError(messageOf(error))
  }
  return run.verdict === undefined
}

export const noteExit = (run: Run, verdict: Verdict): void => {
  run.noted = verdict
  const { reason } = verdict
  note(run, 'exit_reason', { reason, success: isSuccess(reason), steps: run.steps, toolCount: run.toolCount })
}

export const judgeSteps = (run: Run): readonly Disposer[] => {
  const { agent, home } = run
  const isOwn = (turn: number): boolean => turn === run.turn && !run.ended

  return [
    home.on(
      'agent/turn-continuation',
      async (by, turn, _byDefault, next) => {
        const others = await next()
        if (by !== agent || !isOwn(turn)) return others
        if (!(await goesOn(run))) return { action: 'stop' }
        return others.action === 'continue' ? others : { action: 'continue' }
      },
      { prepend: true },
    ),
    // Final, whatever others decided after us. Steering that comes as late as this becomes a prompt of its own.
    home.on(
      'agent/turn-stop',
      (by, turn) => {
        if (by !== agent || !isOwn(turn) || run.verdict === undefined) return undefined
        if (run.noted === undefined) noteExit(run, run.verdict)
        for (const { id, target } of agent.inbox.waiting) if (target === 'step') agent.inbox.retarget(id, 'turn')
        return { action: 'stop' }
      },
      { prepend: true },
    ),
  ]
}
