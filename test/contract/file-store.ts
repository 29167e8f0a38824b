// The suite of the file port: every adapter runs it.
import { describe, expect, it } from 'vitest'
import type { FileStore } from '../../src/storage/file-store.ts'
import { expectCode } from './expect-code.ts'
import type { StorageHarness } from './storage-harness.ts'
import { withStorage } from './with-storage.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const AT = { modifiedAt: 1_700_000_000_000 }

export const fileStoreSuite = (harness: StorageHarness): void => {
  describe(`file store: ${harness.name}`, () => {
    const storage = withStorage(harness)
    const here = (): FileStore => storage().here.files
    const there = (): FileStore => storage().there.files
    const paths = async (scope: string, folder: string): Promise<readonly string[]> =>
      (await there().list(scope, folder)).map((entry) => entry.path)

    it('S1 a file is read back with its size, time, version and content', async () => {
      const entry = await here().write('s1', '/notes/täglich.md', bytesOf('Hé'), AT)
      expect(entry).toEqual({ path: '/notes/täglich.md', size: 3, version: 1, modifiedAt: AT.modifiedAt, blob: entry.blob })
      expect(await there().read('s1', '/notes/täglich.md')).toEqual({ entry, bytes: bytesOf('Hé') })
      expect(await storage().there.blobs.get(entry.blob)).toEqual(bytesOf('Hé'))
      expect(Object.isFrozen(entry)).toBe(true)
      expect(await here().read('s1', '/none')).toBeUndefined()
      expect(await here().read('s2', '/notes/täglich.md')).toBeUndefined()
    })

    it('the version rises by one with each write', async () => {
      for (const version of [1, 2, 3]) {
        expect((await here().write('s1', '/a', bytesOf(`${version}`), { modifiedAt: version })).version).toBe(version)
      }
      expect((await there().read('s1', '/a'))?.entry).toMatchObject({ version: 3, modifiedAt: 3 })
    })

    it('a write that expects another version is refused and changes nothing', async () => {
      await here().write('s1', '/a', bytesOf('one'), { ...AT, ifVersion: 0 })
      await expectCode(there().write('s1', '/a', bytesOf('two'), { ...AT, ifVersion: 0 }), 'storage/conflict')
      await expectCode(there().write('s1', '/a', bytesOf('two'), { ...AT, ifVersion: 2 }), 'storage/conflict')
      await expectCode(there().write('s1', '/b', bytesOf('two'), { ...AT, ifVersion: 1 }), 'storage/conflict')
      expect((await here().read('s1', '/a'))?.bytes).toEqual(bytesOf('one'))
      expect(await paths('s1', '/')).toEqual(['/a'])
      expect((await there().write('s1', '/a', bytesOf('two'), { ...AT, ifVersion: 1 })).version).toBe(2)
    })

    it('of two that write the same version at the same time exactly one wins', async () => {
      await here().write('s1', '/a', bytesOf('start'), AT)
      const outcomes = await Promise.allSettled([
        here().write('s1', '/a', bytesOf('here'), { ...AT, ifVersion: 1 }),
        there().write('s1', '/a', bytesOf('there'), { ...AT, ifVersion: 1 }),
      ])
      expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected'])
      expect((await here().read('s1', '/a'))?.entry.version).toBe(2)
    })

    it('a list holds what is below the folder, at any depth, sorted by path', async () => {
      for (const path of ['/b', '/a/z', '/a/b/c', '/a.txt', '/ab', '/a0', '/a/é', '/a/😀'])
        await here().write('s1', path, bytesOf(path), AT)
      await here().write('s10', '/a/other', bytesOf('x'), AT)
      expect(await paths('s1', '/a')).toEqual(['/a/b/c', '/a/z', '/a/é', '/a/😀'])
      expect(await paths('s1', '/')).toEqual(['/a.txt', '/a/b/c', '/a/z', '/a/é', '/a/😀', '/a0', '/ab', '/b'])
      expect(await paths('s1', '/a/b')).toEqual(['/a/b/c'])
      expect(await paths('s1', '/none')).toEqual([])
      expect(await paths('empty', '/')).toEqual([])
    })

    it('paths that are not absolute and normalised are refused', async () => {
      for (const path of ['a', '', '/', '/a/', '/a//b', '/../a', '/a/./b', '/a/..', '/nul\0']) {
        await expectCode(here().write('s1', path, bytesOf('x'), AT), 'command/invalid')
        await expectCode(here().read('s1', path), 'command/invalid')
        await expectCode(here().remove('s1', path), 'command/invalid')
      }
      await expectCode(here().list('s1', '/a/'), 'command/invalid')
      await expectCode(here().list('s1', '..'), 'command/invalid')
    })

    it('names such as __proto__ are plain names', async () => {
      await here().write('__proto__', '/__proto__', bytesOf('x'), AT)
      expect(await paths('__proto__', '/')).toEqual(['/__proto__'])
      expect((await there().read('__proto__', '/__proto__'))?.bytes).toEqual(bytesOf('x'))
    })

    it('a removed file is gone; removing what is not there is no error', async () => {
      await here().write('s1', '/a', bytesOf('x'), AT)
      await here().remove('s1', '/a')
      await here().remove('s1', '/a')
      expect(await there().read('s1', '/a')).toBeUndefined()
      expect((await here().write('s1', '/a', bytesOf('y'), AT)).version).toBe(1)
    })

    it('S13 content lives as long as a file or an owner has it', async () => {
      const { blobs } = storage().here
      const { blob } = await here().write('s1', '/a', bytesOf('same'), AT)
      await here().write('s1', '/b', bytesOf('same'), AT)
      await here().write('s2', '/a', bytesOf('same'), AT)
      await blobs.put(bytesOf('same'), 'owner')
      await here().write('s1', '/a', bytesOf('changed'), AT)
      await here().remove('s1', '/b')
      expect(await blobs.get(blob)).toBeDefined()
      await here().removeScope('s2')
      expect(await blobs.get(blob)).toBeDefined()
      await blobs.release('owner')
      expect(await blobs.get(blob)).toBeUndefined()
    })

    it('S13 removing a scope takes its tree and its content, and nothing of another scope', async () => {
      const { blob } = await here().write('s1', '/a', bytesOf('mine'), AT)
      const shared = await here().write('s1', '/b/c', bytesOf('shared'), AT)
      await here().write('s10', '/b', bytesOf('shared'), AT)
      await here().removeScope('s1')
      await here().removeScope('none')
      expect(await paths('s1', '/')).toEqual([])
      expect(await paths('s10', '/')).toEqual(['/b'])
      expect(await storage().there.blobs.get(blob)).toBeUndefined()
      expect(await storage().there.blobs.get(shared.blob)).toEqual(bytesOf('shared'))
    })

    it('S4 with no room left the file stays as it was; after room was made it is written', async () => {
      await here().write('s1', '/a', bytesOf('old'), AT)
      const bytes = new Uint8Array(5_000).map((_, i) => i * 7)
      await storage().fill()
      await expectCode(here().write('s1', '/a', bytes, AT), 'storage/quota')
      expect(await here().read('s1', '/a')).toMatchObject({ entry: { version: 1 }, bytes: bytesOf('old') })
      await storage().makeRoom()
      expect((await here().write('s1', '/a', bytes, AT)).version).toBe(2)
      expect((await there().read('s1', '/a'))?.bytes).toEqual(bytes)
    })
  })
}
