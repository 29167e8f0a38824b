// Blobs over a Map.
import { blobIdOf } from '../blob-id.ts'
import { type BlobStore, missingBlob } from '../blob-store.ts'
import type { BlobShelf } from './blob-shelf.ts'
import { ownerClaims } from './blob-shelf.ts'

export const memoryBlobStore = (shelf: BlobShelf): BlobStore => ({
  async put(bytes, owner) {
    const copy = bytes.slice()
    const id = await blobIdOf(copy)
    shelf.put(id, copy, ownerClaims(owner))
    return id
  },
  async get(id) {
    return shelf.get(id)
  },
  async claim(ids, owner) {
    const missing = ids.find((id) => !shelf.has(id))
    if (missing !== undefined) throw missingBlob(missing)
    for (const id of ids) shelf.claim(id, ownerClaims(owner))
  },
  async owners(prefix) {
    return shelf.owners().filter((owner) => owner.startsWith(prefix))
  },
  async release(owner) {
    shelf.releaseAll(ownerClaims(owner))
  },
})
