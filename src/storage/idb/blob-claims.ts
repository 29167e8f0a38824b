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

/** Removes the blob if nobody claims it any more. Called after the claim is gone. */
export const dropUnclaimed = (tx: BlobTransaction, steps: Steps, id: BlobId): void => {
  steps.after(tx.objectStore('claims').index('blob').count(id), (owners) => {
    if (owners > 0) return
    steps.after(tx.objectStore('files').index('blob').count(id), (files) => {
      if (files === 0) steps.also(tx.objectStore('blobs').delete(id))
    })
  })
}
