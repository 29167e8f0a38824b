// What happens to a log that comes from a file, besides being read: it is idle, nobody is asked anything by it, and it grants nothing.
import type { EventOf, EventType, SessionEvent, SessionEventData } from './events.ts'
import { freezeJson } from './lossless-json.ts'
import { fold } from './projection.ts'
import { pending } from './projections/pending.ts'
import { repairEvents } from './repair.ts'

/** A permission that reached further than its own call was given somewhere else, perhaps by somebody else: it counts for that call only. */
export const withoutGrant = (event: SessionEvent): SessionEvent =>
  event.type === 'approval/decided' && event.data.decision.reach !== 'once'
    ? freezeJson({ ...event, data: { ...event.data, decision: { ...event.data.decision, reach: 'once' } } })
    : event

const NOTE = 'The session was imported before this was decided.'

/**
 * The events that close a log which was exported while it was open; empty when nothing is. Deterministic, like repair. What waited for
 * a person is settled first, with no and with no answer: it was asked elsewhere.
 */
export const idleEvents = (events: readonly SessionEvent[]): readonly SessionEvent[] => {
  const last = events.at(-1)
  if (last === undefined) return []
  const settled: SessionEvent[] = []
  const settle = <T extends EventType>(type: T, data: SessionEventData[T]): void => {
    settled.push(freezeJson({ type, seq: last.seq + 1 + settled.length, time: last.time, data }) as EventOf<T> as SessionEvent)
  }
  for (const { kind, callId } of fold(pending, events)) {
    if (kind === 'question') settle('question/answered', { callId, answers: null })
    else settle('approval/decided', { callId, decision: { kind: 'deny', reach: 'once', note: NOTE } })
  }
  return [...settled, ...repairEvents([...events, ...settled])]
}
