// The suite of the blob port: every adapter runs it.
import { describe, expect, it } from 'vitest'
import type { BlobStore } from '../../src/storage/blob-store.ts'
import { expectCode } from './expect-code.ts'
import type { StorageHarness } from './storage-harness.ts'
import { withStorage } from './with-storage.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const ABC = 'sha256-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const EMPTY = 'sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export const blobStoreSuite = (harness: StorageHarness): void => {
  describe(`blob store: ${harness.name}`, () => {
    const storage = withStorage(harness)
    const here = (): BlobStore => storage().here.blobs
    const there = (): BlobStore => storage().there.blobs

    it('S1 a blob is named by the SHA-256 of its bytes', async () => {
      expect(await here().put(bytesOf('abc'), 's1')).toBe(ABC)
      expect(await there().get(ABC)).toEqual(bytesOf('abc'))
      expect(await here().put(new Uint8Array(), 's1')).toBe(EMPTY)
      expect(await there().get(EMPTY)).toEqual(new Uint8Array())
      expect(await here().get('sha256-none')).toBeUndefined()
    })

    it('S13 a blob lives until the last of its owners let it go', async () => {
      await here().put(bytesOf('abc'), 's1')
      await here().put(bytesOf('abc'), 's1')
      await there().put(bytesOf('abc'), 's2')
      await here().release('s1')
      expect(await there().get(ABC)).toEqual(bytesOf('abc'))
      await here().release('s2')
      expect(await there().get(ABC)).toBeUndefined()
    })

    it('letting go takes the blobs of that owner only, and of an unknown owner none', async () => {
      await here().put(bytesOf('abc'), 's1')
      const own = await here().put(bytesOf('own'), 's')
      await here().release('nobody')
      await here().release('s')
      expect(await here().get(own)).toBeUndefined()
      expect(await here().get(ABC)).toEqual(bytesOf('abc'))
    })

    it('S13 a blob that is there can be claimed by more owners; if one is not there, none is claimed', async () => {
      await here().put(bytesOf('abc'), 's1')
      await expectCode(here().claim([ABC, EMPTY], 's2'), 'storage/lost')
      expect(await there().owners('')).toEqual(['s1'])
      await here().claim([ABC, ABC], 's2')
      await here().claim([], 's3')
      await here().release('s1')
      expect(await there().get(ABC)).toEqual(bytesOf('abc'))
      await here().release('s2')
      expect(await there().get(ABC)).toBeUndefined()
    })

    it('S13 owners are found by how their names begin, each once', async () => {
      for (const owner of ['import/b', 's1', 'import/a', 'import', 'importer']) {
        await here().put(bytesOf('abc'), owner)
        await here().put(bytesOf(owner), owner)
      }
      expect(await there().owners('import/')).toEqual(['import/a', 'import/b'])
      expect(await there().owners('')).toEqual(['import', 'import/a', 'import/b', 'importer', 's1'])
      expect(await there().owners('x')).toEqual([])
    })

    it('what the caller does with its bytes afterwards changes nothing', async () => {
      const bytes = bytesOf('abc')
      const put = here().put(bytes, 's1')
      bytes.fill(0)
      expect(await put).toBe(ABC)
      const read = await here().get(ABC)
      read?.fill(0)
      expect(await here().get(ABC)).toEqual(bytesOf('abc'))
    })

    it('of a view only what it shows is stored', async () => {
      const whole = bytesOf(`abc${'x'.repeat(10_000)}`)
      expect(await here().put(whole.subarray(0, 3), 's1')).toBe(ABC)
      expect((await there().get(ABC))?.buffer.byteLength).toBe(3)
    })

    it('S4 with no room left a blob is a typed error and is not there; after room was made it is', async () => {
      const bytes = new Uint8Array(5_000).map((_, i) => i * 31)
      await storage().fill()
      await expectCode(here().put(bytes, 's1'), 'storage/quota')
      await storage().makeRoom()
      const id = await here().put(bytes, 's1')
      expect(await there().get(id)).toEqual(bytes)
    })
  })
}
