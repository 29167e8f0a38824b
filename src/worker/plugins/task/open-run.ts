// A run from its first event to its last: the prompt goes in, the run's listeners stand around the turn, and every end has its result.

import type { MessageId } from '../../../storage/log/content.ts'
import { messageOf } from '../../../storage/log/errors.ts'
import type { TaskResult, TurnEndReason } from '../../../storage/log/events.ts'
import type { Agent, Disposer, Session } from '../../hooks/agent.ts'
import type { AgentHome } from '../../hooks/agent-home.ts'
import { enterRun } from '../../hooks/run-of.ts'
import { answerCalls } from './answer-calls.ts'
import { askOnError } from './ask-on-error.ts'
import { follow } from './follow.ts'
import { judgeSteps, noteExit } from './judge-step.ts'
import { readReplies } from './read-reply.ts'
import { createRun, isStopped, note, type Run, type RunStart, timeUsedUp } from './run.ts'
import { isReadOnly } from './task-options.ts'
import { budgetExhausted, disposed, executionError, resultOf, stopped, type Verdict } from './verdict.ts'

const live = new WeakMap<Agent, Run>()

/** The run that drives this agent now. */
export const liveRun = (agent: Agent | undefined): Run | undefined => (agent === undefined ? undefined : live.get(agent))

/** What the end of its turn means for a run. A stop and a disposal outrank what was decided before them. */
const verdictAfter = (run: Run, reason: TurnEndReason): Verdict => {
  switch (reason.kind) {
    case 'aborted':
      return run.timedOut && run.verdict !== undefined ? run.verdict : stopped(reason.reason ?? 'cancelled')
    case 'disposed':
      return disposed()
    case 'rejected':
      return executionError(`the prompt was not let in: ${reason.reason}`)
    case 'error':
      return run.verdict ?? executionError(reason.message)
    case 'interrupted':
      return { reason: 'interrupted', summary: 'The turn was interrupted.' }
    case 'completed':
    case 'max-tokens':
      return run.verdict ?? executionError('the turn was ended by a plugin before the work was finished.')
  }
}

const isKnown = ({ events }: Session, id: MessageId): boolean =>
  events.some((event) => event.type === 'user/message' && event.data.id === id)

/** A known id is not taken twice: nothing would ever come of that prompt. */
const idInUse = (): Verdict => executionError('the id that was made for its prompt is in use already; see the runtime option newId.')
const takenBack = (signal: AbortSignal | undefined): Verdict =>
  stopped(signal?.aborted ? reasonOf(signal) : 'the prompt was taken back before the run began.')

/** Why a stop was asked for, if the caller said it in words. */
export const reasonOf = (signal: AbortSignal): string => (typeof signal.reason === 'string' ? signal.reason : 'cancelled')

/** Steps are counted, and the turn's signal is learnt. */
const countSteps = (run: Run): Disposer =>
  run.home.on(
    'agent/pre-step',
    (agent, turn, _step, _system, _prefix, signal) => {
      if (agent !== run.agent || turn !== run.turn || run.ended) return
      run.signal = signal
      if (isStopped(run)) return
      run.steps++
      note(run, 'iteration', { current: run.steps, max: run.options.maxSteps })
    },
    { prepend: true },
  )

/** Settles when the turn's flush is over: idle, in the next turn, or gone. */
const afterTurn = (agent: Agent, home: AgentHome): Promise<void> =>
  new Promise((resolve) => {
    if (agent.status !== 'running') return resolve()
    const offs = [
      home.on('agent/status', (by) => by === agent && settle()),
      home.on('session/event', ({ id }, { type }) => void (id === agent.session.id && type === 'turn/start' && settle())),
    ]
    const settle = (): void => {
      for (const off of offs) void off()
      resolve()
    }
    void agent.done.then(settle)
  })

const listen = (run: Run, onTurnEnd: (reason: TurnEndReason) => void): (() => void) => {
  const { agent, home } = run
  const followEvent = follow(run, ({ data: { reason } }) => onTurnEnd(reason))
  const offs = [
    home.on('session/event', ({ id }, event) => void (id === agent.session.id && followEvent(event))),
    countSteps(run),
    ...readReplies(run),
    ...answerCalls(run),
    askOnError(run),
    ...judgeSteps(run),
  ]
  return () => {
    for (const off of offs) void off()
  }
}

/** Nothing is left to listen to when this is called: whatever goes wrong here is reported, and the result comes all the same. */
const logEnd = (run: Run, verdict: Verdict, result: TaskResult): void => {
  try {
    if (verdict.reason === 'stopped') note(run, 'stopped', { reason: verdict.summary.replace(/^Stopped: /, '') })
    if (run.noted?.reason !== verdict.reason) noteExit(run, verdict)
    run.agent.session.append('task/ended', { run: run.id, result })
  } catch (error) {
    run.home.report(error, 'end of a task run')
  }
}

/** Errors: whatever the log says to a prompt that is none. From there on it does not reject. */
export const openRun = async (start: RunStart, signal: AbortSignal | undefined): Promise<TaskResult> => {
  const run = createRun(start)
  const { agent, home, options } = run
  const { session, inbox } = agent
  const begin = (): void => {
    const { time } = session.append('task/started', { run: run.id, kind: options.kind, prompt: run.prompt })
    run.startedAt = time
  }
  try {
    begin()
  } catch {
    await Promise.resolve() // asked for by an observer of this log, while it may not append
    begin()
  }

  return new Promise((resolve) => {
    const undo: (() => void)[] = []

    const end = (verdict: Verdict): void => {
      if (run.ended) return
      run.ended = true
      for (const each of undo) each()
      const result = resultOf(verdict, run.toolCount, run.replies, run.account)
      logEnd(run, verdict, result)
      run.page.close()
      if (run.turn === undefined) resolve(result)
      else void afterTurn(agent, home).then(() => resolve(result))
    }

    /** A prompt that was taken back, or that is held with the rest of the queue, opens no turn any more. */
    const watchPrompt = (): void => {
      const id = run.promptId
      if (id === undefined || run.turn !== undefined || run.ended) return
      if (!inbox.unlogged.some((waiting) => waiting.id === id)) end(isKnown(session, id) ? idInUse() : takenBack(signal))
      else if (inbox.held && inbox.waiting.some((waiting) => waiting.id === id)) inbox.remove(id)
    }

    const stop = (): void => agent.cancel(signal === undefined ? undefined : reasonOf(signal), { queue: 'hold' })

    if (signal?.aborted) {
      end(stopped(reasonOf(signal)))
      return
    }
    live.set(agent, run)
    undo.push(
      () => void live.delete(agent),
      enterRun(agent, () => ({
        turnId: Math.max(1, run.replies),
        kind: options.kind,
        readOnly: isReadOnly(options.kind),
        ...(options.writeScope === undefined ? {} : { writeScope: options.writeScope }),
      })),
      listen(run, (reason) => queueMicrotask(() => end(verdictAfter(run, reason)))),
    )
    signal?.addEventListener('abort', stop, { once: true })
    undo.push(() => signal?.removeEventListener('abort', stop))
    limitTime(run, undo)
    void agent.done.then(() => end(disposed()))
    try {
      run.promptId = agent.send(run.prompt, run.promptId === undefined ? {} : { id: run.promptId })
      const off = inbox.onChange(watchPrompt)
      undo.push(() => void off())
      watchPrompt() // whoever was told of it may have cancelled at once
    } catch (error) {
      end(agent.status === 'disposed' ? disposed() : executionError(messageOf(error)))
    }
  })
}

/** What waits behind the run is not to wait for a person because of that. */
const limitTime = (run: Run, undo: (() => void)[]): void => {
  const { agent } = run
  const { ms } = run.options.budget
  if (ms === undefined) return
  const timer = setTimeout(() => {
    const wasHeld = agent.inbox.held
    run.timedOut = true
    run.verdict ??= budgetExhausted(timeUsedUp(ms))
    undo.push(() => void (!wasHeld && agent.inbox.release()))
    agent.cancel('the time budget is used up', { queue: 'hold' })
  }, ms)
  undo.push(() => clearTimeout(timer))
}
