// The log of a session as it is stored, for readers: nobody has to drive the session, and nothing is repaired.

import { packEvents } from '../../../storage/log/delta-runs.ts'
import type { SessionEvent } from '../../../storage/log/events.ts'
import type { SessionStore } from '../../../storage/session-store.ts'
import type { AgentHost } from '../../protocol/agent-host.ts'

/** Enough for the newest screen of nearly every session; one that is hardly longer is not parted. */
const NEWEST = 2_000
/** Further back, each time so much more is read: a single step may be that long. */
const MORE = 4

/** Where a fold may begin: what follows the start of a turn, else of a step, changes nothing before it. Leaves at least `least` events. */
const edgeIn = (events: readonly SessionEvent[], least: number): number => {
  const before = events.slice(0, Math.max(0, events.length - least))
  const turn = before.findLastIndex(({ type }) => type === 'turn/start')
  return turn >= 0 ? turn : before.findLastIndex(({ type }) => type === 'step/start')
}

export const createStoredLog = (store: SessionStore): Omit<AgentHost['log'], 'watch'> => {
  const read: AgentHost['log']['read'] = ({ sessionId, after, limit }) =>
    store.read(sessionId, { after, ...(limit === undefined ? {} : { limit }) })
  return {
    read,
    packed: async (range) => packEvents(await read(range)),
    async newest({ sessionId, events = NEWEST }) {
      const length = (await store.get(sessionId))?.nextSeq ?? 0
      if (length <= 2 * events) return { from: 0, events: [] }
      for (let count = events; ; count = Math.min(count * MORE, length)) {
        const part = await store.read(sessionId, { after: length - count - 1, limit: count })
        const edge = edgeIn(part, events / 2)
        if (edge >= 0 || count === length) return { from: part[Math.max(0, edge)]!.seq, events: packEvents(part.slice(Math.max(0, edge))) }
      }
    },
  }
}
