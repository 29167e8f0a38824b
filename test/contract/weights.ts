// What every place for weights does: keeps bytes in pieces, goes on where it ended, one writer at a time.
import { describe, expect, test } from 'vitest'
import type { KeptWeights } from '../../src/worker/capabilities/local-models/weights.ts'

/** The port as it is seen from another thread: the same, with promises. */
export type WeightsFromAfar = {
  list(): Promise<readonly KeptWeights[]>
  read(name: string): Promise<Blob | undefined>
  write(name: string): Promise<{
    size(): Promise<number>
    append(bytes: Uint8Array): Promise<void>
    restart(): Promise<void>
    close(): Promise<void>
  }>
  remove(name: string): Promise<void>
}

const bytes = (...values: readonly number[]) => Uint8Array.from(values)
const content = async (blob: Blob | undefined) => (blob === undefined ? undefined : [...new Uint8Array(await blob.arrayBuffer())])

export const weightsSuite = (name: string, open: () => Promise<WeightsFromAfar>): void => {
  describe(`W15 weights kept in ${name}`, () => {
    test('nothing is there at first', async () => {
      const weights = await open()
      expect(await weights.list()).toEqual([])
      expect(await weights.read('a')).toBeUndefined()
      await weights.remove('a')
    })

    test('pieces stand one behind the other, and a later writer goes on where the first one ended', async () => {
      const weights = await open()
      const first = await weights.write('a')
      await first.append(bytes(1, 2))
      await first.append(bytes(3))
      await first.close()
      const second = await weights.write('a')
      expect(await second.size()).toBe(3)
      await second.append(bytes(4))
      await second.close()
      expect(await content(await weights.read('a'))).toEqual([1, 2, 3, 4])
      expect(await weights.list()).toEqual([{ name: 'a', size: 4 }])
    })

    test('a writer may begin anew', async () => {
      const weights = await open()
      const writer = await weights.write('a')
      await writer.append(bytes(1, 2, 3))
      await writer.restart()
      expect(await writer.size()).toBe(0)
      await writer.append(bytes(9))
      await writer.close()
      expect(await content(await weights.read('a'))).toEqual([9])
    })

    test('a second writer is refused, as is removing, until the first one is done', async () => {
      const weights = await open()
      const writer = await weights.write('a')
      await expect(weights.write('a')).rejects.toMatchObject({ code: 'storage/conflict' })
      await expect(weights.remove('a')).rejects.toMatchObject({ code: 'storage/conflict' })
      const other = await weights.write('b')
      await other.close()
      await writer.close()
      await weights.remove('a')
      expect((await weights.list()).map((kept) => kept.name)).toEqual(['b'])
    })
  })
}
