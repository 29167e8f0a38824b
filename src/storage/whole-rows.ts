// What the adapters of whole sessions share: the rows of forks and arrivals, and what must hold for them. Pure.
import type { FileEntry } from './file-store.ts'
import type { TreeEntry } from './file-tree.ts'
import { isDeltaRun, type PackedEvent } from './log/delta-runs.ts'
import { SideloopError } from './log/errors.ts'
import type { SessionEvent } from './log/events.ts'
import { freezeJson } from './log/lossless-json.ts'
import { newRow, readCommit } from './session-rows.ts'
import type { SessionRow } from './session-store.ts'
import { checkFilePath } from './stored-path.ts'
import type { SessionArrival, SessionFork } from './whole-sessions.ts'

const rowOf = (row: SessionArrival['row'], nextSeq: number): SessionRow => freezeJson({ ...newRow(row), nextSeq })

/** The new session's row and what is added to the events that it takes over, checked. Errors: `session/invalid`. */
export const forkedRow = ({ row, length, more }: SessionFork): { readonly row: SessionRow; readonly more: readonly SessionEvent[] } => {
  const { events } = readCommit({ sessionId: row.id, epoch: 0, events: more })
  if (events[0] !== undefined && events[0].seq !== length)
    throw new SideloopError('session/invalid', `Event ${events[0].seq} cannot follow the ${length} events that are taken over`)
  return { row: rowOf(row, length + events.length), more: events }
}

/** Errors: `command/invalid` when the session has no such prefix. */
export const checkPrefix = ({ id, nextSeq }: SessionRow, length: number): void => {
  if (length <= nextSeq) return
  throw new SideloopError('command/invalid', `The session "${id}" has ${nextSeq} events, so the first ${length} cannot be taken from it.`)
}

const endOf = (item: PackedEvent | undefined): number => {
  if (item === undefined) return 0
  return item.seq + (isDeltaRun(item) ? item.lengths.length : 1)
}

export const arrivedRow = ({ row, parts }: SessionArrival): SessionRow => rowOf(row, endOf(parts.at(-1)?.at(-1)))

/** The files of a tree as they begin in a new scope. */
export const firstVersions = (files: readonly TreeEntry[]): readonly FileEntry[] =>
  files.map(({ path, blob, size, modifiedAt }) => freezeJson({ path: checkFilePath(path), size, version: 1, modifiedAt, blob }))
