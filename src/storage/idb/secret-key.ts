// The key that secrets are encrypted with: made once per database, and never to be taken out of the browser.
import { SideloopError } from '../log/errors.ts'
import type { Database } from './open-database.ts'

const NAME = 'secrets'

const generate = async (): Promise<CryptoKey> => {
  if (globalThis.crypto?.subtle === undefined) {
    throw new SideloopError(
      'storage/unavailable',
      'Keys cannot be stored safely here, because the browser offers cryptography only to secure pages. Open this page over https or from localhost.',
    )
  }
  return crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

export const findSecretKey = async (db: Database): Promise<CryptoKey | undefined> =>
  (await db.read(['keys'], (tx) => tx.objectStore('keys').get(NAME)))?.key

/** Of two tabs that make one at the same time, the first wins and both use it. */
export const getSecretKey = async (db: Database): Promise<CryptoKey> => {
  const known = await findSecretKey(db)
  if (known !== undefined) return known
  const made = await generate()
  return db.write(['keys'], 'strict', (tx, steps) =>
    steps.after(tx.objectStore('keys').get(NAME), (stored) => {
      if (stored !== undefined) return stored.key
      steps.also(tx.objectStore('keys').add({ name: NAME, key: made }))
      return made
    }),
  )
}
