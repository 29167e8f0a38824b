// Sessions in IndexedDB: a row, segments of events and an inbox each, changed together or not at all.
import type { SessionEvent } from '../log/events.ts'
import {
  checkEnd,
  claimedRow,
  committedRow,
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
import type { SessionStore } from '../session-store.ts'
import type { Database } from './open-database.ts'
import { keysUnder } from './schema.ts'
import { fromSegments, toSegments } from './segments.ts'

export const idbSessionStore = (db: Database): SessionStore => ({
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
    await db.write(['sessions', 'segments', 'inbox'], durability, (tx, steps, repeated) => {
      const store = (): void => {
        for (const segment of segments) steps.also(tx.objectStore('segments').add(segment))
        if (inbox !== undefined) steps.also(tx.objectStore('inbox').put({ sessionId, waiting: inbox }))
      }
      const row = tx.objectStore('sessions').get(sessionId)
      // Without waiting for the row: if another writer was here, all of it is undone.
      if (!repeated) store()
      return steps.after(row, (stored) => {
        const before = readRow(stored, sessionId)
        if (repeated && isCommitted(before, commit)) return
        steps.also(tx.objectStore('sessions').put(committedRow(before, commit)))
        if (repeated) store()
      })
    })
  },

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
    await db.write(['sessions', 'segments', 'inbox'], 'strict', (tx, steps) => {
      steps.also(tx.objectStore('sessions').delete(id))
      steps.also(tx.objectStore('segments').delete(keysUnder(id)))
      steps.also(tx.objectStore('inbox').delete(id))
    })
  },
})
