// H5: a page learns at once that its worker is gone, however it went; a real worker, a real lock.
import { expect, test } from 'vitest'
import { followLife } from '../../../src/worker/client/lifeline.ts'

const script = `
  let name = 'test-life/' + crypto.randomUUID()
  navigator.locks.request(name, () => { postMessage(name); return new Promise(() => {}) })
  onmessage = () => self.close()
`
const startWorker = async (): Promise<{ readonly worker: Worker; readonly name: string }> => {
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })))
  const name = await new Promise<string>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data)
  })
  return { worker, name }
}

test.each([
  ['that ends itself', (worker: Worker) => worker.postMessage('end')],
  ['that is ended', (worker: Worker) => worker.terminate()],
])('H5 a worker %s is known to be gone within a second', async (_how, end) => {
  const { worker, name } = await startWorker()
  const { ended } = followLife(name)
  const began = performance.now()
  end(worker)
  await ended
  expect(performance.now() - began).toBeLessThan(1_000)
})

test('H5 a worker that lives, or that has no lock, is never told to be gone', async () => {
  const { worker, name } = await startWorker()
  let gone = 0
  for (const life of [followLife(name), followLife(undefined)]) void life.ended.then(() => gone++)
  const stopped = followLife(name)
  void stopped.ended.then(() => gone++)
  stopped.stop()
  // Whoever asks for the lock of another worker and gets it proves that an answer could have come by now.
  const other = await startWorker()
  other.worker.terminate()
  await followLife(other.name).ended
  expect(gone).toBe(0)
  worker.terminate()
})
