// A blob lives as long as somebody claims it: an owner by name, or a file that has it as its content.
import type { BlobId } from '../log/content.ts'
import type { Steps, Transaction } from './transact.ts'

type BlobStores = readonly ['blobs', 'claims', 'files']
export const BLOB_STORES: BlobStores = ['blobs', 'claims', 'files']
export type BlobTransaction = Transaction<BlobStores, 'readwrite'>

/** Stores the bytes if they are not there yet. */
export const keepBlob = (tx: BlobTransaction, steps: Steps, id: BlobId, bytes: Uint8Array<ArrayBuffer>): Promise<void> =>
  steps.after(tx.objectStore('blobs').getKey(id), (known) => {
    if (known === undefined) steps.also(tx.objectStore('blobs').add({ id, bytes }))
  })

type Counted = { count(id: BlobId): Promise<number> }
/** What it takes to let a blob go, from a transaction that may be about other stores too. */
export type Claims = {
  readonly claims: { index(name: 'blob'): Counted }
  readonly files: { index(name: 'blob'): Counted }
  readonly blobs: { delete(id: BlobId): Promise<void> }
}

export const claimsOf = (tx: BlobTransaction): Claims => ({
  claims: tx.objectStore('claims'),
  files: tx.objectStore('files'),
  blobs: tx.objectStore('blobs'),
})

/** Removes the blob if nobody claims it any more. Called after the claim is gone. */
export const dropUnclaimed = ({ claims, files, blobs }: Claims, steps: Steps, id: BlobId): void => {
  steps.after(claims.index('blob').count(id), (owners) => {
    if (owners > 0) return
    steps.after(files.index('blob').count(id), (holders) => {
      if (holders === 0) steps.also(blobs.delete(id))
    })
  })
}
