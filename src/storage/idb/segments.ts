// Events as they lie in the database: in segments of bounded length, runs of deltas packed.
import type { SessionId } from '../log/content.ts'
import type { PackedEvent } from '../log/delta-runs.ts'
import { isDeltaRun, packEvents } from '../log/delta-runs.ts'
import { SideloopError } from '../log/errors.ts'
import type { SessionEvent } from '../log/events.ts'
import { readStoredEvents } from '../log/stored-events.ts'
import type { Segment } from './schema.ts'

/** Long enough to pack well, short enough that the newest part of a session is read without much of the rest. */
export const MOST_EVENTS = 1_000
/** Segments are not joined beyond this many characters, so that the newest part of a session with large results stays quick to read. */
const MOST_CHARACTERS = 250_000
/** Fewer are not worth writing their events once more. */
const FEWEST_TO_JOIN = 4

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

/**
 * The first four or more neighbours, from seq `from` to seq `to` (exclusive), that fit into one segment together. `edges`: where each
 * segment begins, then where the last one ends.
 */
export const smallNeighbours = (edges: readonly number[]): { readonly from: number; readonly to: number } | undefined => {
  const end = edges.length - 1
  for (let first = 0; first + FEWEST_TO_JOIN <= end; first++) {
    const from = edges[first]!
    let last = first
    while (last < end && edges[last + 1]! - from <= MOST_EVENTS) last++
    if (last - first >= FEWEST_TO_JOIN) return { from, to: edges[last]! }
  }
  return undefined
}

const charactersOf = (items: readonly PackedEvent[]): number => {
  let sum = 0
  for (const item of items) {
    sum += isDeltaRun(item) ? item.lengths.length + item.gaps.length : JSON.stringify(item).length
    if (isDeltaRun(item)) for (const text of item.text) sum += text.length
  }
  return sum
}

/**
 * The same events in fewer segments, packed anew across the old edges. They must end before seq `to`.
 * Errors: `session/invalid`: what is damaged is left as it lies.
 */
export const joinSegments = (segments: readonly Segment[], to: number): readonly Segment[] => {
  const events = fromSegments(segments)
  const [first] = segments
  if (first === undefined || first.firstSeq + events.length !== to)
    throw new SideloopError(
      'session/invalid',
      `This session cannot be read: its events before ${to} are not all there. Nothing was changed.`,
    )
  const edges: number[] = []
  let characters = 0
  for (const { firstSeq, events: items } of segments) {
    const more = charactersOf(items)
    if (edges.length === 0 || characters + more > MOST_CHARACTERS) {
      edges.push(firstSeq)
      characters = 0
    }
    characters += more
  }
  return edges.flatMap((edge, i) => toSegments(first.sessionId, events.slice(edge - first.firstSeq, (edges[i + 1] ?? to) - first.firstSeq)))
}

/** Where to look again once more segments follow: those before can become part of no group. */
export const mayGrowFrom = (firstSeqs: readonly number[]): number | undefined => firstSeqs.at(1 - FEWEST_TO_JOIN) ?? firstSeqs[0]
