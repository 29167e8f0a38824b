// How events lie in the database: packed, written once, and refused when they are damaged (S2, S8; P-e04).
import type { IDBPDatabase } from 'idb'
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import type { SideloopSchema } from '../../../src/storage/idb/schema.ts'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { expectCode } from '../../contract/expect-code.ts'
import { delta, foreign, logOf, rowOf } from '../../contract/session-samples.ts'
import { freshNamespace } from './idb-harness.ts'

const ALL = { after: -1 }

let name = ''
let stores: Stores
let raw: IDBPDatabase<SideloopSchema>
let epoch = 0

beforeEach(async () => {
  const namespace = freshNamespace()
  name = databaseName(namespace)
  stores = openIdbStorage({ namespace })
  await stores.sessions.create(rowOf('s1'))
  epoch = (await stores.sessions.claim('s1')).epoch
  raw = await openDB<SideloopSchema>(name)
})
afterEach(async () => {
  vi.restoreAllMocks()
  raw.close()
  stores.close()
  await deleteDB(name)
})

const commit = (events: readonly SessionEvent[]): Promise<void> => stores.sessions.commit({ sessionId: 's1', epoch, events }, 'relaxed')
const rowsOf = async (): Promise<unknown> => (await raw.getAll('segments')).map(({ firstSeq, events }) => [firstSeq, events.length])

describe('segments', () => {
  it('S2 a run of deltas is one row in its segment, and the log is the same event by event', async () => {
    await commit(logOf(500))
    await commit([delta(500, 'a'), delta(501, 'b')])
    expect(await rowsOf()).toEqual([
      [0, 4],
      [500, 2],
    ])
    expect(await stores.sessions.read('s1', ALL)).toEqual([...logOf(500), delta(500, 'a'), delta(501, 'b')])
  })

  it('S2 packed text of every kind comes back from the database as it was, lone surrogates and null characters too', async () => {
    const pieces = ['plain ', '\ud83d', '\ude00', '\u0000', '', '\udc00', '日本', 'ÿ', '\r\n', '"']
    const events = pieces.map((piece, seq) => delta(seq, piece))
    await commit(events)
    expect(await rowsOf()).toEqual([[0, 1]])
    expect(JSON.stringify(await stores.sessions.read('s1', ALL))).toBe(JSON.stringify(events))
  })

  it.each([3, 400, 502, 0])(
    'S4 a row that says %i where its segments end at 500 is refused when it is claimed, and nothing is changed',
    async (nextSeq) => {
      await commit(logOf(500))
      const row = await raw.get('sessions', 's1')
      const wrong = { ...row!, nextSeq }
      await raw.put('sessions', wrong)
      await expectCode(stores.sessions.claim('s1'), 'session/invalid')
      expect(await raw.get('sessions', 's1')).toEqual(wrong)
      expect((await raw.getAllKeys('segments')).length).toBe(1)
    },
  )

  it('a long commit becomes several segments of bounded length', async () => {
    await commit(logOf(2_500))
    expect((await raw.getAllKeys('segments')).map(([, firstSeq]) => firstSeq)).toEqual([0, 1_000, 2_000])
    expect(await stores.sessions.read('s1', ALL)).toEqual(logOf(2_500))
  })

  it('P-e04 a commit writes its own events and nothing of what is there, however long the session is', async () => {
    for (let i = 0; i < 10; i++) await commit(logOf(i * 1_000 + 1_000).slice(i * 1_000))
    const before = await raw.getAll('segments')
    const add = vi.spyOn(IDBObjectStore.prototype, 'add')
    const put = vi.spyOn(IDBObjectStore.prototype, 'put')
    const get = vi.spyOn(IDBObjectStore.prototype, 'get')
    await commit(logOf(10_050).slice(10_000))
    expect(add).toHaveBeenCalledTimes(1)
    expect(put).toHaveBeenCalledTimes(1)
    expect(get).toHaveBeenCalledTimes(1)
    expect(JSON.stringify([add.mock.calls, put.mock.calls]).length).toBeLessThan(3_000)
    expect((await raw.getAll('segments')).slice(0, -1)).toEqual(before)
  })

  it('S10 the newest part is read without the segments before it', async () => {
    for (let i = 0; i < 5; i++) await commit(logOf(i * 1_000 + 1_000).slice(i * 1_000))
    const getAll = vi.spyOn(IDBObjectStore.prototype, 'getAll')
    expect(await stores.sessions.read('s1', { after: 4_989 })).toEqual(logOf(5_000).slice(4_990))
    const range = getAll.mock.calls[0]?.[0] as IDBKeyRange
    expect(range.lower).toEqual(['s1', 4_000])
  })

  it('S10 the list of sessions reads no log', async () => {
    await commit(logOf(100))
    const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction')
    await stores.sessions.list({})
    expect(transactions.mock.calls.map(([names]) => names)).toEqual([['sessions']])
  })

  const inPieces = async (length: number, size: number): Promise<void> => {
    for (let from = 0; from < length; from += size) await commit(logOf(Math.min(length, from + size)).slice(from))
  }
  const mergeAll = async (from = 0): Promise<number> => {
    const { from: next, more } = await stores.sessions.merge('s1', { epoch, from })
    return more ? mergeAll(next) : next
  }

  it('S2 small segments become full ones, in short transactions, and the newest goes on growing', async () => {
    await inPieces(2_400, 40)
    const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction')
    const next = await mergeAll()
    expect(transactions.mock.calls.length).toBeLessThanOrEqual(3)
    expect(await rowsOf()).toEqual([
      [0, 4],
      [1_000, 1],
      [2_000, 1],
    ])
    expect(next).toBe(2_000)
    expect(await stores.sessions.read('s1', ALL)).toEqual(logOf(2_400))
    for (let i = 0; i < 5; i++) {
      await commit(logOf(2_410 + i * 10).slice(2_400 + i * 10))
      expect(await mergeAll(next)).toBe(2_000)
    }
    expect(await rowsOf()).toHaveLength(5)
    expect(await stores.sessions.read('s1', ALL)).toEqual(logOf(2_450))
  })

  it('S10 who reads while it is merged sees every event once', async () => {
    await inPieces(900, 10)
    const reads: Promise<readonly SessionEvent[]>[] = []
    for (let from = 0, more = true; more; ) {
      reads.push(stores.sessions.read('s1', ALL), stores.sessions.read('s1', { after: 500 }))
      ;({ from, more } = await stores.sessions.merge('s1', { epoch, from }))
      reads.push(stores.sessions.read('s1', ALL), stores.sessions.read('s1', { after: 500 }))
    }
    for (const [i, events] of (await Promise.all(reads)).entries()) expect(events).toEqual(logOf(900).slice(i % 2 === 0 ? 0 : 501))
  })

  it('S2 damaged segments are not merged: they stay as they lie', async () => {
    await inPieces(40, 10)
    const [, second] = await raw.getAll('segments')
    await raw.put('segments', foreign({ ...second!, events: [null] }))
    const before = await raw.getAll('segments')
    await expectCode(mergeAll(), 'session/invalid')
    expect(await raw.getAll('segments')).toEqual(before)
  })

  it('S2 a second writer fails also where segments were merged meanwhile', async () => {
    await inPieces(20, 5)
    await mergeAll()
    expect(await raw.getAllKeys('segments')).toEqual([['s1', 0]])
    await expectCode(commit(logOf(15).slice(10)), 'storage/conflict')
    expect(await stores.sessions.read('s1', ALL)).toEqual(logOf(20))
  })

  it('S2 a row that was changed behind the back of its writer is not overwritten with what the writer remembers', async () => {
    await commit(logOf(10))
    const row = (await raw.get('sessions', 's1'))!
    await raw.put('sessions', { ...row, title: 'Changed elsewhere' })
    await commit(logOf(20).slice(10))
    expect(await raw.get('sessions', 's1')).toEqual({ ...row, title: 'Changed elsewhere', nextSeq: 20 })
    await raw.put('sessions', { ...row, nextSeq: 15 })
    await expectCode(commit(logOf(30).slice(20)), 'storage/conflict')
    expect((await raw.get('sessions', 's1'))?.nextSeq).toBe(15)
    expect((await raw.getAllKeys('segments')).length).toBe(2)
  })
})

describe('damaged rows', () => {
  const damage = async (change: (events: unknown[]) => unknown): Promise<void> => {
    const segment = (await raw.get('segments', ['s1', 0]))!
    await raw.put('segments', foreign({ ...segment, events: change([...segment.events]) as object }))
  }

  it('a segment that is missing, cut, repeated or of another shape is refused, and nothing is changed', async () => {
    await commit(logOf(50))
    await commit(logOf(60).slice(50))
    const whole = (await raw.get('segments', ['s1', 0]))!
    const damages: ((events: unknown[]) => unknown)[] = [
      (events) => events.slice(0, -1),
      (events) => events.slice(1),
      (events) => [events[0], events[0], ...events.slice(2)],
      () => 'none',
      (events) => [null, ...events.slice(1)],
      (events) => events.map((event) => ({ ...(event as object), gaps: ' ' })),
      (events) => events.map((event) => ({ ...(event as object), run: 'text-omega' })),
      (events) => events.map((event) => ({ ...(event as object), time: 'noon' })),
      (events) => events.map((event) => ({ ...(event as object), data: [] })),
    ]
    for (const each of damages) {
      await damage(each)
      const damaged = await raw.getAll('segments')
      await expectCode(stores.sessions.read('s1', ALL), 'session/invalid')
      expect(await raw.getAll('segments')).toEqual(damaged)
      await raw.put('segments', whole)
    }
    await raw.delete('segments', ['s1', 50])
    await expectCode(stores.sessions.read('s1', ALL), 'session/invalid')
    expect(await stores.sessions.read('s1', { after: -1, limit: 50 })).toEqual(logOf(50))
  })

  it('a session of a newer version stays in the list and is refused when it is opened; nothing is changed', async () => {
    const row = (await raw.get('sessions', 's1'))!
    const newer = foreign<typeof row>({ ...row, header: { ...row.header, version: 2 } })
    await raw.put('sessions', newer)
    expect((await stores.sessions.list({})).map((each) => each.title)).toEqual(['Session s1'])
    await expectCode(stores.sessions.get('s1'), 'session/invalid')
    await expectCode(stores.sessions.claim('s1'), 'session/invalid')
    await expectCode(commit(logOf(1)), 'session/invalid')
    expect(await raw.get('sessions', 's1')).toEqual(newer)
  })

  it('a row without even a title is left out of the list', async () => {
    await raw.put('sessions', foreign({ id: 's2', title: 7 }))
    expect((await stores.sessions.list({})).map((each) => each.id)).toEqual(['s1'])
    await expectCode(stores.sessions.get('s2'), 'session/invalid')
  })

  it('what waits is refused when it is damaged', async () => {
    await raw.put('inbox', foreign({ sessionId: 's1', waiting: [{ id: 'm1' }] }))
    await expectCode(stores.sessions.waiting('s1'), 'session/invalid')
  })
})
