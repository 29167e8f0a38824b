// START HERE. One turn: prompts in, steps until nothing is owed, one reason at the end. The order of what happens is the contract (L1 to L5).
import { asError, messageOf } from '../../storage/log/errors.ts'
import type { TurnEndReason, TurnTrigger } from '../../storage/log/events.ts'
import type { Waiting } from '../../storage/log/waiting.ts'
import type { Driver, Turn } from './driver.ts'
import { goesOn } from './goes-on.ts'
import type { Parked } from './parked.ts'
import { resumeStep, runStep, type StepResult } from './run-step.ts'
import { submitPrompts } from './submit-prompts.ts'

/** Why a turn was stopped from outside; undefined while nobody did. */
export type StopCause = { readonly kind: 'aborted'; readonly reason: string } | { readonly kind: 'disposed' }

export type Opening = { readonly trigger: TurnTrigger; readonly messages: readonly Waiting[] }

type StopCauseOf = () => StopCause | undefined

/** `stopCause` tells why the signal was aborted; it outranks every other reason. Rejects only when the log itself refuses. */
export const runTurn = async (
  driver: Driver,
  { trigger, messages }: Opening,
  signal: AbortSignal,
  stopCause: StopCauseOf,
): Promise<void> => {
  const { log } = driver
  const turn: Turn = { number: log.lastTurn + 1, signal, step: 1 }
  log.append('turn/start', { turn: turn.number, trigger })
  await toTheEnd(driver, turn, stopCause, async () => {
    const submitted = await submitPrompts(driver, turn, messages, () => stopCause()?.kind === 'disposed')
    return submitted.kind === 'rejected' ? submitted : runSteps(driver, turn, await runStep(driver, turn))
  })
}

/** Goes back into a turn that was left while a call waited for a person. */
export const resumeTurn = async (driver: Driver, parked: Parked, signal: AbortSignal, stopCause: StopCauseOf): Promise<void> => {
  const turn: Turn = { number: parked.turn, signal, step: parked.step }
  await toTheEnd(driver, turn, stopCause, async () => runSteps(driver, turn, await resumeStep(driver, turn, parked.calls)))
}

const toTheEnd = async (driver: Driver, turn: Turn, stopCause: StopCauseOf, work: () => Promise<TurnEndReason>): Promise<void> => {
  let reason: TurnEndReason
  try {
    reason = await work()
  } catch (error) {
    reason = stopCause() ?? endByError(driver, turn, error)
  }
  driver.log.append('turn/end', { turn: turn.number, reason: stopCause() ?? reason })
}

const runSteps = async (driver: Driver, turn: Turn, first: StepResult): Promise<TurnEndReason> => {
  let result = first
  let { cutByLimit } = first
  while (await goesOn(driver, turn, result)) {
    turn.step++
    result = await runStep(driver, turn)
    cutByLimit ||= result.cutByLimit
  }
  return { kind: cutByLimit ? 'max-tokens' : 'completed' }
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
