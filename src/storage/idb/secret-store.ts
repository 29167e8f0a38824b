// Provider keys in IndexedDB, encrypted (AES-GCM) with a key that no script can take out.
import { SideloopError } from '../log/errors.ts'
import type { SecretStore } from '../secret-store.ts'
import type { Database } from './open-database.ts'
import type { StoredSecret } from './schema.ts'
import { findSecretKey, getSecretKey } from './secret-key.ts'

/** Bytes; what AES-GCM is specified for. Random and never used twice with one key. */
const IV_LENGTH = 12

/** The name is bound in, so that one secret's bytes cannot be passed off as another's. */
const algorithm = (name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(name),
})

/** Nothing of what failed is passed on: neither value nor cipher may reach an error message. */
const unreadable = (name: string): SideloopError =>
  new SideloopError(
    'storage/lost',
    `The saved key "${name}" can no longer be read, because the browser has lost what it was encrypted with. Enter it again in the settings.`,
  )

const decrypt = async (db: Database, { name, iv, cipher }: StoredSecret): Promise<string> => {
  const key = await findSecretKey(db)
  if (key === undefined) throw unreadable(name)
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm(name, iv), key, cipher))
  } catch {
    throw unreadable(name)
  }
}

/**
 * `get` of a name that was never set is undefined; of one that cannot be decrypted any more, `storage/lost`. Such a name stays in
 * `names`, so that a person sees what to enter again, and can be set anew or removed.
 */
export const idbSecretStore = (db: Database): SecretStore => ({
  async set(name, value) {
    const key = await getSecretKey(db)
    const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH))
    const cipher = await crypto.subtle.encrypt(algorithm(name, iv), key, new TextEncoder().encode(value))
    await db.write(['secrets'], 'strict', (tx) => tx.objectStore('secrets').put({ name, iv, cipher }))
  },
  async get(name) {
    const secret = await db.read(['secrets'], (tx) => tx.objectStore('secrets').get(name))
    return secret && decrypt(db, secret)
  },
  async names() {
    return Object.freeze(await db.read(['secrets'], (tx) => tx.objectStore('secrets').getAllKeys()))
  },
  async remove(name) {
    await db.write(['secrets'], 'strict', (tx) => tx.objectStore('secrets').delete(name))
  },
})
