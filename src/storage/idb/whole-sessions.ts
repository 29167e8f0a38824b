// Whole sessions in IndexedDB: what is theirs in every store, made or removed in one transaction.
import type { SessionId } from '../log/content.ts'
import { createOutline, type Outline } from '../log/outline.ts'
import { checkEnd, readRow, sessionExists } from '../session-rows.ts'
import type { SessionRow } from '../session-store.ts'
import { arrivedRow, checkPrefix, firstVersions, forkedRow } from '../whole-rows.ts'
import type { SessionArrival, WholeSessions } from '../whole-sessions.ts'
import { dropUnclaimed } from './blob-claims.ts'
import type { Database } from './open-database.ts'
import { keysUnder, type Segment } from './schema.ts'
import { fromSegments, toSegments } from './segments.ts'
import type { Steps, Transaction } from './transact.ts'

const NEW = ['sessions', 'segments', 'files', 'claims'] as const
const ALL = ['sessions', 'segments', 'inbox', 'files', 'claims', 'blobs'] as const
type NewTransaction = Transaction<typeof NEW, 'readwrite'>

/** Segments that are worked on at once, before others get their turn. */
const AT_ONCE = 8

/** The segments that begin from one seq on and before another; the last one may go on behind it. Both may be 0. */
const between = (id: SessionId, from: number, to: number): IDBKeyRange => IDBKeyRange.bound([id, from - 1], [id, to], true, true)

/** Was exactly this session made already? For repeating a transaction whose outcome is unknown. */
const isMade = (row: SessionRow, stored: SessionRow | undefined): boolean => stored?.epoch === 0 && stored.createdAt === row.createdAt

/** The part of a segment below a seq, for another session; as it lies when that is all of it. */
const cut = (row: SessionRow, segment: Segment, length: number, sessionId: SessionId): readonly Segment[] => {
  const events = fromSegments([segment])
  const kept = events.slice(0, length - segment.firstSeq)
  checkEnd({ ...row, nextSeq: length }, kept)
  return kept.length === events.length ? [{ ...segment, sessionId }] : toSegments(sessionId, kept)
}

const copySegments = (tx: NewTransaction, steps: Steps, from: SessionRow, length: number, to: SessionId): void => {
  const segments = tx.objectStore('segments')
  const copyAfter = (seq: number): void => {
    steps.after(segments.getAll(between(from.id, seq, length), AT_ONCE), (found) => {
      const last = found.pop()
      if (last === undefined) return checkEnd({ ...from, nextSeq: length }, [])
      for (const segment of found) steps.also(segments.add({ ...segment, sessionId: to }))
      if (found.length === AT_ONCE - 1) return copyAfter(last.firstSeq)
      for (const segment of cut(from, last, length, to)) steps.also(segments.add(segment))
    })
  }
  copyAfter(0)
}

/** One after the other, so that others get their turn. */
const addParts = (tx: NewTransaction, steps: Steps, sessionId: SessionId, parts: SessionArrival['parts']): void => {
  const addFrom = (index: number): void => {
    const events = parts[index]
    if (events?.[0] === undefined) return
    steps.after(tx.objectStore('segments').add({ sessionId, firstSeq: events[0].seq, events }), () => addFrom(index + 1))
  }
  addFrom(0)
}

const addFiles = (tx: NewTransaction, steps: Steps, scope: SessionId, files: ReturnType<typeof firstVersions>): void => {
  for (const file of files) steps.also(tx.objectStore('files').add({ ...file, scope }))
}

export const idbWholeSessions = (db: Database): WholeSessions => ({
  outline: (id, { before }) =>
    db.read(['sessions', 'segments'], (tx, steps) =>
      steps.after(tx.objectStore('sessions').get(id), (stored) => {
        checkPrefix(readRow(stored, id), before)
        const outline = createOutline(before)
        /** A part after the other, so that others get their turn. */
        const takeFrom = (seq: number): Promise<ReturnType<Outline['end']>> =>
          steps.after(tx.objectStore('segments').getAll(between(id, seq, before), AT_ONCE), (found) => {
            for (const { events } of found) outline.take(events)
            return found.length < AT_ONCE ? outline.end() : takeFrom(found.at(-1)!.firstSeq + 1)
          })
        return takeFrom(0)
      }),
    ),

  async fork(fork) {
    const { from, length } = fork
    const { row, more } = forkedRow(fork)
    const files = firstVersions(fork.files)
    const added = toSegments(row.id, more)
    await db.write(NEW, 'strict', (tx, steps, repeated) => {
      const sessions = tx.objectStore('sessions')
      return steps.after(sessions.get(row.id), (taken) => {
        if (repeated && isMade(row, taken)) return
        if (taken !== undefined) throw sessionExists(row.id)
        return steps.after(sessions.get(from), (stored) => {
          const parent = readRow(stored, from)
          checkPrefix(parent, length)
          steps.also(sessions.add(row))
          copySegments(tx, steps, parent, length, row.id)
          for (const segment of added) steps.also(tx.objectStore('segments').add(segment))
          addFiles(tx, steps, row.id, files)
          const claims = tx.objectStore('claims')
          steps.after(claims.getAllKeys(keysUnder(from)), (keys) => {
            for (const [, blob] of keys) steps.also(claims.put({ owner: row.id, blob }))
          })
        })
      })
    })
  },

  async add(arrivals, holder) {
    const made = arrivals.map((arrival) => ({ ...arrival, row: arrivedRow(arrival), files: firstVersions(arrival.files) }))
    await db.write(NEW, 'strict', (tx, steps, repeated) => {
      for (const { row, parts, files, blobs } of made) {
        steps.after(tx.objectStore('sessions').get(row.id), (taken) => {
          if (repeated && isMade(row, taken)) return
          if (taken !== undefined) throw sessionExists(row.id)
          steps.also(tx.objectStore('sessions').add(row))
          addParts(tx, steps, row.id, parts)
          addFiles(tx, steps, row.id, files)
          for (const blob of blobs) steps.also(tx.objectStore('claims').put({ owner: row.id, blob }))
        })
      }
      steps.also(tx.objectStore('claims').delete(keysUnder(holder)))
    })
  },

  async remove(id) {
    await db.write(ALL, 'strict', (tx, steps) => {
      steps.also(tx.objectStore('sessions').delete(id))
      steps.also(tx.objectStore('segments').delete(keysUnder(id)))
      steps.also(tx.objectStore('inbox').delete(id))
      const [files, claims, blobs] = [tx.objectStore('files'), tx.objectStore('claims'), tx.objectStore('blobs')]
      return steps.after(files.getAll(keysUnder(id)), (found) =>
        steps.after(claims.getAllKeys(keysUnder(id)), (claimed) => {
          steps.also(files.delete(keysUnder(id)))
          steps.also(claims.delete(keysUnder(id)))
          const used = new Set([...found.map(({ blob }) => blob), ...claimed.map(([, blob]) => blob)])
          for (const blob of used) dropUnclaimed({ claims, files, blobs }, steps, blob)
        }),
      )
    })
  },
})
