// The port for bytes by their content: attachments, spilled results, pictures.
import type { BlobId } from './log/content.ts'
import { SideloopError } from './log/errors.ts'

export interface BlobStore {
  /** Storing the same bytes twice keeps one copy. `owner` (a session id) keeps it alive until `release`. */
  put(bytes: Uint8Array, owner: string): Promise<BlobId>
  get(id: BlobId): Promise<Uint8Array | undefined>
  /** Keeps alive what is stored already. Errors: `storage/lost` if one of them is not there; then none is claimed. */
  claim(ids: readonly BlobId[], owner: string): Promise<void>
  /** Who claims something and has a name that begins so. Files are no owners. */
  owners(prefix: string): Promise<readonly string[]>
  /** Drops an owner's claims, and the blobs that then have none. */
  release(owner: string): Promise<void>
}

export const missingBlob = (id: BlobId): SideloopError =>
  new SideloopError(
    'storage/lost',
    `The content ${id} is not stored here any more. It may have been changed or removed meanwhile; try again.`,
  )
