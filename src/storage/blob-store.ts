// The port for bytes by their content: attachments, spilled results, pictures.
import type { BlobId } from './log/content.ts'

export interface BlobStore {
  /** Storing the same bytes twice keeps one copy. `owner` (a session id) keeps it alive until `release`. */
  put(bytes: Uint8Array, owner: string): Promise<BlobId>
  get(id: BlobId): Promise<Uint8Array | undefined>
  /** Drops an owner's claims, and the blobs that then have none. */
  release(owner: string): Promise<void>
}
