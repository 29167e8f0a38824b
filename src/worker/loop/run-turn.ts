// START HERE. One turn: prompts in, steps until nothing is owed, one reason at the end. The order of what happens is the contract (L1 to L5).
import { asError, messageOf } from '../../storage/log/errors.ts'
import type { TurnEndReason, TurnTrigger } from '../../storage/log/events.ts'
import type { Waiting } from '../../storage/log/waiting.ts'
import type { Driver, Turn } from './driver.ts'
import { goesOn } from './goes-on.ts'
import { runStep } from './run-step.ts'
import { throwIfStopped } from './stop.ts'
import { submitPrompts } from './submit-prompts.ts'

/** Why a turn was stopped from outside; undefined while nobody did. */
export type StopCause = { readonly kind: 'aborted'; readonly reason: string } | { readonly kind: 'disposed' }

export type Opening = { readonly trigger: TurnTrigger; readonly messages: readonly Waiting[] }

/** `stopCause` tells why the signal was aborted; it outranks every other reason. Rejects only when the log itself refuses. */
export const runTurn = async (
  driver: Driver,
  { trigger, messages }: Opening,
  signal: AbortSignal,
  stopCause: () => StopCause | undefined,
): Promise<void> => {
  const { log } = driver
  const turn: Turn = { number: log.lastTurn + 1, signal, step: 1 }
  log.append('turn/start', { turn: turn.number, trigger })
  let reason: TurnEndReason
  try {
    const submitted = await submitPrompts(driver, turn, messages, () => stopCause()?.kind === 'disposed')
    reason = submitted.kind === 'rejected' ? submitted : await runSteps(driver, turn)
  } catch (error) {
    reason = stopCause() ?? endByError(driver, turn, error)
  }
  log.append('turn/end', { turn: turn.number, reason: stopCause() ?? reason })
}

const runSteps = async (driver: Driver, turn: Turn): Promise<TurnEndReason> => {
  let cutByLimit = false
  for (;;) {
    throwIfStopped(turn.signal)
    const result = await runStep(driver, turn)
    cutByLimit ||= result.cutByLimit
    if (!(await goesOn(driver, turn, result))) return { kind: cutByLimit ? 'max-tokens' : 'completed' }
    turn.step++
  }
}

/** A failure ends the turn, never the driver: the next prompt runs. */
const endByError = ({ agent, bus }: Driver, turn: Turn, thrown: unknown): TurnEndReason => {
  const error = asError(thrown)
  bus.emit('agent/error', agent, turn.number, turn.step, error)
  const code = codeOf(error)
  return { kind: 'error', step: turn.step, message: messageOf(error), ...(code === undefined ? {} : { code }) }
}

/** The class of a failed model call; else the error's own code, if it has one. */
const codeOf = (error: Error): string | undefined => {
  if ('failure' in error && typeof error.failure === 'object' && error.failure !== null && 'class' in error.failure)
    return String(error.failure.class)
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
