// Where memory stores keep bytes: one copy of each content, alive as long as somebody claims it.
import type { BlobId } from '../log/content.ts'
import type { Room } from './room.ts'

/** Who claims: a session, or one file of a tree. */
export type Claimant = string

export type BlobShelf = {
  /** Errors: `storage/quota`; then nothing has changed. */
  put(id: BlobId, bytes: Uint8Array<ArrayBuffer>, claimant: Claimant): void
  /** A copy. */
  get(id: BlobId): Uint8Array | undefined
  has(id: BlobId): boolean
  /** For what is there; of what is not, nothing becomes. */
  claim(id: BlobId, claimant: Claimant): void
  /** Who claims all that this one claims, besides. */
  share(from: Claimant, to: Claimant): void
  /** The names of the owners, sorted. */
  owners(): readonly string[]
  /** Drops one claim, and the blob if it was the last one. */
  release(id: BlobId, claimant: Claimant): void
  releaseAll(claimant: Claimant): void
}

export const createBlobShelf = (room: Room): BlobShelf => {
  const blobs = new Map<BlobId, { readonly bytes: Uint8Array<ArrayBuffer>; readonly claimants: Set<Claimant> }>()

  const release = (id: BlobId, claimant: Claimant): void => {
    const blob = blobs.get(id)
    if (blob?.claimants.delete(claimant) && blob.claimants.size === 0) blobs.delete(id)
  }

  return {
    put(id, bytes, claimant) {
      const known = blobs.get(id)
      if (known !== undefined) known.claimants.add(claimant)
      else {
        room.take(bytes)
        blobs.set(id, { bytes, claimants: new Set([claimant]) })
      }
    },
    get: (id) => blobs.get(id)?.bytes.slice(),
    has: (id) => blobs.has(id),
    claim: (id, claimant) => void blobs.get(id)?.claimants.add(claimant),
    share(from, to) {
      for (const { claimants } of blobs.values()) if (claimants.has(from)) claimants.add(to)
    },
    owners() {
      const names = Array.from(blobs.values(), ({ claimants }) => [...claimants].flatMap(ownerOf)).flat()
      return [...new Set(names)].sort()
    },
    release,
    releaseAll(claimant) {
      for (const id of [...blobs.keys()]) release(id, claimant)
    },
  }
}

export const ownerClaims = (owner: string): Claimant => JSON.stringify(['owner', owner])
const ownerOf = (claimant: Claimant): readonly string[] => {
  const [kind, name] = JSON.parse(claimant) as readonly string[]
  return kind === 'owner' && name !== undefined ? [name] : []
}
export const fileClaims = (scope: string, path: string): Claimant => JSON.stringify(['file', scope, path])
