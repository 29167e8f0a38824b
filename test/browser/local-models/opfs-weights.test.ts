// Weights in the real private file system of the origin, written by a real worker.
import { wrap } from 'comlink'
import { afterAll, expect, test } from 'vitest'
import { installErrorTransfer } from '../../../src/worker/client/error-transfer.ts'
import { type WeightsFromAfar, weightsSuite } from '../../contract/weights.ts'

installErrorTransfer()
const workers: Worker[] = []
const folders: string[] = []
const open = (folder: string): WeightsFromAfar => {
  const worker = new Worker(new URL('./weights.worker.ts', import.meta.url), { type: 'module', name: folder })
  workers.push(worker)
  folders.push(folder)
  return wrap<WeightsFromAfar>(worker)
}
afterAll(async () => {
  for (const worker of workers) worker.terminate()
  const root = await navigator.storage.getDirectory()
  for (const folder of new Set(folders)) await root.removeEntry(folder, { recursive: true })
})

weightsSuite('the private file system', async () => open(`weights-${crypto.randomUUID()}`))

test('W15 what a worker wrote is there for the next one, also after it was killed', async () => {
  const folder = `weights-${crypto.randomUUID()}`
  const writer = await open(folder).write('model')
  await writer.append(Uint8Array.of(7, 8, 9))
  workers.at(-1)?.terminate()
  const next = open(folder)
  await expect.poll(async () => (await next.list()).map(({ size }) => size)).toEqual([3])
  await expect.poll(() => next.write('model').then((again) => again.size(), String)).toBe(3)
})
