// What a store tells by itself (S4, S6): it takes nothing any more, or what it had is gone.
import { expect, test, vi } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { SessionStore } from '../../../src/storage/session-store.ts'
import { type Persistence, persistence } from '../../../src/worker/plugins/persistence/persistence.ts'
import { gate } from '../../kit/gate.ts'
import { type Reply, text } from '../../kit/replies.ts'
import { dataOf, type TestRuntime, testRuntime } from '../../kit/test-runtime.ts'

const options = { provider: 'test', model: 'scripted' }
const tooOld = new SideloopError('storage/blocked', 'Reload this tab.')

type World = TestRuntime & { readonly saved: Persistence; readonly store: SessionStore; commits(): number }

const mount = (replies: readonly Reply[]): World => {
  const store = openMemoryStorage().sessions
  const commit = vi.spyOn(store, 'commit')
  const saved = persistence(store)
  const made = testRuntime(replies)
  made.runtime.use(saved.plugin)
  return { ...made, saved, store, commits: () => commit.mock.calls.length }
}
const start = async ({ runtime }: World) => (await runtime.agents.create({ agentId: 'a', sessionId: 's', agentOptions: options })).agent
const failed = ({ saved }: World): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (saved.state('s').failure !== undefined) resolve()
    }
    saved.onChange(look)
    look()
  })

test('S6 a tab that became too old says so at once, and its turn does not go on unsaved', async () => {
  const pause = gate()
  const world = mount([text('half and more', { chunks: ['half', pause, ' and more'] })])
  const agent = await start(world)
  agent.send('go')
  await pause.reached
  world.saved.onTrouble(tooOld)
  expect(world.saved.state('s').failure).toBe(tooOld)
  pause.open()
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'turn/end').at(-1)?.reason).toMatchObject({ kind: 'error', code: 'storage/blocked' })
})

test('S4 a store that refused is asked again by the next barrier, also when there is nothing new, and then it goes on', async () => {
  const world = mount([text('one')])
  const agent = await start(world)
  agent.send('go')
  await agent.whenIdle()
  const before = world.commits()
  world.saved.onTrouble(tooOld)
  await world.saved.flush('s')
  expect(world.commits()).toBe(before + 1)
  expect(world.saved.state('s').failure).toBeUndefined()
})

test('S4 a session that the browser has removed is noticed with the next write: it says so, and it is not tried again and again', async () => {
  const world = mount([text('one'), text('two')])
  const agent = await start(world)
  agent.send('go')
  await agent.whenIdle()
  await world.store.remove('s')
  agent.send('more')
  await agent.whenIdle()
  const { failure } = world.saved.state('s')
  expect(failure).toMatchObject({ code: 'storage/lost', message: expect.stringContaining('copy what you need') })
  expect(world.model.requests.length, 'no request leaves unsaved').toBe(1)
  const before = world.commits()
  vi.useFakeTimers()
  for (let data = 0; data < 5; data++) {
    agent.session.append('plugin/noted', { plugin: 'test', data })
    await vi.advanceTimersByTimeAsync(1_000)
  }
  vi.useRealTimers()
  expect(world.commits()).toBe(before)
  expect(await world.store.get('s'), 'a session that was deleted is not made again').toBeUndefined()
})

test('S4 a session that is gone with its database is noticed without a write, and one that is still there says nothing', async () => {
  const world = mount([text('one')])
  const agent = await start(world)
  agent.send('go')
  await agent.whenIdle()
  world.saved.onTrouble(undefined)
  await world.saved.flush('s')
  expect(world.saved.state('s').failure).toBeUndefined()
  await world.store.remove('s')
  world.saved.onTrouble(undefined)
  await failed(world)
  expect(world.saved.state('s').failure?.code).toBe('storage/lost')
})
