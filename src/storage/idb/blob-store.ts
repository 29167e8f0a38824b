// Blobs in IndexedDB, by their content.
import { blobIdOf } from '../blob-id.ts'
import { type BlobStore, missingBlob } from '../blob-store.ts'
import { BLOB_STORES, claimsOf, dropUnclaimed, keepBlob } from './blob-claims.ts'
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

  async claim(ids, owner) {
    await db.write(['blobs', 'claims'], 'relaxed', (tx, steps) => {
      for (const blob of new Set(ids)) {
        steps.also(tx.objectStore('claims').put({ owner, blob }))
        steps.after(tx.objectStore('blobs').getKey(blob), (known) => {
          if (known === undefined) throw missingBlob(blob)
        })
      }
    })
  },

  owners: (prefix) =>
    db.read(['claims'], (tx, steps) => {
      const owners: string[] = []
      const beyond = [`${prefix}\uffff`]
      /** From one owner to the next, over all that it claims. */
      const goOn = (from: IDBValidKey): Promise<readonly string[]> =>
        steps.after(tx.objectStore('claims').openKeyCursor(IDBKeyRange.bound(from, beyond)), (cursor) => {
          if (cursor === null) return owners
          const [owner] = cursor.key
          owners.push(owner)
          return goOn([owner, []])
        })
      return goOn([prefix])
    }),

  async release(owner) {
    await db.write(BLOB_STORES, 'relaxed', (tx, steps) =>
      steps.after(tx.objectStore('claims').getAllKeys(keysUnder(owner)), (claims) => {
        steps.also(tx.objectStore('claims').delete(keysUnder(owner)))
        for (const [, blob] of claims) dropUnclaimed(claimsOf(tx), steps, blob)
      }),
    )
  },
})
