// A log without its streams: every event but the pieces of replies. Enough to know how a session stands, in a fraction of the time.
import { checkRun, isDeltaRun } from './delta-runs.ts'
import { SideloopError } from './errors.ts'
import type { SessionEvent } from './events.ts'
import { readStoredEvents } from './stored-events.ts'

const seqOf = (item: unknown): unknown => (item as { readonly seq?: unknown } | null)?.seq

const isChunk = (item: unknown): boolean => typeof item === 'object' && item !== null && 'type' in item && item.type === 'assistant/chunk'

export type Outline = {
  /** The next packed items. Errors: `session/invalid` for a gap, a repeat, an unknown type, or a damaged item. */
  take(items: Iterable<unknown>): void
  /** The events, deep-frozen, without any `assistant/chunk`. Errors: `session/invalid` if some are missing. */
  end(): readonly SessionEvent[]
}

/** Of the events from seq 0 up to `before` (exclusive). What is taken beyond that is passed over. */
export const createOutline = (before: number): Outline => {
  const events: SessionEvent[] = []
  let next = 0
  const takeOne = (item: unknown): void => {
    if (seqOf(item) !== next) readStoredEvents([item], next) // refuses it, in its own words
    if (isDeltaRun(item)) next += checkRun(item).lengths.length
    else {
      if (!isChunk(item)) for (const event of readStoredEvents([item], next)) events.push(event)
      next += 1
    }
  }
  return {
    take(items) {
      for (const item of items) if (next < before) takeOne(item)
    },
    end() {
      if (next >= before) return events
      throw new SideloopError('session/invalid', `This session cannot be read: events ${next} to ${before - 1} are missing.`)
    },
  }
}
