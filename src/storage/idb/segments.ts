// Events as they lie in the database: in segments of bounded length, runs of deltas packed.
import type { SessionId } from '../log/content.ts'
import { packEvents } from '../log/delta-runs.ts'
import type { SessionEvent } from '../log/events.ts'
import { readStoredEvents } from '../log/stored-events.ts'
import type { Segment } from './schema.ts'

/** Long enough to pack well, short enough that the newest part of a session is read without much of the rest. */
export const MOST_EVENTS = 1_000

export const toSegments = (sessionId: SessionId, events: readonly SessionEvent[]): readonly Segment[] => {
  const segments: Segment[] = []
  for (let start = 0; start < events.length; start += MOST_EVENTS) {
    const part = events.slice(start, start + MOST_EVENTS)
    segments.push({ sessionId, firstSeq: part[0]!.seq, events: packEvents(part) })
  }
  return segments
}

function* itemsOf(segments: readonly Segment[]): Generator<unknown> {
  for (const { events } of segments) {
    const items: unknown = events
    yield* Array.isArray(items) ? items : [undefined]
  }
}

/** Segments in order, without gaps between them. Errors: `session/invalid`. */
export const fromSegments = (segments: readonly Segment[]): readonly SessionEvent[] =>
  readStoredEvents(itemsOf(segments), segments[0]?.firstSeq ?? 0)
