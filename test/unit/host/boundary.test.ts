// The boundary end to end in one thread: client, Comlink over a message channel, host, runtime, memory stores, scripted model.
import { afterEach, expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { type Client, connect } from '../../../src/worker/client/connect.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import type { SessionView } from '../../../src/worker/client/session-view.ts'
import { mountHost } from '../../../src/worker/host/mount-host.ts'
import { checkCommands } from '../../../src/worker/protocol/commands.ts'
import { gate } from '../../kit/gate.ts'
import { type InProcessWorker, inProcessWorker } from '../../kit/in-process-worker.ts'
import { memoryLeases } from '../../kit/memory-leases.ts'
import { type Reply, text, toolCall } from '../../kit/replies.ts'
import { type ScriptedModel, scriptedModel } from '../../kit/scripted-model.ts'

type World = {
  readonly client: Client
  readonly model: ScriptedModel
  readonly stores: Stores
  readonly workers: readonly InProcessWorker[]
}

const clients: Client[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

const world = async (replies: readonly Reply[], options: { silenceMs?: number; room?: () => boolean } = {}): Promise<World> => {
  const stores = openMemoryStorage(options.room && { hasRoom: options.room })
  const model = scriptedModel(replies)
  const leases = memoryLeases()
  const workers: InProcessWorker[] = []
  const start = (): Worker => {
    const served = { provider: 'test', label: 'Scripted', models: ['scripted'], adapter: model }
    const { host } = mountHost({ stores, leases, models: [served] })
    const worker = inProcessWorker(checkCommands(host), () => leases.freeAll())
    workers.push(worker)
    return worker
  }
  const client = await connect(start, options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs })
  clients.push(client)
  return { client, model, stores, workers }
}

const viewWhere = (session: ClientSession, fits: (view: SessionView) => boolean): Promise<SessionView> =>
  new Promise((resolve) => {
    const check = (view: SessionView): boolean => {
      if (fits(view)) resolve(view)
      return fits(view)
    }
    if (check(session.view)) return
    const off = session.subscribe((view) => {
      if (check(view)) off()
    })
  })
const idle = (turns: number) => (view: SessionView) =>
  view.run.kind !== 'running' && view.live?.status === 'idle' && view.usage.calls >= turns

test('H1 H3 a prompt crosses to the worker, its reply streams back, and the view is folded on the page', async () => {
  const { client } = await world([text('Hello there', { chunks: ['Hello', ' there'] })])
  const session = await client.sessions.create({ title: 'Trip' })
  await session.send('hi')
  const view = await viewWhere(session, idle(1))
  expect(JSON.stringify(view.transcript)).toContain('Hello there')
  expect(view.stored).toBe(view.length)
  expect(await client.sessions.list()).toMatchObject([{ title: 'Trip', turns: 1, status: 'idle' }])
})

test('S3 a send resolves when the message is on disk, and a repeated one does nothing', async () => {
  const { client, stores, model } = await world([text('ok')])
  const session = await client.sessions.create()
  await Promise.all([session.send('hi', { messageId: 'm1' }), session.send('hi', { messageId: 'm1' })])
  await viewWhere(session, idle(1))
  await session.send('hi', { messageId: 'm1' })
  const events = await stores.sessions.read(session.id, { after: -1 })
  expect(events.filter(({ type }) => type === 'user/message').length).toBe(1)
  expect(model.requests.length).toBe(1)
})

test('H3 S10 events come in order without gap or repeat, from any point on', async () => {
  const pieces = Array.from({ length: 3000 }, (_, i) => `${i} `)
  const { client } = await world([text(pieces.join(''), { chunks: pieces })])
  const session = await client.sessions.create()
  await session.send('count')
  const seen: SessionEvent[] = []
  for await (const event of session.events({ after: -1 })) {
    seen.push(event)
    if (event.type === 'turn/end') break
  }
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, i) => i))
  expect(seen.length).toBeGreaterThan(3000)
  const rest: number[] = []
  for await (const { seq, type } of session.events({ after: 2990 })) {
    rest.push(seq)
    if (type === 'turn/end') break
  }
  expect(rest).toEqual(seen.slice(2991).map(({ seq }) => seq))
})

test('H3 a page that does not acknowledge gets no further frame: nothing piles up for it', async () => {
  const pieces = Array.from({ length: 5000 }, () => 'x')
  const { client } = await world([text(pieces.join(''), { chunks: pieces })])
  const session = await client.sessions.create()
  const { port1, port2 } = new MessageChannel()
  let frames = 0
  port1.onmessage = () => void frames++
  await client.host.log.watch({ sessionId: session.id, after: -1, port: port2 })
  await session.send('go')
  await viewWhere(session, idle(1))
  expect(frames).toBe(1)
  port1.close()
})

test('H6 an error crosses with its code, its message and what to do', async () => {
  const { client } = await world([])
  await expect(client.sessions.open('nope')).rejects.toMatchObject({ name: 'SideloopError', code: 'session/unknown' })
})

test('H1 commands are checked at the boundary, and the session goes on', async () => {
  const { client } = await world([text('ok')])
  const session = await client.sessions.create()
  const wrong = { sessionId: session.id, messageId: '', content: [] }
  await expect(client.host.drive.send(wrong)).rejects.toMatchObject({
    code: 'command/invalid',
    message: expect.stringContaining('messageId'),
  })
  await session.send('hi')
  await viewWhere(session, idle(1))
})

test('H5 the calls of a dead worker reject, another is started, and the session goes on in it', async () => {
  const pause = gate()
  const { client, workers } = await world([text('half', { chunks: ['half', pause] }), text('the rest')], { silenceMs: 1000 })
  const session = await client.sessions.create()
  await session.send('go', { messageId: 'm1' })
  await pause.reached
  await viewWhere(session, (view) => JSON.stringify(view.transcript).includes('half'))
  workers[0]?.silence()
  const restarted = new Promise<void>((resolve) => {
    client.health.subscribe(({ kind }) => {
      if (kind === 'ready') resolve()
    })
  })
  await expect(session.steer('are you there?')).rejects.toMatchObject({ code: 'worker/dead' })
  await restarted
  const view = await viewWhere(session, ({ run }) => run.kind === 'paused')
  expect(view.run).toMatchObject({ kind: 'paused', by: { kind: 'interrupted' } })
  await session.continue()
  await viewWhere(session, (next) => JSON.stringify(next.transcript).includes('the rest'))
})

test('L20 stopping holds the queue, and the page sees it wait', async () => {
  const pause = gate()
  const { client } = await world([text('one', { chunks: ['one', pause] }), text('two')])
  const session = await client.sessions.create()
  await session.send('first')
  await pause.reached
  await session.send('second', { messageId: 'm2' })
  await session.cancel('stopped', { queue: 'hold' })
  const held = await viewWhere(session, ({ live }) => live?.status === 'idle' && live.held)
  expect(held.live?.waiting.map(({ id }) => id)).toEqual(['m2'])
  await session.queue.release()
  await viewWhere(session, ({ live, transcript }) => live?.status === 'idle' && JSON.stringify(transcript).includes('two'))
})

test('S4 a store that refuses is told to the page and to whoever sent, and the session goes on once there is room', async () => {
  let room = true
  const { client } = await world([text('one'), text('two')], { room: () => room })
  const session = await client.sessions.create()
  await session.send('first')
  await viewWhere(session, idle(1))
  room = false
  await expect(session.send('second', { messageId: 'm2' })).rejects.toMatchObject({ code: 'storage/quota' })
  await viewWhere(session, ({ live, run }) => live?.storage.kind === 'failed' && run.kind === 'paused')
  room = true
  await session.continue()
  const view = await viewWhere(session, ({ live, transcript }) => live?.storage.kind === 'ok' && JSON.stringify(transcript).includes('two'))
  expect(view.stored).toBeGreaterThan(0)
})

test('S4 a message that is refused while nothing can be stored is not run when there is room again', async () => {
  let room = true
  const { client, model } = await world([text('one'), text('two')], { room: () => room })
  const session = await client.sessions.create()
  await session.send('first')
  await viewWhere(session, idle(1))
  room = false
  await expect(session.send('second', { messageId: 'm2' })).rejects.toMatchObject({ code: 'storage/quota', details: { kept: true } })
  await viewWhere(session, ({ live, run }) => live?.storage.kind === 'failed' && run.kind === 'paused')
  for (const say of [session.send, session.steer]) {
    const refused = say('pay 100 to Bob', { messageId: 'm3' })
    await expect(refused).rejects.toMatchObject({ code: 'storage/quota' })
    await expect(refused).rejects.not.toMatchObject({ details: { kept: true } })
  }
  room = true
  await session.save()
  await session.continue()
  await viewWhere(session, ({ live, transcript }) => live?.status === 'idle' && JSON.stringify(transcript).includes('two'))
  expect(JSON.stringify(await client.host.log.read({ sessionId: session.id, after: -1 }))).not.toContain('Bob')
  expect(model.requests).toHaveLength(2)
})

test('S13 a deleted session is gone for its page too', async () => {
  const { client } = await world([text('ok')])
  const session = await client.sessions.create()
  await session.send('hi')
  await viewWhere(session, idle(1))
  await client.sessions.remove(session.id)
  const view = await viewWhere(session, ({ closed }) => closed !== undefined)
  expect(view.closed?.code).toBe('session/unknown')
  expect(await client.sessions.list()).toEqual([])
})

test('C7 A5 a question waits on the page, is answered from there once, and survives the death of the worker', async () => {
  const ask = toolCall('ask_user', { questions: [{ text: 'Which day?' }] }, 'c1')
  const { client, workers } = await world([ask, text('Friday it is.')], { silenceMs: 1000 })
  const session = await client.sessions.create()
  await session.send('plan')
  await viewWhere(session, ({ pending, stored, length }) => pending.length === 1 && stored === length)
  workers[0]?.silence()
  const restarted = new Promise<void>((resolve) => {
    client.health.subscribe(({ kind }) => {
      if (kind === 'ready') resolve()
    })
  })
  await expect(session.save()).rejects.toMatchObject({ code: 'worker/dead' })
  await restarted
  const view = await viewWhere(session, ({ live }) => live?.status === 'running')
  expect(view.pending).toMatchObject([{ kind: 'question', callId: 'c1', questions: [{ id: 'q1', text: 'Which day?', freeText: true }] }])
  expect(view.run).toMatchObject({ kind: 'waiting', on: 'answer' })
  await session.answer('c1', [{ id: 'q1', chosen: [], text: 'Friday' }])
  await viewWhere(session, ({ pending, transcript }) => pending.length === 0 && JSON.stringify(transcript).includes('Friday it is.'))
  await expect(session.answer('c1', null)).rejects.toMatchObject({ code: 'command/invalid', message: expect.stringContaining('settled') })
})

test('C11 A5 a tool that the person wants to be asked about waits for the decision; asking again takes back what was allowed for always', async () => {
  const list = (id: string) => toolCall('list_files', {}, id)
  const { client } = await world([list('c1'), text('one'), list('c2'), text('two'), list('c3'), text('three')])
  await client.host.people.ask({ tools: ['list_files'] })
  expect(await client.host.people.asked({})).toEqual(['list_files'])
  const session = await client.sessions.create()
  await session.send('first')
  const asked = await viewWhere(session, ({ pending }) => pending.length === 1)
  expect(asked.pending).toMatchObject([{ kind: 'approval', callId: 'c1', action: { tool: 'list_files' } }])
  await session.decide('c1', { kind: 'allow', reach: 'always' })
  await viewWhere(session, idle(2))
  const second = await client.sessions.create()
  await second.send('second')
  await viewWhere(second, idle(2))
  await Promise.all([client.host.people.ask({ tools: [] }), client.host.people.ask({ tools: ['list_files'] })]) // as fast as a double click
  const third = await client.sessions.create()
  await third.send('third')
  await viewWhere(third, ({ pending }) => pending.length === 1)
  await third.cancel()
  await viewWhere(third, ({ pending, live }) => pending.length === 0 && live?.status === 'idle')
})

test('S14 a key goes to the server that it was given for: another address under the same name does not get it', async () => {
  const { client } = await world([])
  const provider = { id: 'mine', label: 'Mine', api: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1', models: ['m'] } as const
  const { models } = client.host
  await models.save({ provider: { ...provider, key: 'sk-first' } })
  expect(await models.providers({})).toMatchObject([{ id: 'mine', hasKey: true }])
  await models.save({ provider: { ...provider, baseUrl: 'http://127.0.0.1:1/v2' } })
  expect(await models.providers({}), 'the same server').toMatchObject([{ hasKey: true }])
  await models.save({ provider: { ...provider, baseUrl: 'http://127.0.0.1:2/v1' } })
  expect(await models.providers({}), 'another server').toMatchObject([{ hasKey: false }])
  await models.save({ provider })
  expect(await models.providers({}), 'and it is not kept for later').toMatchObject([{ hasKey: false }])
})
