// Sessions in IndexedDB: a row, segments of events and an inbox each, changed together or not at all.
import type { SessionId } from '../log/content.ts'
import type { SessionEvent } from '../log/events.ts'
import { jsonEqual } from '../log/lossless-json.ts'
import {
  checkEnd,
  claimedRow,
  committedRow,
  follows,
  isCommitted,
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
import type { Database } from './open-database.ts'
import { keysUnder } from './schema.ts'
import { fromSegments, toSegments } from './segments.ts'

const WITHOUT_INBOX = ['sessions', 'segments'] as const
const WITH_INBOX = ['sessions', 'segments', 'inbox'] as const

export const idbSessionStore = (db: Database): SessionStore => {
  /** Rows as this store left them: a commit writes the next one without waiting for the stored one, and mends it if that was another. */
  const left = new Map<SessionId, SessionRow>()

  return {
    async create(given) {
      const row = newRow(given)
      await db.write(['sessions'], 'strict', (tx, steps, repeated) =>
        steps.after(tx.objectStore('sessions').get(row.id), (stored) => {
          if (repeated && stored?.epoch === 0 && stored.createdAt === row.createdAt) return
          if (stored !== undefined) throw sessionExists(row.id)
          steps.also(tx.objectStore('sessions').add(row))
        }),
      )
    },

    async list(options) {
      return listRows(await db.read(['sessions'], (tx) => tx.objectStore('sessions').getAll()), options)
    },

    async get(id) {
      const stored = await db.read(['sessions'], (tx) => tx.objectStore('sessions').get(id))
      return stored && readRow(stored, id)
    },

    claim: (id) =>
      db.write(['sessions', 'segments'], 'relaxed', (tx, steps) =>
        steps.after(tx.objectStore('sessions').get(id), (stored) => {
          const row = claimedRow(readRow(stored, id))
          // A row that disagrees with its segments must not be written to: the next event would land on a stored one, or behind a gap.
          return steps.after(tx.objectStore('segments').openCursor(keysUnder(id), 'prev'), (newest) => {
            checkEnd(row, newest === null ? [] : fromSegments([newest.value]))
            steps.also(tx.objectStore('sessions').put(row))
            return row
          })
        }),
      ),

    async commit(given, durability) {
      const commit = readCommit(given)
      const { sessionId, inbox } = commit
      const segments = toSegments(sessionId, commit.events)
      const known = left.get(sessionId)
      const guess = known !== undefined && follows(known, commit) ? committedRow(known, commit) : undefined
      left.delete(sessionId)
      const row = await db.write(inbox === undefined ? WITHOUT_INBOX : WITH_INBOX, durability, (tx, steps, repeated) => {
        const store = (): void => {
          for (const segment of segments) steps.also(tx.objectStore('segments').add(segment))
          if (inbox !== undefined) steps.also(tx.objectStore('inbox').put({ sessionId, waiting: inbox }))
        }
        const stored = tx.objectStore('sessions').get(sessionId)
        // Without waiting for the row: if another writer was here, all of it is undone.
        if (!repeated) {
          store()
          if (guess !== undefined) steps.also(tx.objectStore('sessions').put(guess))
        }
        return steps.after(stored, (value) => {
          const before = readRow(value, sessionId)
          if (repeated && isCommitted(before, commit)) return before
          const after = committedRow(before, commit)
          if (repeated || !jsonEqual(after, guess)) steps.also(tx.objectStore('sessions').put(after))
          if (repeated) store()
          return after
        })
      })
      left.set(sessionId, row)
    },

    // Apart from the core: it is needed after many commits only.
    merge: async (id, options) => (await import('./merge-segments.ts')).mergeSegments(db, id, options),

    async read(id, options) {
      const { from, to, segments } = await db.read(['sessions', 'segments'], (tx, steps) =>
        steps.after(tx.objectStore('sessions').get(id), (stored) => {
          const range = readRange(readRow(stored, id), options)
          const { from, to } = range
          if (from === to) return { from, to, segments: [] }
          // The segment that holds `from` may begin before it.
          const before = IDBKeyRange.bound([id, 0], [id, from])
          return steps.after(tx.objectStore('segments').openKeyCursor(before, 'prev'), (cursor) => {
            const all = IDBKeyRange.bound(cursor?.key ?? [id, from], [id, to], false, true)
            return steps.after(tx.objectStore('segments').getAll(all), (segments) => ({ from, to, segments }))
          })
        }),
      )
      const events: readonly SessionEvent[] = fromSegments(segments)
      return takeRange(events, from, to)
    },

    async waiting(id) {
      const stored = await db.read(['sessions', 'inbox'], (tx, steps) =>
        steps.after(tx.objectStore('sessions').get(id), (row) => {
          readRow(row, id)
          return tx.objectStore('inbox').get(id)
        }),
      )
      return readWaiting(stored?.waiting)
    },

    async remove(id) {
      left.delete(id)
      await db.write(['sessions', 'segments', 'inbox'], 'strict', (tx, steps) => {
        steps.also(tx.objectStore('sessions').delete(id))
        steps.also(tx.objectStore('segments').delete(keysUnder(id)))
        steps.also(tx.objectStore('inbox').delete(id))
      })
    },
  }
}
