// Small segments become full ones: the same events, packed anew across the old edges, in one short transaction each time.
import type { SessionId } from '../log/content.ts'
import { isDeltaRun, type PackedEvent } from '../log/delta-runs.ts'
import { SideloopError } from '../log/errors.ts'
import { checkWriter, readRow } from '../session-rows.ts'
import type { SessionStore } from '../session-store.ts'
import type { Database } from './open-database.ts'
import type { Segment } from './schema.ts'
import { fromSegments, MOST_EVENTS, toSegments } from './segments.ts'

/**
 * Segments are not joined beyond this many characters, so that the newest part of a session with large results stays quick to read. And
 * what is written again only to save room is kept small: a browser that is killed in the middle of a large record may throw its whole
 * database away (note 0141).
 */
const MOST_CHARACTERS = 25_000
/** Fewer are not worth writing their events once more. */
const FEWEST_TO_JOIN = 4

type Merge = SessionStore['merge']

/** What `merge` of the session store does. */
export const mergeSegments = (db: Database, id: SessionId, { epoch, from }: Parameters<Merge>[1]): ReturnType<Merge> =>
  db.write(['sessions', 'segments'], 'relaxed', (tx, steps) =>
    steps.after(tx.objectStore('sessions').get(id), (stored) => {
      const { nextSeq } = checkWriter(readRow(stored, id), epoch)
      const keys = tx.objectStore('segments').getAllKeys(IDBKeyRange.bound([id, from], [id, []]), MOST_EVENTS + 1)
      return steps.after(keys, (found) => {
        const firstSeqs = found.map(([, firstSeq]) => firstSeq)
        const whole = firstSeqs.length <= MOST_EVENTS
        const group = smallNeighbours(whole ? [...firstSeqs, nextSeq] : firstSeqs)
        if (group === undefined) return { from: mayGrowFrom(firstSeqs) ?? from, more: !whole }
        const range = IDBKeyRange.bound([id, group.from], [id, group.to], false, true)
        return steps.after(tx.objectStore('segments').getAll(range), (segments) => {
          const joined = joinSegments(segments, group.to)
          if (joined.length < segments.length) {
            steps.also(tx.objectStore('segments').delete(range))
            for (const segment of joined) steps.also(tx.objectStore('segments').add(segment))
          }
          const isLast = whole && group.to === nextSeq
          // The newest one may still grow, and so may the rest of a group that was too heavy for one segment.
          return { from: isLast || joined.length > 1 ? joined.at(-1)!.firstSeq : group.to, more: !isLast }
        })
      })
    }),
  )

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
