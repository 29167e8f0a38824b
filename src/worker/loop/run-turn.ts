// START HERE. One turn: prompts in, steps until nothing is owed, one reason at the end. The order of what happens is the contract (L1 to L5).
import { messageOf } from '../../storage/log/errors.ts'
import type { TurnEndReason, TurnTrigger } from '../../storage/log/events.ts'
import type { Waiting } from '../../storage/log/waiting.ts'
import type { Continuation } from '../hooks/hooks.ts'
import type { Driver, Turn } from './driver.ts'
import { runStep, type StepResult } from './run-step.ts'
import { GRACE_MS, settleWithin, throwIfStopped } from './stop.ts'
import { submitPrompts } from './submit-prompts.ts'

/** Why a turn was stopped from outside; undefined while nobody did. */
export type StopCause = { readonly kind: 'aborted'; readonly reason: string } | { readonly kind: 'disposed' }

export type Opening = { readonly trigger: TurnTrigger; readonly messages: readonly Waiting[] }

/** Tools ran or steering came in: the model has something new to read. Pending steering overrides an ordinary stop. */
const goesOn = async (driver: Driver, turn: Turn, { ranTools, steered }: StepResult): Promise<boolean> => {
  const { agent, bus, inbox, newId } = driver
  const byDefault: Continuation = { action: ranTools || steered ? 'continue' : 'stop' }
  const asked = bus.waterfall('agent/turn-continuation', agent, turn.number, byDefault, async () => byDefault)
  const decision = await settleWithin(asked, turn.signal, GRACE_MS)
  throwIfStopped(turn.signal)
  if (decision.action === 'continue' && decision.reason !== undefined) inbox.add({ id: newId(), ...decision.reason, target: 'step' })
  const final = await settleWithin(bus.serial('agent/turn-stop', agent, turn.number), turn.signal, GRACE_MS)
  throwIfStopped(turn.signal)
  if (final !== undefined) {
    inbox.dropSteering()
    return false
  }
  return decision.action === 'continue' || steered || inbox.hasSteering()
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

const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  if ('failure' in error && typeof error.failure === 'object' && error.failure !== null && 'class' in error.failure)
    return String(error.failure.class)
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** A failure ends the turn, never the driver: the next prompt runs. */
const endByError = ({ agent, bus }: Driver, turn: Turn, thrown: unknown): TurnEndReason => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  bus.emit('agent/error', agent, turn.number, turn.step, error)
  const code = codeOf(error)
  return { kind: 'error', step: turn.step, message: messageOf(error), ...(code === undefined ? {} : { code }) }
}

/** Never throws. `stopCause` tells why the signal was aborted; it outranks every other reason. */
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
