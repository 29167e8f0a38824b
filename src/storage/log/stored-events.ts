// Reads events back from where they were stored: what this version does not understand is refused, never guessed.
import { checkRun, isDeltaRun, unpackRun } from './delta-runs.ts'
import { SideloopError } from './errors.ts'
import { misfitOfEvent, misfitOfPlace } from './event-shape.ts'
import { isKnownEventType, type SessionEvent } from './events.ts'
import { freezeJson } from './lossless-json.ts'

const invalid = (why: string): never => {
  throw new SideloopError('session/invalid', `This session cannot be read: ${why}. Nothing was changed; a newer version may open it.`)
}

const checkEvent = (item: unknown, seq: number): SessionEvent => {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return invalid(`event ${seq} is not an object`)
  const { type, time, data, optional, surfaceOp, sourceEventSeqs } = item as Readonly<Record<string, unknown>>
  if (typeof type !== 'string') return invalid(`event ${seq} has no type`)
  if (typeof time !== 'number' || !Number.isFinite(time)) return invalid(`event ${seq} (${type}) has no time`)
  if (isKnownEventType(type)) {
    const field = misfitOfEvent(type, data) ?? misfitOfPlace(type, surfaceOp, sourceEventSeqs)
    if (field !== undefined) return invalid(`event ${seq} (${type}) has no valid "${field}"`)
  } else if (optional !== true) {
    return invalid(`event ${seq} is of the type "${type}", which this version does not know`)
  }
  return freezeJson(item as SessionEvent, `event ${seq}`)
}

/** Lists that were read here, by their first seq. They are frozen, so that reading one again would find nothing else. */
const known = new WeakMap<object, number>()

const keep = (events: SessionEvent[], firstSeq: number): readonly SessionEvent[] => {
  known.set(Object.freeze(events), firstSeq)
  return events
}

/**
 * Packed items of one session, in order, from `firstSeq` on: the events, deep-frozen. An unknown type passes only if it says
 * `optional: true`. What this gave is taken as it is when it is given back.
 * Errors: `session/invalid` for a gap, a repeat, an unknown type, or a damaged item.
 */
export const readStoredEvents = (items: Iterable<unknown>, firstSeq: number): readonly SessionEvent[] => {
  if (known.get(items) === firstSeq) return items as readonly SessionEvent[]
  const events: SessionEvent[] = []
  for (const item of items) {
    const expected = firstSeq + events.length
    const seq = (item as { readonly seq?: unknown } | null)?.seq
    if (seq !== expected) return invalid(`event ${expected} is missing (${String(seq)} stands in its place)`)
    if (isDeltaRun(item)) for (const event of unpackRun(checkRun(item))) events.push(event)
    else events.push(checkEvent(item, expected))
  }
  return keep(events, firstSeq)
}

/** `events` as `readStoredEvents` gave them, and what follows them. Only that is read. Errors: as there. */
export const readFurtherEvents = (events: readonly SessionEvent[], items: readonly unknown[]): readonly SessionEvent[] => {
  const firstSeq = known.get(events)
  if (firstSeq === undefined) return readStoredEvents([...events, ...items], events[0]?.seq ?? 0)
  return items.length === 0 ? events : keep([...events, ...readStoredEvents(items, firstSeq + events.length)], firstSeq)
}
