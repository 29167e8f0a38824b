// When a writer merges what it stored in pieces (S2): in pauses, in its turn, and never in the way of what is to be stored.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { SessionStore } from '../../../src/storage/session-store.ts'
import { createSessionWriter, MERGE_AFTER, type SessionWriter } from '../../../src/worker/plugins/persistence/session-writer.ts'
import { logOf, rowOf } from '../../contract/session-samples.ts'

type Merge = SessionStore['merge']
type World = {
  readonly writer: SessionWriter
  readonly merges: readonly (readonly unknown[])[]
  readonly store: SessionStore
  grow(): Promise<void>
}

const world = async ({ stored = 0, merge }: { stored?: number; merge?: Merge } = {}): Promise<World> => {
  const { sessions } = openMemoryStorage()
  await sessions.create(rowOf('s'))
  const { epoch } = await sessions.claim('s')
  let events: readonly SessionEvent[] = logOf(stored)
  await sessions.commit({ sessionId: 's', epoch, events }, 'relaxed')
  const merges: unknown[][] = []
  const store: SessionStore = {
    ...sessions,
    async merge(...given) {
      merges.push(given)
      return merge === undefined ? sessions.merge(...given) : merge(...given)
    },
  }
  const writer = createSessionWriter(store, {
    sessionId: 's',
    stored,
    claim: async () => epoch,
    events: () => events,
    waiting: () => undefined,
    row: () => ({}),
    report: () => {},
    onListed: () => {},
  })
  const grow = async (): Promise<void> => {
    events = logOf(events.length + 3)
    await writer.flush()
  }
  return { writer, merges, store, grow }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('S2 after many commits, and a pause, what was stored in pieces is merged; a session of few commits is not touched', async () => {
  const { merges, grow } = await world()
  for (let i = 1; i < MERGE_AFTER; i++) await grow()
  await vi.runAllTimersAsync()
  expect(merges).toEqual([])
  await grow()
  await vi.advanceTimersByTimeAsync(100)
  expect(merges).toEqual([])
  await vi.runAllTimersAsync()
  expect(merges).toEqual([['s', { epoch: 1, from: 0 }]])
})

test('S2 what an earlier life left in pieces is merged after the first commit', async () => {
  const { merges, grow } = await world({ stored: 20 })
  await grow()
  await vi.runAllTimersAsync()
  expect(merges).toHaveLength(1)
})

test('S2 a merge goes on where it ended, one transaction at a time, and what is to be stored meanwhile comes between', async () => {
  const order: string[] = []
  const { writer, merges, store, grow } = await world({
    stored: 20,
    merge: async (_id, { from }) => {
      order.push(`merge ${from}`)
      if (from === 0) void grow().then(() => order.push('stored'))
      return { from: from + 5, more: from < 10 }
    },
  })
  await grow()
  await vi.runAllTimersAsync()
  expect(order).toEqual(['merge 0', 'stored', 'merge 5', 'merge 10'])
  expect(merges).toHaveLength(3)
  expect(await store.read('s', { after: -1 })).toEqual(logOf(26))
  expect(writer.failure).toBeUndefined()
})

test('S2 a session that never pauses is merged all the same', async () => {
  const { merges, grow } = await world()
  for (let i = 0; i < 8 * MERGE_AFTER; i++) await grow()
  await vi.advanceTimersByTimeAsync(0)
  expect(merges).toHaveLength(1)
})

test('S4 a merge that fails is no failure of the session, and is not tried again before there is more to merge', async () => {
  const { writer, merges, grow } = await world({
    stored: 20,
    merge: async () => {
      throw new SideloopError('storage/quota', 'full')
    },
  })
  await grow()
  await vi.runAllTimersAsync()
  await grow()
  await vi.runAllTimersAsync()
  expect(merges).toHaveLength(1)
  expect(writer.failure).toBeUndefined()
  expect(writer.stored).toBe(26)
})

test('S2 a writer that was stopped merges nothing', async () => {
  const { writer, merges, grow } = await world({ stored: 20 })
  await grow()
  writer.stop()
  await vi.runAllTimersAsync()
  expect(merges).toEqual([])
})

test.each(['stopped', 'refused'])('S2 a merge that is under way goes no further when its writer was %s', async (how) => {
  const { writer, merges, grow } = await world({
    stored: 20,
    merge: async () => {
      if (how === 'stopped') writer.stop()
      else writer.refuse(new SideloopError('storage/blocked', 'too old'))
      return { from: 5, more: true }
    },
  })
  await grow()
  await vi.runAllTimersAsync()
  expect(merges).toHaveLength(1)
})
