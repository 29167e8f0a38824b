// What a page starts besides messages: task runs (T1, T6, T34) and a compaction that a person asks for (L80), through the host's commands.
import { afterEach, expect, test } from 'vitest'
import type { EventOf, SessionEvent } from '../../../src/storage/log/events.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { type MountedHost, mountHost } from '../../../src/worker/host/mount-host.ts'
import { checkCommands } from '../../../src/worker/protocol/commands.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { memoryLeases } from '../../kit/memory-leases.ts'
import { hold, type Reply, reply, text, toolCall, usage } from '../../kit/replies.ts'
import { type ScriptedModel, scriptedModel } from '../../kit/scripted-model.ts'
import { dataOf } from '../../kit/test-runtime.ts'

const mounted: MountedHost[] = []
afterEach(async () => {
  for (const each of mounted.splice(0)) await each.dispose()
})

type World = Pick<MountedHost, 'host' | 'runtime'> & {
  readonly model: ScriptedModel
  readonly sessionId: string
  events(): readonly SessionEvent[]
  ended(): Promise<EventOf<'task/ended'>>
}

const world = async (replies: readonly Reply[]): Promise<World> => {
  const model = scriptedModel(replies)
  const served = { provider: 'test', label: 'Scripted', models: ['scripted'], adapter: model }
  const made = mountHost({ stores: openMemoryStorage(), leases: memoryLeases(), models: [served] })
  mounted.push(made)
  const host = checkCommands(made.host)
  const { sessionId } = await host.sessions.create({})
  const events = () => made.runtime.sessions.get(sessionId)?.events ?? []
  const ended = (): Promise<EventOf<'task/ended'>> =>
    new Promise((resolve) => {
      const look = (event: SessionEvent | undefined): void => {
        if (event?.type === 'task/ended') resolve(event)
      }
      look(events().find(({ type }) => type === 'task/ended'))
      made.runtime.on('session/event', ({ id }, event) => id === sessionId && look(event))
    })
  return { ...made, host, model, sessionId, events, ended }
}

const words = (said: string) => [{ type: 'text' as const, text: said }]
const done = toolCall('status', { task: 'it', done: 'all', complete: true })
const toolNames = ({ requests }: ScriptedModel, n: number): readonly string[] => requests[n]?.tools?.map(({ name }) => name) ?? []

test('T1 a run that a page starts is on disk when it is acknowledged, and its outcome is an event', async () => {
  const { host, sessionId, ended, events } = await world([text('Half of it.'), done])
  await host.drive.run({ sessionId, messageId: 'm1', content: words('do it'), task: { kind: 'task' } })
  const stored = await host.log.read({ sessionId, after: -1 })
  expect(stored.map(({ type }) => type)).toContain('task/started')
  const { data } = await ended()
  expect(data.result).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
  expect(dataOf(events(), 'user/message').map(({ id }) => id)).toEqual(['m1'])
  expect(dataOf(events(), 'task/noted').map(({ name }) => name)).toContain('nudge')
})

test('T6 the tools of a run are there in a run only', async () => {
  const { host, sessionId, ended, model, runtime } = await world([text('Hello.'), done])
  await host.drive.send({ sessionId, messageId: 'm1', content: words('hello') })
  await runtime.agents.get(sessionId)?.whenIdle()
  await host.drive.run({ sessionId, messageId: 'm2', content: words('do it'), task: {} })
  await ended()
  const [chat, run] = [toolNames(model, 0), toolNames(model, 1)]
  expect(run.filter((name) => !chat.includes(name))).toEqual(['delegate', 'status'])
  expect(chat).toContain('run_js')
})

test('T1 a repeated command starts no second run, and one for a busy agent is refused in words', async () => {
  const here = gate()
  const { host, sessionId, ended, events } = await world([[text('Wait.'), hold(here)]])
  const order = { sessionId, messageId: 'm1', content: words('do it'), task: {} }
  await host.drive.run(order)
  await here.reached
  await host.drive.run(order)
  await expect(host.drive.run({ ...order, messageId: 'm2' })).rejects.toMatchObject({
    code: 'command/invalid',
    message: expect.stringContaining('at work'),
  })
  await host.drive.cancel({ sessionId, reason: 'enough' })
  expect((await ended()).data.result).toMatchObject({ success: false, exitReason: 'stopped' })
  await host.drive.run(order)
  expect(dataOf(events(), 'task/started')).toHaveLength(1)
})

test('T30 the limits of an order hold, and one that cannot be is refused before anything is stored', async () => {
  const { host, sessionId, ended, events } = await world([toolCall('list_files', {}), text('never')])
  const order = { sessionId, messageId: 'm1', content: words('do it') }
  await expect(host.drive.run({ ...order, task: { budget: { cost: 0 } } })).rejects.toMatchObject({ code: 'command/invalid' })
  expect(events()).toEqual([])
  await host.drive.run({ ...order, task: { maxSteps: 1 } })
  expect((await ended()).data.result.exitReason).toBe('max_iterations')
})

test('T34 a run hands work to a helper, whose session is no row of the list and goes with its parent', async () => {
  const { host, sessionId, ended, runtime } = await world([
    toolCall('delegate', { kind: 'explore', prompt: 'look' }),
    text('I looked.'),
    done,
  ])
  await host.drive.run({ sessionId, messageId: 'm1', content: words('do it'), task: {} })
  expect((await ended()).data.result).toMatchObject({ success: true, toolCount: 2 })
  const child = dataOf(runtime.sessions.get(sessionId)?.events ?? [], 'task/noted').find(({ name }) => name === 'child')
  const { session: childId } = (child?.data ?? {}) as { readonly session: string }
  expect((await host.log.read({ sessionId: childId, after: -1 })).length).toBeGreaterThan(0)
  expect((await host.sessions.list({})).map(({ id }) => id)).toEqual([sessionId])
  await host.sessions.remove({ sessionId })
  await expect(host.log.read({ sessionId: childId, after: -1 })).rejects.toMatchObject({ code: 'session/unknown' })
})

test('L80 a person asks for a compaction, and a cancel stops it', async () => {
  const long = (name: string) => `${name} ${'word '.repeat(80)}`
  const here = gate()
  const { host, sessionId, runtime, events } = await world([
    ...['a', 'b'].map((name) => reply(text(long(name)), usage(900, 5))),
    text('A summary.'),
    reply(text(long('c')), usage(900, 5)),
    [text('never'), hold(here)],
  ])
  const say = async (id: string): Promise<void> => {
    await host.drive.send({ sessionId, messageId: id, content: words(long(id)) })
    await runtime.agents.get(sessionId)?.whenIdle()
  }
  await say('m1')
  await say('m2')
  expect(await host.drive.compact({ sessionId })).toMatchObject({ outcome: 'done' })
  await say('m3')
  const asked = host.drive.compact({ sessionId })
  await here.reached
  await host.drive.cancel({ sessionId })
  expect(await asked).toMatchObject({ outcome: 'aborted' })
  expect(problemsOf(events())).toEqual([])
})

test('T30 the list of sessions tells what each cost, by the price table where the vendor says nothing', async () => {
  const { host, sessionId, model, runtime } = await world([reply(text('ok'), usage(1_000_000, 100_000))])
  Object.assign(model, { info: () => ({ prices: { input: 2, output: 10, asOf: '2026-01-01' } }) })
  await host.drive.send({ sessionId, messageId: 'm1', content: words('go') })
  await runtime.agents.get(sessionId)?.whenIdle()
  expect(await host.sessions.list({})).toMatchObject([{ id: sessionId, cost: 3 }])
})
