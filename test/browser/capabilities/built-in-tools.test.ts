// The built-in tools as the application mounts them: files in IndexedDB, JavaScript in its worker.
import { afterAll, expect, test } from 'vitest'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import type { Json } from '../../../src/storage/log/content.ts'
import { createWorkspaces } from '../../../src/worker/capabilities/files/workspace.ts'
import { jsWorkerSandbox } from '../../../src/worker/capabilities/js/js-worker-sandbox.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { createHookBus } from '../../../src/worker/hooks/hook-bus.ts'
import { listFiles } from '../../../src/worker/tools/list-files.ts'
import { readFile } from '../../../src/worker/tools/read-file.ts'
import { createToolRegistry } from '../../../src/worker/tools/registry.ts'
import { runJs } from '../../../src/worker/tools/run-js.ts'
import { writeFile } from '../../../src/worker/tools/write-file.ts'

const stores = openIdbStorage({ namespace: `tools-${crypto.randomUUID()}` })
const sandbox = jsWorkerSandbox()
afterAll(() => {
  sandbox.dispose()
  stores.close()
})

const session = { id: 'session-of-tools-test-1', header: { version: 1, id: 'session-of-tools-test-1', createdAt: 0 } }
const agent = { session } as Agent

/** A reload: what was seen is forgotten, what was stored is there. */
const openTools = (onProgress = () => {}) => {
  const registry = createToolRegistry({ bus: createHookBus(() => {}), onProgress })
  const { workspaceFor } = createWorkspaces({ files: stores.files, now: () => Date.now() })
  for (const tool of [
    runJs({ sandbox, workspaceFor }),
    readFile({ workspaceFor }),
    writeFile({ workspaceFor }),
    listFiles({ workspaceFor }),
  ]) {
    registry.register(tool)
  }
  return async (name: string, args: Json, signal = new AbortController().signal): Promise<string> => {
    const { content } = await registry.execute({ callId: 'c', name, arguments: args, agent, signal })
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  }
}

test('C1 C3 a program is written, run over files, and still there after a reload', async () => {
  const call = openTools()
  expect(await call('write_file', { path: '/count.js', content: 'readFile("/a.txt").split(" ").length' })).toContain('Created /count.js')
  expect(await call('write_file', { path: '/a.txt', content: 'one two three' })).toContain('Created /a.txt')
  expect(await call('run_js', { file: '/count.js', files: ['/a.txt'] })).toBe('=> 3')
  const again = openTools()
  expect(await again('list_files', {})).toBe('/: 2 files, 49 B\n/a.txt  13 B\n/count.js  36 B')
  expect(await again('write_file', { path: '/a.txt', content: 'lost?' })).toContain('you have not read it')
  expect(await again('read_file', { path: '/a.txt' })).toBe('1\tone two three')
})

test('C3 C12 code that never ends has a clear result, a stop ends it at once, and the agent goes on', async () => {
  const call = openTools()
  expect(await call('run_js', { code: 'while (true) {}', timeoutMs: 200 })).toContain('stopped after 200 ms, still running')
  const stop = new AbortController()
  let stoppedAt = 0
  const watched = openTools(() => {
    stoppedAt = performance.now()
    stop.abort(new Error('stopped by the person'))
  })
  const code = 'console.log("running"); while (true) {}'
  expect(await watched('run_js', { code, timeoutMs: 60_000 }, stop.signal)).toBe('Error: stopped by the person')
  expect(performance.now() - stoppedAt).toBeLessThan(250)
  expect(await call('run_js', { code: '6 * 7' })).toBe('=> 42')
})
