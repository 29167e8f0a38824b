// What lies in the database of a secret, and what happens when it can no longer be read (S14).
import type { IDBPDatabase } from 'idb'
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import type { SideloopSchema } from '../../../src/storage/idb/schema.ts'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { expectCode } from '../../contract/expect-code.ts'
import { freshNamespace } from './idb-harness.ts'

const SECRET = 'sk-not-to-be-found-anywhere'

let name = ''
let stores: Stores
let raw: IDBPDatabase<SideloopSchema>

beforeEach(async () => {
  const namespace = freshNamespace()
  name = databaseName(namespace)
  stores = openIdbStorage({ namespace })
  await stores.secrets.set('vendor', SECRET)
  raw = await openDB<SideloopSchema>(name)
})
afterEach(async () => {
  vi.restoreAllMocks()
  raw.close()
  stores.close()
  await deleteDB(name)
})

describe('secrets at rest', () => {
  it('S14 the value is nowhere in the database', async () => {
    for (const store of raw.objectStoreNames) {
      for (const row of await raw.getAll(store)) {
        for (const value of Object.values(row)) {
          const bytes =
            value instanceof ArrayBuffer || value instanceof Uint8Array ? new TextDecoder('latin1').decode(value) : JSON.stringify(value)
          expect(bytes).not.toContain(SECRET)
        }
      }
    }
  })

  it('S14 the key that encrypts cannot be taken out of the browser', async () => {
    const [stored] = await raw.getAll('keys')
    expect(stored?.key).toBeInstanceOf(CryptoKey)
    expect(stored?.key.extractable).toBe(false)
    expect(stored?.key.algorithm).toEqual({ name: 'AES-GCM', length: 256 })
    await expect(crypto.subtle.exportKey('raw', stored!.key)).rejects.toThrow()
  })

  it('S14 every write has a fresh initialisation vector of 12 bytes', async () => {
    const vectors = new Set<string>()
    for (let i = 0; i < 20; i++) {
      await stores.secrets.set('vendor', SECRET)
      const iv = (await raw.get('secrets', 'vendor'))!.iv
      expect(iv.byteLength).toBe(12)
      vectors.add(iv.join())
    }
    expect(vectors.size).toBe(20)
  })

  it('a secret whose key is gone is an error that says so without telling anything, stays listed, and can be set again', async () => {
    await raw.clear('keys')
    const error = await expectCode(stores.secrets.get('vendor'), 'storage/lost')
    expect(error.message).toContain('"vendor"')
    expect(error.message).toContain('Enter it again')
    expect(error.cause).toBeUndefined()
    expect(await stores.secrets.names()).toEqual(['vendor'])
    await stores.secrets.set('vendor', 'sk-new')
    expect(await stores.secrets.get('vendor')).toBe('sk-new')
  })

  it('S14 the bytes of one secret cannot be passed off as another', async () => {
    const stored = (await raw.get('secrets', 'vendor'))!
    await raw.put('secrets', { ...stored, name: 'other-server' })
    await expectCode(stores.secrets.get('other-server'), 'storage/lost')
    await raw.put('secrets', { ...stored, cipher: new Uint8Array([...new Uint8Array(stored.cipher)].reverse()).buffer })
    await expectCode(stores.secrets.get('vendor'), 'storage/lost')
  })

  it('S14 a failure to store a secret does not tell it', async () => {
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    const error = await expectCode(stores.secrets.set('vendor', SECRET), 'storage/quota')
    expect(`${error.message} ${String(error.cause)} ${error.stack}`).not.toContain(SECRET)
  })

  it('where the browser has no cryptography the error says what to do', async () => {
    await raw.clear('keys')
    vi.spyOn(globalThis, 'crypto', 'get').mockReturnValue(foreignCrypto())
    const error = await expectCode(stores.secrets.set('vendor', SECRET), 'storage/unavailable')
    expect(error.message).toContain('https')
    await expectCode(stores.blobs.put(new Uint8Array(3), 's1'), 'storage/unavailable')
  })
})

/** As in a page that came over plain http from another machine. */
const foreignCrypto = (): Crypto => Object.create(null, { subtle: { value: undefined } })
