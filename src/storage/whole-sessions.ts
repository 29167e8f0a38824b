// The port for sessions with all that they own: row, events, inbox, files and claims on blobs, made or removed in one go.
import type { TreeEntry } from './file-tree.ts'
import type { BlobId, SessionId } from './log/content.ts'
import type { PackedEvent } from './log/delta-runs.ts'
import type { SessionEvent } from './log/events.ts'
import type { SessionRow } from './session-store.ts'

type NewRow = Omit<SessionRow, 'nextSeq' | 'epoch'>

export type SessionFork = {
  readonly from: SessionId
  /** How many events are taken over; they are copied as they lie. */
  readonly length: number
  readonly row: NewRow
  /** What follows them in the new session. The first one has the seq `length`. */
  readonly more: readonly SessionEvent[]
  /** The new session's files. Each blob must be claimed by the other session. */
  readonly files: readonly TreeEntry[]
}

export type SessionArrival = {
  readonly row: NewRow
  /** The whole log: packed, in parts of at most 1,000 events, each stored as one piece. */
  readonly parts: readonly (readonly PackedEvent[])[]
  readonly files: readonly TreeEntry[]
  /** What the log and the trees that it names need besides the files. */
  readonly blobs: readonly BlobId[]
}

/** Each call is one transaction: all of it is stored, or nothing. Errors: those of the session store. */
export interface WholeSessions {
  /** The events with a seq below `before`, without the pieces of replies: see `log/outline.ts`. */
  outline(id: SessionId, options: { readonly before: number }): Promise<readonly SessionEvent[]>
  /** The new session claims every blob that the other one claims. Errors: `storage/conflict` for an id that is taken. */
  fork(fork: SessionFork): Promise<void>
  /** Every blob must be claimed by `holder` until now; the sessions take its claims over. Errors: `storage/conflict` for a taken id. */
  add(arrivals: readonly SessionArrival[], holder: string): Promise<void>
  /** And the blobs that nobody else uses. Removing what is not there is no error. */
  remove(id: SessionId): Promise<void>
}
