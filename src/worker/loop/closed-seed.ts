// A seed that ends in the middle of a turn (a fork, a copy, a log from elsewhere): what it left open is closed before an agent sits on it.
import type { SessionEvent } from '../../storage/log/events.ts'

const endsInATurn = (events: readonly SessionEvent[]): boolean =>
  events.findLast(({ type }) => type === 'turn/start' || type === 'turn/end')?.type === 'turn/start'

/** The seed with its closers, which are part of it: no event is fired for them. */
export const closedSeed = async (seed: readonly SessionEvent[]): Promise<readonly SessionEvent[]> => {
  if (!endsInATurn(seed)) return seed
  try {
    const { repairEvents } = await import('../../storage/log/repair.ts')
    return [...seed, ...repairEvents(seed)]
  } catch {
    return seed // what cannot be read is refused, with the reason, when the log is made
  }
}
