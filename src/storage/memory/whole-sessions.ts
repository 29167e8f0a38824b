// Whole sessions over Maps: nothing is changed before everything that can be refused has been.
import type { SessionId } from '../log/content.ts'
import { unpackEvents } from '../log/delta-runs.ts'
import type { SessionEvent } from '../log/events.ts'
import { createOutline } from '../log/outline.ts'
import { readRow, sessionExists } from '../session-rows.ts'
import type { SessionRow } from '../session-store.ts'
import { arrivedRow, checkPrefix, firstVersions, forkedRow } from '../whole-rows.ts'
import type { WholeSessions } from '../whole-sessions.ts'
import { type BlobShelf, fileClaims, ownerClaims } from './blob-shelf.ts'
import type { MemoryTrees } from './file-store.ts'
import type { Room } from './room.ts'
import type { MemorySessions } from './session-store.ts'

type Places = { readonly sessions: MemorySessions; readonly trees: MemoryTrees; readonly shelf: BlobShelf; readonly room: Room }
type Made = { readonly row: SessionRow; readonly events: SessionEvent[]; readonly files: ReturnType<typeof firstVersions> }

export const memoryWholeSessions = ({ sessions, trees, shelf, room }: Places): WholeSessions => {
  const eventsOf = (id: SessionId, length: number): readonly SessionEvent[] => {
    const session = sessions.get(id)
    checkPrefix(readRow(session?.row, id), length)
    return session?.events.slice(0, length) ?? []
  }
  const checkFree = (id: SessionId): void => {
    if (sessions.has(id)) throw sessionExists(id)
  }
  const place = ({ row, events, files }: Made): void => {
    sessions.set(row.id, { row, events, inbox: [] })
    trees.set(row.id, new Map(files.map((file) => [file.path, file])))
    for (const { path, blob } of files) shelf.claim(blob, fileClaims(row.id, path))
  }

  return {
    async outline(id, { before }) {
      const outline = createOutline(before)
      outline.take(eventsOf(id, before))
      return outline.end()
    },
    async fork(fork) {
      const { row, more } = forkedRow(fork)
      const made = { row, events: [...eventsOf(fork.from, fork.length), ...more], files: firstVersions(fork.files) }
      checkFree(row.id)
      room.take([made.row, made.events, made.files])
      place(made)
      shelf.share(ownerClaims(fork.from), ownerClaims(row.id))
    },
    async add(arrivals, holder) {
      const made = arrivals.map((arrival) => ({
        row: arrivedRow(arrival),
        events: [...unpackEvents(arrival.parts.flat())],
        files: firstVersions(arrival.files),
        blobs: arrival.blobs,
      }))
      for (const { row } of made) checkFree(row.id)
      room.take(made)
      for (const each of made) {
        place(each)
        for (const blob of each.blobs) shelf.claim(blob, ownerClaims(each.row.id))
      }
      shelf.releaseAll(ownerClaims(holder))
    },
    async remove(id) {
      sessions.delete(id)
      for (const { path, blob } of trees.get(id)?.values() ?? []) shelf.release(blob, fileClaims(id, path))
      trees.delete(id)
      shelf.releaseAll(ownerClaims(id))
    },
  }
}
