// H5 in a real browser: why a worker did not start is said as far as the browser lets it be known.
import { expect, test } from 'vitest'
import { connect } from '../../../src/worker/client/connect.ts'

const blobWorker =
  (source: string, type: WorkerType = 'module') =>
  (): Worker =>
    new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), { type, name: 'worker' })

const failureOf = async (start: () => Worker, startTimeoutMs = 5000): Promise<{ readonly code: string; readonly message: string }> => {
  try {
    ;(await connect(start, { startTimeoutMs })).close()
  } catch (error) {
    return error as { readonly code: string; readonly message: string }
  }
  throw new Error('The worker started')
}

test('H5 a missing worker file is named, with what the server answered', async () => {
  const { code, message } = await failureOf(() => new Worker('/no-such.worker.js', { type: 'module' }))
  expect(code).toBe('worker/start')
  expect(message).toContain('/no-such.worker.js')
  expect(message).toMatch(/404|not as JavaScript/)
})

test('H5 a file of a wrong type is named, with its type', async () => {
  const { code, message } = await failureOf(() => new Worker('/README.md?as=agent-worker', { type: 'module' }))
  expect(code).toBe('worker/start')
  expect(message).toMatch(/served as/)
})

test('H5 a worker that throws while it starts is told with its own words', async () => {
  const { code, message } = await failureOf(blobWorker(`throw new Error('the tide is out')`))
  expect(code).toBe('worker/start')
  expect(message).toContain('the tide is out')
})

test('H5 a syntax error is told', async () => {
  const { code, message } = await failureOf(blobWorker('const = ;', 'classic'))
  expect(code).toBe('worker/start')
  expect(message).toMatch(/SyntaxError|Unexpected token/)
})

test('H5 a worker that never answers is given up after the time limit', async () => {
  const { code, message } = await failureOf(blobWorker('self.onmessage = () => {}'), 300)
  expect(code).toBe('worker/start')
  expect(message).toContain('no sign of life')
})

test('H5 a worker that cannot even be made is an error, not a throw from somewhere', async () => {
  const { code, message } = await failureOf(() => new Worker('https://elsewhere.test/worker.js', { type: 'module' }))
  expect(code).toBe('worker/start')
  expect(message).toMatch(/elsewhere\.test/)
})
