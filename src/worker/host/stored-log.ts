// The log of a session as it is stored, for readers: nobody has to drive the session, and nothing is repaired.

import { packEvents } from '../../storage/log/delta-runs.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import type { SessionStore } from '../../storage/session-store.ts'
import type { AgentHost } from '../protocol/agent-host.ts'

/** Enough for the newest screen of nearly every session. */
const NEWEST = 2_000
/** Further back, each time so much more is read: a single step may be that long. */
const MORE = 4

/** Where a fold may begin: nothing before the start of a turn, else of a step, is still changed by what follows. */
const edgeIn = (events: readonly SessionEvent[]): number => {
  const turn = events.findIndex(({ type }) => type === 'turn/start')
  return turn >= 0 ? turn : events.findIndex(({ type }) => type === 'step/start')
}

export const createStoredLog = (store: SessionStore): Omit<AgentHost['log'], 'watch'> => {
  const read: AgentHost['log']['read'] = ({ sessionId, after, limit }) =>
    store.read(sessionId, { after, ...(limit === undefined ? {} : { limit }) })
  return {
    read,
    packed: async (range) => packEvents(await read(range)),
    async newest({ sessionId, events = NEWEST }) {
      const length = (await store.get(sessionId))?.nextSeq ?? 0
      for (let count = events; count < length; count *= MORE) {
        const part = await store.read(sessionId, { after: length - count - 1, limit: count })
        const edge = edgeIn(part)
        if (edge >= 0) return { from: part[edge]!.seq, events: packEvents(part.slice(edge)) }
      }
      return { from: 0, events: [] }
    },
  }
}
