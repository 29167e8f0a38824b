// The suite of the port for whole sessions: forks, arrivals and removals, each all or nothing. Every adapter runs it.
import { describe, expect, it } from 'vitest'
import type { TreeEntry } from '../../src/storage/file-tree.ts'
import type { BlobId } from '../../src/storage/log/content.ts'
import { packEvents } from '../../src/storage/log/delta-runs.ts'
import type { SessionEvent } from '../../src/storage/log/events.ts'
import type { SessionFork } from '../../src/storage/whole-sessions.ts'
import { expectCode } from './expect-code.ts'
import { eventOf, foreign, logOf, rowOf, START, waitingOf } from './session-samples.ts'
import type { StorageHarness } from './storage-harness.ts'
import { withStorage } from './with-storage.ts'

const ALL = { after: -1 }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const titleAt = (seq: number): SessionEvent => eventOf(seq, 'session/title', { title: 'Again', by: 'user' })
const forkOf = (length: number, part: Partial<SessionFork> = {}): SessionFork => ({
  from: 's1',
  length,
  row: rowOf('s2', { title: 'Fork' }),
  more: [],
  files: [],
  ...part,
})

export const wholeSessionsSuite = (harness: StorageHarness): void => {
  describe(`whole sessions: ${harness.name}`, () => {
    const storage = withStorage(harness)
    const here = () => storage().here
    const there = () => storage().there

    /** A session with a log, something that waits, a file and a claim. */
    const session = async (id: string, lengths: readonly number[]): Promise<number> => {
      await here().sessions.create(rowOf(id))
      const { epoch } = await here().sessions.claim(id)
      let from = 0
      for (const length of lengths) {
        await here().sessions.commit({ sessionId: id, epoch, events: logOf(length, from), inbox: [waitingOf('m1')] }, 'relaxed')
        from = length
      }
      await here().files.write(id, '/now', bytesOf(`now in ${id}`), { modifiedAt: START })
      await here().blobs.put(bytesOf('then'), id)
      return epoch
    }
    const entryOf = async (path: string, text: string): Promise<TreeEntry> => {
      const blob = await here().blobs.put(bytesOf(text), 's1')
      return { path, blob, size: text.length, modifiedAt: START + 1 }
    }
    const stored = async (blob: BlobId): Promise<boolean> => (await there().blobs.get(blob)) !== undefined

    describe('outline', () => {
      it('S11 an outline is the log up to a seq without the pieces of replies, however it is packed', async () => {
        await session('s1', [10, 400, 2_500])
        const whole = logOf(2_500).filter(({ type }) => type !== 'assistant/chunk')
        for (const before of [0, 1, 2, 3, 9, 10, 11, 399, 401, 1_400, 2_500]) {
          expect(await there().whole.outline('s1', { before })).toEqual(whole.slice(0, Math.min(before, 3)))
        }
      })

      it('S11 what cannot be read is refused, and so is more than there is', async () => {
        const epoch = await session('s1', [5])
        await expectCode(here().whole.outline('s1', { before: 6 }), 'command/invalid')
        await expectCode(here().whole.outline('none', { before: 0 }), 'session/unknown')
        const unknown = foreign<SessionEvent>({ type: 'future/thing', seq: 5, time: START, data: {} })
        await here().sessions.commit({ sessionId: 's1', epoch, events: [unknown] }, 'relaxed')
        await expectCode(here().whole.outline('s1', { before: 6 }), 'session/invalid')
        expect(await here().whole.outline('s1', { before: 5 })).toEqual(logOf(3))
      })
    })

    describe('fork', () => {
      it.each([0, 1, 3, 9, 10, 11, 200, 399, 400, 1_399, 1_400, 2_499, 2_500])(
        'S11 a fork of %i events has exactly those, wherever they lie',
        async (length) => {
          await session('s1', [10, 400, 2_500])
          await here().whole.fork(forkOf(length, { more: [titleAt(length)] }))
          expect(await there().sessions.read('s2', ALL)).toEqual([...logOf(length), titleAt(length)])
          expect(await there().sessions.get('s2')).toEqual({ ...rowOf('s2', { title: 'Fork' }), nextSeq: length + 1, epoch: 0 })
          expect(await there().sessions.waiting('s2')).toEqual([])
          expect(await there().sessions.read('s1', ALL)).toEqual(logOf(2_500))
        },
      )

      it('S11 a fork of many small segments is whole, and both can be written to', async () => {
        const epoch = await session(
          's1',
          Array.from({ length: 100 }, (_, i) => i + 3),
        )
        await here().whole.fork(forkOf(97))
        const claimed = await there().sessions.claim('s2')
        await there().sessions.commit({ sessionId: 's2', epoch: claimed.epoch, events: [titleAt(97)] }, 'strict')
        await here().sessions.commit({ sessionId: 's1', epoch, events: logOf(104, 102) }, 'strict')
        expect(await here().sessions.read('s2', ALL)).toEqual([...logOf(97), titleAt(97)])
        expect(await here().sessions.read('s1', ALL)).toEqual(logOf(104))
      })

      it('S11 its files are those that it was given, in version 1, and its claims are those of the other', async () => {
        await session('s1', [5])
        const files = [await entryOf('/old', 'was here'), await entryOf('/same', 'now in s1')]
        await here().whole.fork(forkOf(5, { files }))
        expect(await there().files.list('s2', '/')).toEqual(files.map((file) => ({ ...file, version: 1 })))
        expect((await there().files.read('s2', '/old'))?.bytes).toEqual(bytesOf('was here'))
        expect((await there().files.list('s1', '/')).map(({ path }) => path)).toEqual(['/now'])
      })

      it('S11 S13 removing either leaves the other whole, and removing both leaves no blob', async () => {
        for (const [first, second] of [
          ['s1', 's2'],
          ['s2', 's1'],
        ] as const) {
          await session('s1', [5])
          const files = [await entryOf('/old', 'was here')]
          const then = await here().blobs.put(bytesOf('then'), 's1')
          await here().whole.fork(forkOf(4, { files }))
          await here().whole.remove(first)
          expect(await there().sessions.read(second, ALL)).toEqual(logOf(second === 's1' ? 5 : 4))
          expect(await stored(then)).toBe(true)
          expect(await stored(files[0]!.blob)).toBe(true)
          await here().whole.remove(second)
          expect(await stored(then)).toBe(false)
          expect(await stored(files[0]!.blob)).toBe(false)
        }
      })

      it('S11 a fork that is refused leaves nothing: no row, no event, no file, no claim', async () => {
        await session('s1', [5])
        const files = [await entryOf('/old', 'was here')]
        await expectCode(here().whole.fork(forkOf(6, { files })), 'command/invalid')
        await expectCode(here().whole.fork(forkOf(5, { files, more: [titleAt(7)] })), 'session/invalid')
        await expectCode(here().whole.fork(forkOf(5, { from: 'none', files })), 'session/unknown')
        await expectCode(here().whole.fork(forkOf(5, { files: [{ ...files[0]!, path: '/../x' }] })), 'command/invalid')
        expect(await there().sessions.get('s2')).toBeUndefined()
        expect(await there().files.list('s2', '/')).toEqual([])
        expect(await there().blobs.owners('')).toEqual(['s1'])
        await session('s2', [3])
        await expectCode(here().whole.fork(forkOf(5, { files })), 'storage/conflict')
        expect(await there().sessions.read('s2', ALL)).toEqual(logOf(3))
        expect((await there().files.list('s2', '/')).map(({ path }) => path)).toEqual(['/now'])
      })

      it('S4 with no room left nothing of a fork is there; after room was made it is made', async () => {
        await session('s1', [5])
        await storage().fill()
        const more = [eventOf(5, 'plugin/noted', { plugin: 'test', data: 'x'.repeat(5_000) })]
        await expectCode(here().whole.fork(forkOf(5, { more })), 'storage/quota')
        expect(await there().sessions.get('s2')).toBeUndefined()
        await storage().makeRoom()
        await here().whole.fork(forkOf(5, { more }))
        expect(await there().sessions.read('s2', ALL)).toEqual([...logOf(5), ...more])
      })
    })

    describe('arrivals', () => {
      const parts = [packEvents(logOf(1_000)), packEvents(logOf(1_500, 1_000))]

      it('S12 sessions arrive together with their events, files and claims, which they take over from their holder', async () => {
        const [text, picture] = [await here().blobs.put(bytesOf('text'), 'holder'), await here().blobs.put(bytesOf('picture'), 'holder')]
        const files = [{ path: '/a', blob: text, size: 4, modifiedAt: START }]
        await here().whole.add(
          [
            { row: rowOf('s1'), parts, files, blobs: [picture] },
            { row: rowOf('s2'), parts: [], files: [], blobs: [picture] },
          ],
          'holder',
        )
        expect(await there().sessions.read('s1', ALL)).toEqual(logOf(1_500))
        expect(await there().sessions.get('s1')).toEqual({ ...rowOf('s1'), nextSeq: 1_500, epoch: 0 })
        expect((await there().sessions.claim('s1')).nextSeq).toBe(1_500)
        expect(await there().sessions.read('s2', ALL)).toEqual([])
        expect((await there().files.read('s1', '/a'))?.bytes).toEqual(bytesOf('text'))
        expect(await there().blobs.owners('')).toEqual(['s1', 's2'])
        await here().whole.remove('s1')
        expect([await stored(text), await stored(picture)]).toEqual([false, true])
        await here().whole.remove('s2')
        expect(await stored(picture)).toBe(false)
      })

      it('S12 if one id is taken none arrives, and the holder keeps its claims', async () => {
        await session('s2', [3])
        const blob = await here().blobs.put(bytesOf('text'), 'holder')
        const arrivals = ['s1', 's2', 's3'].map((id) => ({ row: rowOf(id), parts, files: [], blobs: [blob] }))
        await expectCode(here().whole.add(arrivals, 'holder'), 'storage/conflict')
        expect((await there().sessions.list({})).map(({ id }) => id)).toEqual(['s2'])
        expect(await there().sessions.read('s2', ALL)).toEqual(logOf(3))
        expect(await there().blobs.owners('')).toEqual(['holder', 's2'])
      })
    })

    it('S13 a removed session is gone with its events, inbox, files and claims; its neighbours and what they share stay', async () => {
      for (const id of ['s', 's1', 's10']) await session(id, [6])
      const now = (await here().files.list('s1', '/'))[0]!.blob
      const then = await here().blobs.put(bytesOf('then'), 's1')
      await here().whole.remove('s1')
      await here().whole.remove('none')
      expect(await there().sessions.get('s1')).toBeUndefined()
      expect(await there().files.list('s1', '/')).toEqual([])
      expect([await stored(now), await stored(then)]).toEqual([false, true])
      for (const id of ['s', 's10']) {
        expect(await there().sessions.read(id, ALL)).toEqual(logOf(6))
        expect(await there().sessions.waiting(id)).toHaveLength(1)
        expect((await there().files.read(id, '/now'))?.bytes).toEqual(bytesOf(`now in ${id}`))
      }
      await here().sessions.create(rowOf('s1'))
      expect(await there().sessions.read('s1', ALL)).toEqual([])
      expect(await there().sessions.waiting('s1')).toEqual([])
    })
  })
}
