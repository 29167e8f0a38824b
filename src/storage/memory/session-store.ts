// Sessions over Maps: for tests and private windows. The same rules and refusals as in a database.
import type { SessionId } from '../log/content.ts'
import type { SessionEvent } from '../log/events.ts'
import { readStoredEvents } from '../log/stored-events.ts'
import type { Waiting } from '../log/waiting.ts'
import {
  checkWriter,
  claimedRow,
  committedRow,
  listRows,
  newRow,
  readCommit,
  readRange,
  readRow,
  readWaiting,
  sessionExists,
  takeRange,
} from '../session-rows.ts'
import type { SessionRow, SessionStore } from '../session-store.ts'
import type { Room } from './room.ts'

type Session = { row: SessionRow; readonly events: SessionEvent[]; inbox: readonly Waiting[] }
export type MemorySessions = Map<SessionId, Session>

export const memorySessionStore = (sessions: MemorySessions, room: Room): SessionStore => {
  const open = (id: SessionId): Session & { readonly row: SessionRow } => {
    const session = sessions.get(id)
    readRow(session?.row, id)
    return session!
  }

  return {
    async create(given) {
      if (sessions.has(given.id)) throw sessionExists(given.id)
      const row = newRow(given)
      room.take(row)
      sessions.set(given.id, { row, events: [], inbox: [] })
    },
    async list(options) {
      return listRows(
        Array.from(sessions.values(), (session) => session.row),
        options,
      )
    },
    async get(id) {
      const row = sessions.get(id)?.row
      return row && readRow(row, id)
    },
    async claim(id) {
      const session = open(id)
      session.row = claimedRow(session.row)
      return session.row
    },
    async commit(given) {
      const commit = readCommit(given)
      const session = open(commit.sessionId)
      const row = committedRow(session.row, commit)
      room.take([row, commit.events, commit.inbox])
      session.row = row
      for (const event of commit.events) session.events.push(event)
      session.inbox = commit.inbox ?? session.inbox
    },
    async merge(id, { epoch, from }) {
      checkWriter(open(id).row, epoch)
      return { from, more: false } // nothing here is in pieces
    },
    async read(id, options) {
      const { row, events } = open(id)
      const { from, to } = readRange(row, options)
      return takeRange(readStoredEvents(events.slice(from, to), from), from, to)
    },
    async waiting(id) {
      return readWaiting(open(id).inbox)
    },
    async remove(id) {
      sessions.delete(id)
    },
  }
}
