// What comes after a step: another one, or the end of the turn. Listeners have their say; steering has the last word but one.
import type { Continuation } from '../hooks/hooks.ts'
import type { Driver, Turn } from './driver.ts'
import { readContent, readSource } from './read-input.ts'
import type { StepResult } from './run-step.ts'
import { GRACE_MS, settleWithin, throwIfStopped } from './stop.ts'

/** Tools ran or steering came in: the model has something new to read. Pending steering overrides an ordinary stop, not a final one. */
export const goesOn = async (driver: Driver, turn: Turn, { ranTools, steered }: StepResult): Promise<boolean> => {
  const { agent, bus, inbox } = driver
  const byDefault: Continuation = { action: ranTools || steered ? 'continue' : 'stop' }
  const asked = bus.waterfall('agent/turn-continuation', agent, turn.number, byDefault, async () => byDefault)
  const decision = await settleWithin(asked, turn.signal, GRACE_MS)
  throwIfStopped(turn.signal)
  if (decision.action === 'continue') steerBy(driver, decision)

  const final = await settleWithin(bus.serial('agent/turn-stop', agent, turn.number), turn.signal, GRACE_MS)
  throwIfStopped(turn.signal)
  if (isStop(final)) {
    inbox.dropSteering()
    return false
  }
  return decision.action === 'continue' || steered || inbox.hasSteering()
}

/** The reason to go on becomes steering of the next step. */
const steerBy = ({ inbox, newId }: Driver, { reason }: Extract<Continuation, { action: 'continue' }>): void => {
  if (reason === undefined) return
  inbox.add({ id: newId(), content: readContent(reason.content), source: readSource(reason.source), target: 'step' })
}

const isStop = (value: unknown): boolean => typeof value === 'object' && value !== null && 'action' in value && value.action === 'stop'
