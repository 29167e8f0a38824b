// Snapshots of the file tree (C1, S11): when one is taken, what is in it, and that none keeps anybody from working.
import { expect, test } from 'vitest'
import { readFileTree } from '../../../src/storage/file-tree.ts'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { snapshots } from '../../../src/worker/plugins/snapshots/snapshots.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { fails, type Reply, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, eventWhere, testRuntime, typesOf } from '../../kit/test-runtime.ts'

type Stores = ReturnType<typeof openMemoryStorage>

const bytesOf = (words: string): Uint8Array => new TextEncoder().encode(words)
const put = (stores: Stores, id: string, path: string, words: string) => stores.files.write(id, path, bytesOf(words), { modifiedAt: 5 })
const write = (stores: Stores) =>
  defineTool({
    name: 'put',
    description: 'Writes.',
    parameters: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } }, required: ['path', 'text'] },
    execute: async ({ path, text: words }, { agent }) => {
      await put(stores, agent?.session.id ?? '', path, words)
      return 'written'
    },
  })

const world = (replies: readonly Reply[], stores: Stores = openMemoryStorage()) => {
  const made = testRuntime(replies)
  made.runtime.tools.register(write(stores))
  made.runtime.use(snapshots(stores))
  return { ...made, stores }
}
const say = async (agent: Agent, words = 'go'): Promise<void> => {
  agent.send(words)
  await agent.whenIdle()
}
const treesOf = (stores: Stores, agent: Agent) =>
  Promise.all(
    dataOf(agent.session.events, 'files/snapshot').map(async ({ tree, changed }) => {
      const files = await Promise.all(
        readFileTree((await stores.blobs.get(tree))!).map(async ({ path, blob }) => [
          path,
          new TextDecoder().decode(await stores.blobs.get(blob)),
        ]),
      )
      return { changed, files: Object.fromEntries(files) as Record<string, string> }
    }),
  )

test('C1 after a step that changed files the whole tree is in the log once, inside its turn', async () => {
  const { start, stores } = world([
    reply(toolCall('put', { path: '/a', text: '1' }), toolCall('put', { path: '/b', text: '2' })),
    text('ok'),
  ])
  const agent = start()
  await say(agent)
  expect(await treesOf(stores, agent)).toEqual([{ changed: ['/a', '/b'], files: { '/a': '1', '/b': '2' } }])
  const types = typesOf(agent.session.events)
  expect(types.slice(types.lastIndexOf('tool/result'), types.indexOf('files/snapshot') + 2)).toEqual([
    'tool/result',
    'step/end',
    'files/snapshot',
    'step/start',
  ])
  expect(problemsOf(agent.session.events)).toEqual([])
})

test('C1 steps that change nothing, or write the same again, leave no snapshot', async () => {
  const again = toolCall('put', { path: '/a', text: 'same' })
  const { start, stores } = world([again, again, text('ok'), text('ok')])
  const agent = start()
  await say(agent)
  await say(agent)
  expect((await treesOf(stores, agent)).map(({ changed }) => changed)).toEqual([['/a']])
})

test('S11 what the person changed between turns is in a snapshot before their next message', async () => {
  const { start, stores } = world([toolCall('put', { path: '/a', text: '1' }), text('ok'), text('ok')])
  const agent = start()
  await say(agent)
  await put(stores, agent.session.id, '/b', 'mine')
  await stores.files.remove(agent.session.id, '/a')
  await say(agent, 'look')
  expect((await treesOf(stores, agent)).at(-1)).toEqual({ changed: ['/a', '/b'], files: { '/b': 'mine' } })
  const types = typesOf(agent.session.events)
  expect(types.slice(types.lastIndexOf('turn/start'), types.lastIndexOf('user/message') + 1)).toEqual([
    'turn/start',
    'files/snapshot',
    'user/message',
  ])
})

test('S11 every tree of a session can be restored for as long as it is there, and then nothing of it is left', async () => {
  const { start, stores } = world([
    toolCall('put', { path: '/a', text: '1' }),
    toolCall('put', { path: '/a', text: '2' }),
    toolCall('put', { path: '/b', text: '1' }),
    text('ok'),
  ])
  const agent = start()
  await say(agent)
  await stores.files.remove(agent.session.id, '/a')
  expect((await treesOf(stores, agent)).map(({ files }) => files)).toEqual([{ '/a': '1' }, { '/a': '2' }, { '/a': '2', '/b': '1' }])
  const trees = dataOf(agent.session.events, 'files/snapshot').map(({ tree }) => tree)
  const blobs = new Set([
    ...trees,
    ...(await Promise.all(trees.map(async (tree) => readFileTree((await stores.blobs.get(tree))!)))).flat().map(({ blob }) => blob),
  ])
  await stores.whole.remove(agent.session.id)
  for (const blob of blobs) expect(await stores.blobs.get(blob)).toBeUndefined()
})

test('C1 a call that was stopped after it changed files leaves a snapshot inside its turn', async () => {
  const stores = openMemoryStorage()
  const here = gate()
  const { runtime, start } = world([toolCall('slow', {})], stores)
  runtime.tools.register(
    defineTool({
      name: 'slow',
      description: 'Writes, then waits.',
      parameters: {},
      execute: async (_args, { agent, signal }) => {
        await put(stores, agent?.session.id ?? '', '/half', 'x')
        here.arrive()
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        return 'stopped'
      },
    }),
  )
  const agent = start()
  agent.send('go')
  await here.reached
  agent.cancel('enough')
  await agent.whenIdle()
  expect((await treesOf(stores, agent)).map(({ changed }) => changed)).toEqual([['/half']])
  expect(problemsOf(agent.session.events)).toEqual([])
})

test('C1 changes of a turn that failed are made up for with the next message', async () => {
  const stores = openMemoryStorage()
  const { start } = world([fails('auth'), text('ok')], stores)
  const agent = start()
  await say(agent)
  await put(stores, agent.session.id, '/late', 'x')
  await say(agent)
  expect((await treesOf(stores, agent)).map(({ changed }) => changed)).toEqual([['/late']])
})

test('C1 a file system that fails is told, keeps nobody from working, and the next comparison makes up for it', async () => {
  const stores = openMemoryStorage()
  let broken = true
  const files: Stores['files'] = {
    ...stores.files,
    list: async (scope, folder) => {
      if (broken) throw new SideloopError('storage/unavailable', 'The file system is away')
      return stores.files.list(scope, folder)
    },
  }
  const { runtime, model, reported, start } = testRuntime([toolCall('put', { path: '/a', text: '1' }), text('ok'), text('again')])
  runtime.tools.register(write(stores))
  runtime.use(snapshots({ files, blobs: stores.blobs }))
  const agent = start()
  await say(agent)
  expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'completed' } }])
  expect(reported.map(({ where }) => where)).toContain('files/snapshot')
  broken = false
  await say(agent)
  model.assertPlayed()
  expect((await treesOf(stores, agent)).map(({ changed }) => changed)).toEqual([['/a']])
})

test('S8 a reopened session goes on from its newest snapshot', async () => {
  const stores = openMemoryStorage()
  const first = world([toolCall('put', { path: '/a', text: '1' }), text('ok')], stores)
  const agent = first.start()
  await say(agent)
  const second = world([toolCall('put', { path: '/b', text: '2' }), text('ok')], stores)
  const { agent: reopened } = await second.runtime.agents.create({
    agentId: 'b',
    sessionId: agent.session.id,
    seed: agent.session.events,
    agentOptions: { provider: 'test', model: 'scripted' },
  })
  await say(reopened)
  expect((await treesOf(stores, reopened)).map(({ changed }) => changed)).toEqual([['/a'], ['/b']])
})

test('C1 a file that is changed while the tree is read is in the snapshot as it became', async () => {
  const stores = openMemoryStorage()
  let meddled = false
  const files: Stores['files'] = {
    ...stores.files,
    async list(scope, folder) {
      const entries = await stores.files.list(scope, folder)
      if (!meddled && entries.length > 0) {
        meddled = true
        await put(stores, scope, '/a', 'newer')
      }
      return entries
    },
  }
  const { runtime, reported, start } = testRuntime([toolCall('put', { path: '/a', text: 'older' }), text('ok')])
  runtime.tools.register(write(stores))
  runtime.use(snapshots({ files, blobs: stores.blobs }))
  const agent = start()
  agent.send('go')
  await eventWhere(runtime, agent, ({ type }) => type === 'turn/end')
  expect(await treesOf(stores, agent)).toEqual([{ changed: ['/a'], files: { '/a': 'newer' } }])
  expect(reported).toEqual([])
})

test('C1 calls that are stopped together leave one snapshot', async () => {
  const stores = openMemoryStorage()
  const both = [gate(), gate()]
  const { runtime, start } = world([reply(toolCall('slow', { n: 0 }), toolCall('slow', { n: 1 }))], stores)
  runtime.tools.register(
    defineTool({
      name: 'slow',
      description: 'Writes, then waits.',
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      isConcurrencySafe: () => true,
      execute: async ({ n }, { agent, signal }) => {
        await put(stores, agent?.session.id ?? '', `/${n}`, 'x')
        both[n]?.arrive()
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        return 'stopped'
      },
    }),
  )
  const agent = start()
  agent.send('go')
  await Promise.all(both.map(({ reached }) => reached))
  agent.cancel('enough')
  await agent.whenIdle()
  expect((await treesOf(stores, agent)).map(({ changed }) => changed)).toEqual([['/0', '/1']])
})

test('C1 a snapshot that comes after its turn has ended is left to the next one: nothing of it stands between turns', async () => {
  const stores = openMemoryStorage()
  const here = gate()
  const blobs: Stores['blobs'] = {
    ...stores.blobs,
    async put(bytes, owner) {
      here.arrive()
      await here.opened
      return stores.blobs.put(bytes, owner)
    },
  }
  const { runtime, start } = testRuntime([toolCall('put', { path: '/a', text: '1' }), text('ok')])
  runtime.tools.register(write(stores))
  runtime.use(snapshots({ files: stores.files, blobs }))
  const agent = start()
  agent.send('go')
  await here.reached
  agent.cancel('enough')
  await agent.whenIdle()
  here.open()
  await new Promise((resolve) => setImmediate(resolve))
  await say(agent)
  expect(typesOf(agent.session.events).filter((type) => type === 'turn/end' || type === 'files/snapshot' || type === 'turn/start')).toEqual(
    ['turn/start', 'turn/end', 'turn/start', 'files/snapshot', 'turn/end'],
  )
})
