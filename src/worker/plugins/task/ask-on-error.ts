// What a run does when its model call failed: the application decides, once for each failed call (T17).
import { messageOf } from '../../../storage/log/errors.ts'
import type { Disposer } from '../../hooks/agent.ts'
import type { RequestErrorDecision } from '../../hooks/hooks.ts'
import { limitOf } from './judge-step.ts'
import { remind } from './reminders.ts'
import { isStopped, note, type Run } from './run.ts'
import { modelError } from './texts.ts'
import { errorStop, executionError } from './verdict.ts'

const FAIL: RequestErrorDecision = { kind: 'fail' }

/** The error's text goes in, so that the next request differs from the one that failed. */
const goOn = (run: Run, message: string): RequestErrorDecision => {
  run.verdict = limitOf(run)
  if (run.verdict !== undefined) return FAIL
  run.steps++
  note(run, 'error_continue', { message })
  remind(run.agent, modelError(message))
  return { kind: 'retry' }
}

const ask = async (run: Run, error: Error): Promise<RequestErrorDecision> => {
  const message = messageOf(error)
  try {
    const decision = await run.options.onPausableError?.(error)
    if (isStopped(run) || decision === undefined) return FAIL
    if (decision === 'continue') return goOn(run, message)
    run.verdict = errorStop(message)
  } catch (thrown) {
    if (!isStopped(run)) run.verdict = executionError(messageOf(thrown))
  }
  return FAIL
}

/** Whoever can mend the call, as a retry or a compaction, goes first. */
export const askOnError = (run: Run): Disposer =>
  run.home.on('agent/request-error', async (by, turn, _step, error, next) => {
    const decision = await next()
    if (by !== run.agent || turn !== run.turn || isStopped(run) || decision.kind === 'retry') return decision
    return ask(run, error)
  })
