// Forks (S11): a new session with the parent's prefix, its files as they were there, and a life of its own.
import { expect, test, vi } from 'vitest'
import { expectCode } from '../../contract/expect-code.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { hold, reply, text, toolCall } from '../../kit/replies.ts'
import { typesOf } from '../../kit/test-runtime.ts'
import { copiesWorld, seqOf, upTo } from './copies-world.ts'

const put = (path: string, words: string) => toolCall('put', { path, text: words })

/** Two turns: the first writes /a, the second changes it and writes /b. */
const twoTurns = async () => {
  const world = copiesWorld([put('/a', '1'), text('one'), put('/a', '2'), put('/b', '2'), text('two'), text('three'), text('four')])
  const id = await world.create('Trip')
  await world.say(id, 'first')
  await world.say(id, 'second')
  return { ...world, id, log: await world.events(id) }
}

test('S11 a fork at the end of a turn has the events and the files of that point, and its origin in its header', async () => {
  const { host, stores, events, files, id, log } = await twoTurns()
  const beforeSeq = seqOf(log, 'turn/end') + 1
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq })
  expect(upTo(await events(sessionId), beforeSeq)).toEqual(upTo(log, beforeSeq))
  expect(await files(sessionId)).toEqual({ '/a': '1' })
  const row = await stores.sessions.get(sessionId)
  expect(row?.header).toMatchObject({ parentSession: id, seedLength: beforeSeq, cwd: '/' })
  expect(row).toMatchObject({ title: 'Trip (fork)', turns: 1, status: 'idle', options: { provider: 'test', model: 'scripted' } })
  expect(problemsOf(await events(sessionId))).toEqual([])
  expect(await files(id)).toEqual({ '/a': '2', '/b': '2' })
  const listed = await host.sessions.list({})
  expect(listed.map(({ forkOf }) => forkOf)).toEqual(
    listed.map((each) => (each.id === id ? undefined : { sessionId: id, length: beforeSeq })),
  )
})

test('S11 forks of one session, and forks of its forks, are numbered', async () => {
  const { host, id } = await twoTurns()
  const fork = async (sessionId: string) => (await host.sessions.fork({ sessionId, beforeSeq: 1 })).sessionId
  const first = await fork(id)
  const second = await fork(first)
  await fork(second)
  await fork(id)
  const titles = (await host.sessions.list({})).map(({ title }) => title).toSorted()
  expect(titles).toEqual(['Trip', 'Trip (fork 2)', 'Trip (fork 3)', 'Trip (fork 4)', 'Trip (fork)'])
  await host.sessions.remove({ sessionId: second })
  await fork(id)
  expect((await host.sessions.list({})).map(({ title }) => title).toSorted()).toEqual(titles)
})

test('S11 a fork at the end has all, goes on by itself, and leaves its parent alone', async () => {
  const { host, events, files, say, write, id, log } = await twoTurns()
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq: log.length })
  await write(sessionId, '/c', 'mine')
  await say(sessionId, 'third')
  const forked = await events(sessionId)
  expect(forked.filter(({ type }) => type === 'turn/start').map(({ data }) => data)).toMatchObject([{ turn: 1 }, { turn: 2 }, { turn: 3 }])
  expect(await files(sessionId)).toEqual({ '/a': '2', '/b': '2', '/c': 'mine' })
  expect(problemsOf(forked)).toEqual([])
  expect(await events(id)).toEqual(log)
  expect(await files(id)).toEqual({ '/a': '2', '/b': '2' })
})

test('S11 edit and resend: right before a message the turn that it opened is not there, and the files are those that it found', async () => {
  const { host, events, files, say, write, model } = await twoTurns()
  const id = (await host.sessions.list({}))[0]!.id
  await write(id, '/upload', 'data')
  await say(id, 'look at my upload')
  const log = await events(id)
  const beforeSeq = seqOf(log, 'user/message', 2)
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq })
  const forked = await events(sessionId)
  expect(typesOf(forked).slice(-2)).toEqual(['turn/end', 'session/title'])
  expect(forked.filter(({ type }) => type === 'turn/start')).toHaveLength(2)
  expect(await files(sessionId)).toEqual({ '/a': '2', '/b': '2', '/upload': 'data' })
  await say(sessionId, 'look at the upload, please')
  model.assertPlayed()
  expect(problemsOf(await events(sessionId))).toEqual([])
})

test('S11 right before the prompt of a task run that run is not there, and in the middle of one it is closed', async () => {
  const { host, events, create, say } = copiesWorld([text('one'), text('done'), text('two')])
  const id = await create('Trip')
  await say(id, 'first')
  const prompt = { sessionId: id, messageId: 'the-prompt', content: [{ type: 'text', text: 'do it' }], task: { kind: 'explore' } } as const
  await host.drive.run(prompt)
  await expect.poll(async () => typesOf(await events(id)).includes('task/ended')).toBe(true)
  const log = await events(id)
  const before = await host.sessions.fork({ sessionId: id, beforeSeq: seqOf(log, 'user/message', 1) })
  expect(typesOf(await events(before.sessionId)).slice(-2)).toEqual(['turn/end', 'session/title'])
  const within = await host.sessions.fork({ sessionId: id, beforeSeq: seqOf(log, 'task/ended') })
  expect(typesOf(await events(within.sessionId)).slice(-2)).toEqual(['task/ended', 'session/title'])
  for (const { sessionId } of [before, within]) expect(problemsOf(await events(sessionId))).toEqual([])
})

test('S11 before the first message there is nothing, and the title comes from the new first message', async () => {
  const world = copiesWorld([text('one'), text('again')])
  const { host, events, stores, say } = world
  const id = await world.create()
  await world.say(id, 'Helo')
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq: seqOf(await events(id), 'user/message') })
  expect(await events(sessionId)).toEqual([])
  expect((await stores.sessions.get(sessionId))?.title).toBe('')
  await say(sessionId, 'Hello')
  expect((await stores.sessions.get(sessionId))?.title).toBe('Hello')
})

test('S11 S8 a fork inside a turn is closed as a kill there would have been: valid, and ready to go on', async () => {
  const { host, events, say, id, log } = await twoTurns()
  for (const type of ['step/start', 'assistant/message', 'tool/call', 'tool/result', 'step/end'] as const) {
    for (const beforeSeq of [seqOf(log, type), seqOf(log, type) + 1]) {
      const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq })
      const forked = await events(sessionId)
      expect(upTo(forked, beforeSeq)).toEqual(upTo(log, beforeSeq))
      expect(problemsOf(forked)).toEqual([])
      expect(forked.findLast((event) => event.type === 'turn/end')?.data).toMatchObject({ turn: 1, reason: { kind: 'interrupted' } })
      expect((await host.sessions.list({})).find((row) => row.id === sessionId)?.status).toBe('interrupted')
    }
  }
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq: seqOf(log, 'tool/result') })
  await say(sessionId, 'go on')
  expect(problemsOf(await events(sessionId))).toEqual([])
})

test('S11 every point of a log can be forked, and every fork can be opened', async () => {
  const { host, events, runtime, id, log } = await twoTurns()
  for (let beforeSeq = 0; beforeSeq <= log.length; beforeSeq++) {
    const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq })
    const forked = await events(sessionId)
    expect(problemsOf(forked), `at ${beforeSeq}`).toEqual([])
    const { port1, port2 } = new MessageChannel()
    await host.log.watch({ sessionId, after: -1, port: port2 })
    expect(runtime.agents.get(sessionId)?.session.events.length).toBe(forked.length)
    port1.close()
  }
})

test('S11 a parent that is at work goes on undisturbed, and what it has not stored yet is in the fork', async () => {
  const here = gate()
  const world = copiesWorld([text('one'), text('ab', { chunks: ['a', here, 'b'] })])
  const id = await world.create('Busy')
  await world.say(id, 'first')
  await world.host.drive.send({ sessionId: id, messageId: 'm2', content: [{ type: 'text', text: 'second' }] })
  await here.reached
  const beforeSeq = world.runtime.agents.get(id)!.session.events.length
  const { sessionId } = await world.host.sessions.fork({ sessionId: id, beforeSeq })
  expect(JSON.stringify(await world.events(sessionId))).toContain('"interrupted":true')
  expect(problemsOf(await world.events(sessionId))).toEqual([])
  here.open()
  await world.runtime.agents.get(id)?.whenIdle()
  expect((await world.events(id)).at(-1)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'completed' } } })
})

test('S11 S13 deleting either leaves the other whole, and deleting both leaves no blob', async () => {
  for (const order of ['parent first', 'fork first']) {
    const { host, stores, events, files, say, id, log } = await twoTurns()
    const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq: log.length })
    const [first, second] = order === 'parent first' ? [id, sessionId] : [sessionId, id]
    await host.sessions.remove({ sessionId: first })
    expect(upTo(await events(second), log.length)).toEqual(log)
    expect(await files(second)).toEqual({ '/a': '2', '/b': '2' })
    // Every earlier tree is still there.
    const again = await host.sessions.fork({ sessionId: second, beforeSeq: seqOf(log, 'turn/end') + 1 })
    expect(await files(again.sessionId)).toEqual({ '/a': '1' })
    await say(second, 'go on')
    const owners = await stores.blobs.owners('')
    expect(owners.toSorted()).toEqual([second, again.sessionId].sort())
    for (const each of owners) await host.sessions.remove({ sessionId: each })
    expect(await stores.blobs.owners('')).toEqual([])
  }
})

test('S11 a fork of a fork from before its own first turn has the files of that older point', async () => {
  const { host, files, id, log } = await twoTurns()
  const first = await host.sessions.fork({ sessionId: id, beforeSeq: log.length })
  const second = await host.sessions.fork({ sessionId: first.sessionId, beforeSeq: seqOf(log, 'turn/end') + 1 })
  expect(await files(second.sessionId)).toEqual({ '/a': '1' })
  const third = await host.sessions.fork({ sessionId: second.sessionId, beforeSeq: seqOf(log, 'tool/call') })
  expect(await files(third.sessionId)).toEqual({})
})

test('S11 a session whose log never named its files gives a fork those that it has', async () => {
  const { host, stores, create, write, files } = copiesWorld()
  const id = await create('Old')
  await write(id, '/a', 'from before snapshots')
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq: (await stores.sessions.get(id))!.nextSeq })
  await write(id, '/a', 'changed')
  expect(await files(sessionId)).toEqual({ '/a': 'from before snapshots' })
})

test('S11 a file that is overwritten while the fork is made is in the fork as it was', async () => {
  const { stores, create, write, files } = copiesWorld()
  const id = await create('Old')
  await write(id, '/a', 'as it was')
  const whole: typeof stores.whole = {
    ...stores.whole,
    async fork(fork) {
      await write(id, '/a', 'overwritten')
      await stores.whole.fork(fork)
    },
  }
  const other = copiesWorld([], { ...stores, whole })
  const { sessionId } = await other.host.sessions.fork({ sessionId: id, beforeSeq: 1 })
  expect(await files(sessionId)).toEqual({ '/a': 'as it was' })
})

test('S11 what this worker holds of the parent is stored first: nobody waits for the next write', async () => {
  const { host, runtime, create } = copiesWorld()
  const id = await create('Trip')
  await host.sessions.fork({ sessionId: id, beforeSeq: 0 }) // loads the code
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const { seq } = runtime.agents.get(id)!.session.append('session/title', { title: 'Renamed', by: 'user' })
  await host.sessions.fork({ sessionId: id, beforeSeq: seq + 1 })
  vi.useRealTimers()
})

test('S11 what waits in the inbox stays with the parent', async () => {
  const here = gate()
  const { host, stores, create, runtime } = copiesWorld([reply(hold(here)), text('later')])
  const id = await create()
  await host.drive.send({ sessionId: id, messageId: 'm1', content: [{ type: 'text', text: 'one' }] })
  await here.reached
  await host.drive.send({ sessionId: id, messageId: 'm2', content: [{ type: 'text', text: 'waits' }] })
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq: 2 })
  expect(await stores.sessions.waiting(id)).toHaveLength(1)
  expect(await stores.sessions.waiting(sessionId)).toEqual([])
  here.open()
  await runtime.agents.get(id)?.whenIdle()
})

test('S11 a point that is not in the log, and a session that is not there, are refused', async () => {
  const { host, stores, id, log } = await twoTurns()
  await expectCode(host.sessions.fork({ sessionId: id, beforeSeq: log.length + 1 }), 'command/invalid')
  await expectCode(host.sessions.fork({ sessionId: 'none', beforeSeq: 0 }), 'session/unknown')
  expect(await stores.sessions.list({})).toHaveLength(1)
})

test('S11 a fork of a helper’s session stands for itself', async () => {
  const { host, stores } = copiesWorld()
  const helper = { version: 1, id: 'helper', createdAt: 1, parentSession: 'parent', depth: 1 } as const
  await stores.sessions.create({
    id: 'helper',
    header: helper,
    title: '',
    createdAt: 1,
    updatedAt: 1,
    turns: 0,
    status: 'idle',
    cost: null,
  })
  const { sessionId } = await host.sessions.fork({ sessionId: 'helper', beforeSeq: 0 })
  expect((await host.sessions.list({})).map(({ id }) => id)).toEqual([sessionId])
})
