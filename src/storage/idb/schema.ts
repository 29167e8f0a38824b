// What is in the database: one type for all of it, and the one place for its names.
import type { DBSchema, StoreNames } from 'idb'
import type { FileEntry } from '../file-store.ts'
import type { BlobId, Json, SessionId } from '../log/content.ts'
import type { PackedEvent } from '../log/delta-runs.ts'
import type { Waiting } from '../log/waiting.ts'
import type { SessionRow } from '../session-store.ts'

/** At most this many events; the last one's end is where the next begins. Written once, never changed. */
export type Segment = {
  readonly sessionId: SessionId
  readonly firstSeq: number
  readonly events: readonly PackedEvent[]
}
export type StoredFile = FileEntry & { readonly scope: string }
export type StoredSecret = { readonly name: string; readonly iv: Uint8Array<ArrayBuffer>; readonly cipher: ArrayBuffer }

/** Names and keys of the object stores. A change here comes with a migration. */
export interface SideloopSchema extends DBSchema {
  sessions: { key: SessionId; value: SessionRow }
  segments: { key: [SessionId, number]; value: Segment }
  inbox: { key: SessionId; value: { readonly sessionId: SessionId; readonly waiting: readonly Waiting[] } }
  blobs: { key: BlobId; value: { readonly id: BlobId; readonly bytes: Uint8Array<ArrayBuffer> } }
  /** Who keeps a blob alive besides files. */
  claims: { key: [string, BlobId]; value: { readonly owner: string; readonly blob: BlobId }; indexes: { blob: BlobId } }
  files: { key: [string, string]; value: StoredFile; indexes: { blob: BlobId } }
  settings: { key: string; value: { readonly name: string; readonly value: Json } }
  secrets: { key: string; value: StoredSecret }
  /** Non-extractable keys: the browser keeps what is in them to itself. */
  keys: { key: string; value: { readonly name: string; readonly key: CryptoKey } }
}
export type StoreName = StoreNames<SideloopSchema>

export const databaseName = (namespace: string): string => `sideloop/${namespace}`

/** Every key `[first, …]` of a store with a compound key. Arrays sort behind numbers and strings. */
export const keysUnder = (first: string): IDBKeyRange => IDBKeyRange.bound([first], [first, []])
