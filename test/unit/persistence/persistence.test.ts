// Persistence over the memory store: what is on disk when, what a kill leaves, and what a store that refuses does.
import { expect, test } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { SessionStore } from '../../../src/storage/session-store.ts'
import { type Persistence, persistence } from '../../../src/worker/plugins/persistence/persistence.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { gate } from '../../kit/gate.ts'
import { type Reply, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, type TestRuntime, testRuntime, typesOf } from '../../kit/test-runtime.ts'

const options = { provider: 'test', model: 'scripted' }

const mount = (store: SessionStore, replies: readonly Reply[]): TestRuntime & { readonly saved: Persistence } => {
  const saved = persistence(store)
  const made = testRuntime(replies)
  made.runtime.use(saved.plugin)
  return { ...made, saved }
}

const readAll = (store: SessionStore, id: string) => store.read(id, { after: -1 })

test('S3 a prompt is in the inbox store once its send was acknowledged, before its turn begins', async () => {
  const { sessions: store } = openMemoryStorage()
  const { runtime, saved } = mount(store, [text('ok')])
  const { agent } = await runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  const admit = gate()
  runtime.on('agent/prompt-submit', async (_agent, _content, _source, next) => {
    admit.arrive()
    await admit.opened
    return next()
  })
  agent.send('hi', { id: 'm1' })
  await saved.flush('s')
  expect((await store.waiting('s')).map(({ id }) => id)).toEqual(['m1'])
  await admit.reached
  await saved.flush('s')
  expect(
    (await store.waiting('s')).map(({ id }) => id),
    'taken, but not in the log yet',
  ).toEqual(['m1'])
  admit.open()
  await agent.whenIdle()
  expect(await store.waiting('s')).toEqual([])
  expect(dataOf(await readAll(store, 's'), 'user/message').map(({ id }) => id)).toEqual(['m1'])
})

test('S3 everything up to a request is on disk before the request leaves, and before a tool body starts', async () => {
  const { sessions: store } = openMemoryStorage()
  const seen: Record<string, readonly string[]> = {}
  const look = async (where: string): Promise<void> => {
    seen[where] = typesOf(await readAll(store, 's'))
  }
  const { runtime } = mount(store, [
    async () => {
      await look('request')
      return reply(toolCall('look', {}, 'c1'))
    },
    text('done'),
  ])
  runtime.tools.register(
    defineTool({
      name: 'look',
      description: 'Looks at the store.',
      parameters: {},
      execute: async () => {
        await look('tool')
        return 'seen'
      },
    }),
  )
  const { agent } = await runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  agent.send('go')
  await agent.whenIdle()
  expect(seen.request).toEqual(['turn/start', 'user/message', 'step/start', 'request/header'])
  expect(seen.tool?.slice(-2)).toEqual(['assistant/message', 'tool/call'])
  expect(await readAll(store, 's')).toEqual([...agent.session.events])
})

test('S8 a session that was killed in the middle of a reply is repaired, goes on, and keeps its queue', async () => {
  const { sessions: store } = openMemoryStorage()
  const pause = gate()
  const first = mount(store, [text('visible and more', { chunks: ['visible', pause, ' and more'] })])
  const { agent: killed } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  killed.send('go', { id: 'm1' })
  await pause.reached
  killed.send('and then', { id: 'm2' })
  await first.saved.flush('s')

  // The first runtime is never heard of again, as after a kill.
  const second = mount(store, [text('again')])
  const { agent } = await second.runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  await agent.whenIdle()
  const events = agent.session.events
  expect(typesOf(events)).toEqual([
    ...['turn/start', 'user/message', 'step/start', 'request/header', 'assistant/chunk', 'assistant/message', 'step/end', 'turn/end'],
    ...['turn/start', 'user/message', 'step/start', 'request/header', 'assistant/chunk', 'assistant/message', 'step/end', 'turn/end'],
  ])
  expect(dataOf(events, 'user/message').map(({ id }) => id)).toEqual(['m1', 'm2'])
  expect(dataOf(events, 'assistant/message')[0]).toMatchObject({ content: [{ type: 'text', text: 'visible' }], interrupted: true })
  expect(dataOf(events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['interrupted', 'completed'])
  expect(dataOf(events, 'request/header').map(({ reason }) => reason)).toEqual(['initial', 'resume'])
  expect(await readAll(store, 's')).toEqual([...events])
})

test('L15 a turn that was interrupted goes on by one command', async () => {
  const { sessions: store } = openMemoryStorage()
  const pause = gate()
  const first = mount(store, [text('half', { chunks: ['half', pause] })])
  const { agent: killed } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  killed.send('go')
  await pause.reached
  await first.saved.flush('s')

  const second = mount(store, [text('the rest')])
  const { agent } = await second.runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  expect(agent.status).toBe('idle')
  agent.continue()
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'turn/start').at(-1)?.trigger).toEqual({ kind: 'continue', source: { kind: 'user' } })
  expect(second.model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('L20 a queue that a person held stays held after reopening', async () => {
  const { sessions: store } = openMemoryStorage()
  const pause = gate()
  const first = mount(store, [text('one', { chunks: ['one', pause] })])
  const { agent: killed } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  killed.send('go')
  await pause.reached
  killed.send('later', { id: 'm2' })
  killed.cancel('stop', { queue: 'hold' })
  await killed.whenIdle()
  await first.saved.flush('s')

  const { runtime } = mount(store, [])
  const { agent } = await runtime.agents.resume({ agentId: 'a', resumeSessionId: 's', agentOptions: options })
  await agent.whenIdle()
  expect(agent.inbox.held).toBe(true)
  expect(agent.inbox.waiting.map(({ id }) => id)).toEqual(['m2'])
})

test('S4 a full store ends the turn with what to do; after room was made the same session goes on and nothing is missing', async () => {
  let room = true
  const { sessions: store } = openMemoryStorage({ hasRoom: () => room })
  const { runtime, saved, model } = mount(store, [text('one'), text('two')])
  const { agent } = await runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  agent.send('first')
  await agent.whenIdle()
  const before = await readAll(store, 's')

  room = false
  agent.send('second')
  await agent.whenIdle()
  expect(model.requests.length, 'no request leaves unsaved').toBe(1)
  expect(dataOf(agent.session.events, 'turn/end').at(-1)?.reason).toMatchObject({ kind: 'error', code: 'storage/quota' })
  expect(saved.state('s').failure?.code).toBe('storage/quota')
  expect(await readAll(store, 's')).toEqual(before)

  room = true
  agent.continue()
  await agent.whenIdle()
  expect(saved.state('s').failure).toBeUndefined()
  expect(model.requests.length).toBe(2)
  expect(await readAll(store, 's')).toEqual([...agent.session.events])
})

test('S2 a second writer is refused, and what the first stored stays', async () => {
  const { sessions: store } = openMemoryStorage()
  const first = mount(store, [text('one'), text('two')])
  const { agent } = await first.runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  agent.send('go')
  await agent.whenIdle()
  await store.claim('s')
  agent.send('more')
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'turn/end').at(-1)?.reason).toMatchObject({ kind: 'error', code: 'storage/conflict' })
  expect(first.model.requests.length).toBe(1)
})

test('S8 resuming what is not there, or without persistence, says so', async () => {
  const { runtime } = mount(openMemoryStorage().sessions, [])
  await expect(runtime.agents.resume({ agentId: 'a', resumeSessionId: 'nope' })).rejects.toMatchObject({ code: 'session/unknown' })
  const bare = testRuntime([])
  const refused = bare.runtime.agents.resume({ agentId: 'a', resumeSessionId: 'nope' })
  await expect(refused).rejects.toThrow(SideloopError)
  await expect(refused).rejects.toThrow(/no persistence is mounted/)
})

test('S1 the row of a session tells its title, turns and status without reading the log', async () => {
  const { sessions: store } = openMemoryStorage()
  const { runtime } = mount(store, [text('ok')])
  const { agent } = await runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  agent.send('Plan a day in Lisbon\nwith trams')
  await agent.whenIdle()
  expect(await store.get('s')).toMatchObject({
    title: 'Plan a day in Lisbon',
    turns: 1,
    status: 'idle',
    options,
    nextSeq: agent.session.events.length,
  })
  agent.session.append('session/title', { title: 'Lisbon', by: 'user' })
  await runtime.sessions.flush(agent.session)
  expect((await store.get('s'))?.title).toBe('Lisbon')
})

test('S4 a store that fills up in the middle of a reply ends the turn there: nothing goes on unsaved', async () => {
  let room = true
  const { sessions: store } = openMemoryStorage({ hasRoom: () => room })
  const pause = gate()
  const { runtime, saved, reported } = mount(store, [
    text('stored and not stored', { chunks: ['stored', pause, ' and', ' not', ' stored'] }),
    text('ok'),
  ])
  const { agent } = await runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })
  agent.send('go')
  await pause.reached
  await saved.flush('s')
  room = false
  runtime.sessions.get('s')?.append('plugin/noted', { plugin: 'test', data: 'fills the last room' })
  await expect(saved.flush('s')).rejects.toMatchObject({ code: 'storage/quota' })
  pause.open()
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'turn/end').at(-1)?.reason).toMatchObject({ kind: 'error', code: 'storage/quota' })
  const shown = dataOf(agent.session.events, 'assistant/chunk').map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.text : ''))
  expect(shown.join('')).not.toContain('not stored')
  room = true
  agent.continue()
  await agent.whenIdle()
  expect(await readAll(store, 's')).toEqual([...agent.session.events])
  expect(reported).toEqual([])
})
