// The default set as `serve` mounts it: each of its plugins does its work, and very large results are files of the session.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { mountDefaultPlugins } from '../../../src/worker/host/default-plugins.ts'
import { mountHost } from '../../../src/worker/host/mount-host.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { memoryLeases } from '../../kit/memory-leases.ts'
import { fails, type Reply, reply, text, toolCall, usage } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const big = 'a line of a large result\n'.repeat(10_000)
const give = defineTool({ name: 'give', description: 'Gives much.', parameters: {}, execute: () => big })

const mounted = (replies: readonly Reply[], contextWindow?: number) => {
  const made = testRuntime(replies)
  if (contextWindow !== undefined) Object.assign(made.model, { info: () => ({ contextWindow }) })
  const stores = openMemoryStorage()
  made.runtime.tools.register(give)
  return { ...made, stores, plugins: mountDefaultPlugins(made.runtime, { ...stores, now: () => 1 }) }
}

test('W10 a passing failure is tried again', async () => {
  const { model, start } = mounted([fails('overloaded'), text('ok')])
  const agent = start()
  agent.send('go')
  await vi.runAllTimersAsync()
  await agent.whenIdle()
  model.assertPlayed()
})

test('L81 a very large result is a file of the session that its tools can read', async () => {
  const { runtime, model, stores, start } = mounted([toolCall('give', {}), text('ok')])
  const agent = start()
  agent.send('go')
  await agent.whenIdle()
  const [entry] = await stores.files.list(agent.session.id, '/tool-results')
  const stored = await stores.files.read(agent.session.id, entry?.path ?? '')
  expect(new TextDecoder().decode(stored?.bytes)).toBe(big)
  expect(JSON.stringify(model.requests[1]?.messages)).toContain(`the whole is in ${entry?.path}, to be read in parts`)
  await runtime.dispose()
})

test('L81 after a kill between file and log the same file serves', async () => {
  const first = mounted([toolCall('give', {}), text('ok')])
  const agent = first.start()
  agent.send('go')
  await agent.whenIdle()
  const { events } = agent.session
  const cut = events.slice(
    0,
    events.findIndex((event) => event.type === 'tool/result' && event.surfaceOp !== 'append'),
  )
  const again = testRuntime([text('ok')])
  mountDefaultPlugins(again.runtime, { ...first.stores, now: () => 2 })
  const { agent: reopened } = await again.runtime.agents.create({
    agentId: 'b',
    sessionId: agent.session.id,
    seed: cut,
    agentOptions: { provider: 'test', model: 'scripted' },
  })
  reopened.send('go on')
  await reopened.whenIdle()
  expect(JSON.stringify(again.model.requests[0]?.messages)).toContain('the whole is in /tool-results/')
  expect(await first.stores.files.list(agent.session.id, '/')).toMatchObject([{ version: 1 }])
})

test('L80 a window that fills up is compacted, and a person can ask for it', async () => {
  const long = (name: string) => `${name} ${'word '.repeat(80)}`
  const { model, start, plugins } = mounted(
    [reply(text(long('a')), usage(900, 5)), reply(text(long('b')), usage(900, 5)), text('A summary.'), text('ok'), text('Another.')],
    1_000,
  )
  const agent = start()
  for (const prompt of [long('ask a'), long('ask b'), 'c']) {
    agent.send(prompt)
    await agent.whenIdle()
  }
  expect(dataOf(agent.session.events, 'compaction/end').map(({ outcome }) => outcome)).toContain('done')
  await plugins.runs.compact(agent)
  expect(dataOf(agent.session.events, 'compaction/start').at(-1)?.trigger).toBe('manual')
  expect(model.requests.length).toBeGreaterThan(3)
})

test('P-d01 a call that repeats is corrected, then ends the turn', async () => {
  const { model, start } = mounted(Array.from({ length: 9 }, () => toolCall('give', {})))
  const agent = start()
  agent.send('go')
  await agent.whenIdle()
  expect(model.requests).toHaveLength(5)
})

test('the application mounts them with its first session', async () => {
  const model = scriptedModel([fails('overloaded'), text('ok')])
  const served = { provider: 'test', label: 'Scripted', models: ['scripted'], adapter: model }
  const { host, runtime } = mountHost({ stores: openMemoryStorage(), leases: memoryLeases(), models: [served] })
  const created = host.sessions.create({})
  await vi.dynamicImportSettled()
  const { sessionId } = await created
  await host.drive.send({ sessionId, messageId: 'm', content: [{ type: 'text', text: 'go' }] })
  await vi.runAllTimersAsync()
  await runtime.agents.get(sessionId)?.whenIdle()
  model.assertPlayed()
  await runtime.dispose()
})
