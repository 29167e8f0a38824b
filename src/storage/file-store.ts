// The port for the virtual file systems: one tree of paths per scope (a session, or a shared workspace).
import type { BlobId } from './log/content.ts'

/** `path` is absolute and normalised. `version` rises by one with each write. `size` in bytes, `modifiedAt` in epoch milliseconds. */
export type FileEntry = {
  readonly path: string
  readonly size: number
  readonly version: number
  readonly modifiedAt: number
  readonly blob: BlobId
}
export type StoredFile = { readonly entry: FileEntry; readonly bytes: Uint8Array }

/** Errors: the `storage/*` codes; `storage/conflict` when `ifVersion` does not match. */
export interface FileStore {
  read(scope: string, path: string): Promise<StoredFile | undefined>
  /** `ifVersion`: write only if the file has this version now; 0: only if it does not exist. */
  write(
    scope: string,
    path: string,
    bytes: Uint8Array,
    options: { readonly modifiedAt: number; readonly ifVersion?: number },
  ): Promise<FileEntry>
  /** Entries below a folder (`/` for all), sorted by path. */
  list(scope: string, folder: string): Promise<readonly FileEntry[]>
  remove(scope: string, path: string): Promise<void>
  /** Removes the whole tree and the blobs that nobody else uses. */
  removeScope(scope: string): Promise<void>
}
