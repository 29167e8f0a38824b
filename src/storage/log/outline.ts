// A log without its streams: every event but the pieces of replies. Enough to know how a session stands, in a fraction of the time.
import { checkRun, isDeltaRun } from './delta-runs.ts'
import { SideloopError } from './errors.ts'
import type { SessionEvent } from './events.ts'
import { readStoredEvents } from './stored-events.ts'

const seqOf = (item: unknown): unknown => (item as { readonly seq?: unknown } | null)?.seq

const isChunk = (item: unknown): boolean => typeof item === 'object' && item !== null && 'type' in item && item.type === 'assistant/chunk'

/**
 * Packed items in order, from seq 0 on, up to `before` (exclusive): the events, deep-frozen, without any `assistant/chunk`.
 * Errors: `session/invalid` for a gap, a repeat, an unknown type, or a damaged item.
 */
export const outlineOf = (items: Iterable<unknown>, before: number): readonly SessionEvent[] => {
  const events: SessionEvent[] = []
  let next = 0
  for (const item of items) {
    if (next >= before) break
    if (seqOf(item) !== next) readStoredEvents([item], next) // refuses it, in its own words
    if (isDeltaRun(item)) next += checkRun(item).lengths.length
    else {
      if (!isChunk(item)) events.push(...readStoredEvents([item], next))
      next += 1
    }
  }
  if (next < before) throw new SideloopError('session/invalid', `This session cannot be read: events ${next} to ${before - 1} are missing.`)
  return events
}
