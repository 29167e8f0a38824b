// Blobs in IndexedDB, by their content.
import { blobIdOf } from '../blob-id.ts'
import type { BlobStore } from '../blob-store.ts'
import { BLOB_STORES, dropUnclaimed, keepBlob } from './blob-claims.ts'
import type { Database } from './open-database.ts'
import { keysUnder } from './schema.ts'

export const idbBlobStore = (db: Database): BlobStore => ({
  async put(given, owner) {
    // Copied first: the caller may change it while it is hashed, and a view would be stored with all of its buffer.
    const bytes = given.slice()
    const blob = await blobIdOf(bytes)
    await db.write(BLOB_STORES, 'relaxed', (tx, steps) => {
      steps.also(tx.objectStore('claims').put({ owner, blob }))
      return keepBlob(tx, steps, blob, bytes)
    })
    return blob
  },

  async get(id) {
    return (await db.read(['blobs'], (tx) => tx.objectStore('blobs').get(id)))?.bytes
  },

  async release(owner) {
    await db.write(BLOB_STORES, 'relaxed', (tx, steps) =>
      steps.after(tx.objectStore('claims').getAllKeys(keysUnder(owner)), (claims) => {
        steps.also(tx.objectStore('claims').delete(keysUnder(owner)))
        for (const [, blob] of claims) dropUnclaimed(tx, steps, blob)
      }),
    )
  },
})
