// Copies of whole sessions in real IndexedDB that break off: at every request, and by the end of their worker (S11, S12, S16).
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import { databaseName, type SideloopSchema } from '../../../src/storage/idb/schema.ts'
import { packEvents } from '../../../src/storage/log/delta-runs.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { eventOf, logOf, rowOf, START } from '../../contract/session-samples.ts'
import { freshNamespace } from './idb-harness.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const LENGTH = 120

let namespace = ''
let stores: Stores

/** Everything that is in the database, in order. */
const everything = async (): Promise<unknown> => {
  const db = await openDB<SideloopSchema>(databaseName(namespace))
  const names = ['sessions', 'segments', 'inbox', 'files', 'claims', 'blobs'] as const
  const all = await Promise.all(names.map((name) => db.getAll(name)))
  db.close()
  return all
}

beforeEach(async () => {
  namespace = freshNamespace()
  stores = openIdbStorage({ namespace, retryAfterMs: [] })
  await stores.sessions.create(rowOf('s1'))
  const { epoch } = await stores.sessions.claim('s1')
  for (let from = 0; from < LENGTH; from += 3)
    await stores.sessions.commit({ sessionId: 's1', epoch, events: logOf(from + 3, from) }, 'relaxed')
  for (const path of ['/a', '/b', '/c']) await stores.files.write('s1', path, bytesOf(path), { modifiedAt: START })
  await stores.blobs.claim(
    (await stores.files.list('s1', '/')).map(({ blob }) => blob),
    's1',
  )
  await stores.blobs.put(bytesOf('held'), 'holder')
})
afterEach(async () => {
  vi.restoreAllMocks()
  stores.close()
  await deleteDB(databaseName(namespace))
})

/** Runs it with the transaction aborted at its request number `at`; `reached`: it came so far. */
const abortedAt = async (
  at: number,
  work: () => Promise<void>,
  abort: (tx: IDBTransaction) => void = (tx) => tx.abort(),
): Promise<{ readonly reached: boolean; readonly outcome: string }> => {
  let count = 0
  let reached = false
  for (const method of ['add', 'put', 'delete', 'get', 'getAll', 'getAllKeys'] as const) {
    const original = IDBObjectStore.prototype[method] as (this: IDBObjectStore, ...args: unknown[]) => IDBRequest
    vi.spyOn(IDBObjectStore.prototype, method).mockImplementation(function (this: IDBObjectStore, ...args: unknown[]) {
      const request = original.apply(this, args)
      if (count++ === at) {
        reached = true
        abort(this.transaction)
      }
      return request as never
    })
  }
  const outcome = await work().then(
    () => 'done',
    () => 'failed',
  )
  vi.restoreAllMocks()
  return { reached, outcome }
}

/** As a browser does it: between two callbacks. */
const abortSoon = (tx: IDBTransaction): void =>
  queueMicrotask(() => {
    try {
      tx.abort()
    } catch {
      // InvalidStateError: it was committed already.
    }
  })

const copies = {
  fork: async () => {
    const files = await stores.files.list('s1', '/')
    const more = [eventOf(LENGTH - 1, 'session/title', { title: 'Again', by: 'user' })]
    return () => stores.whole.fork({ from: 's1', length: LENGTH - 1, row: rowOf('s2'), more, files })
  },
  arrival: async () => {
    const files = await stores.files.list('s1', '/')
    const parts = [packEvents(logOf(100))]
    return () =>
      stores.whole.add(
        ['s2', 's3'].map((id) => ({ row: rowOf(id), parts, files, blobs: files.map(({ blob }) => blob) })),
        'holder',
      )
  },
  removal: async () => () => stores.whole.remove('s1'),
}

test.each(['fork', 'arrival', 'removal'] as const)(
  'S11 S12 S13 what is aborted at any of its requests (%s) leaves the database as it was',
  async (kind) => {
    const work = await copies[kind]()
    const before = await everything()
    let at = 0
    for (; ; at++) {
      const { reached, outcome } = await abortedAt(at, work)
      if (!reached) break
      expect(outcome, `at ${at}`).toBe('failed')
      expect(await everything(), `at ${at}`).toEqual(before)
    }
    expect(at).toBeGreaterThan(8)
    expect(await everything()).not.toEqual(before)
  },
)

test('S7 S11 a fork whose connection is lost at any of its requests is tried again, and is there once and whole', async () => {
  stores.close()
  stores = openIdbStorage({ namespace })
  const work = await copies.fork()
  const before = await everything()
  for (let at = 0; ; at++) {
    const { reached, outcome } = await abortedAt(at, work, abortSoon)
    expect(outcome, `at ${at}`).toBe('done')
    expect((await stores.sessions.read('s2', { after: -1 })).slice(0, -1)).toEqual(logOf(LENGTH - 1))
    await stores.whole.remove('s2')
    expect(await everything(), `at ${at}`).toEqual(before)
    if (!reached) break
  }
})

test('S11 S16 whenever a worker is ended while it forks and removes, every session is whole and no other trace is left', async () => {
  for (let round = 0; round < 12; round++) {
    const worker = new Worker(new URL('./copier.worker.ts', import.meta.url), { type: 'module' })
    let started = 0
    await new Promise<void>((resolve) => {
      worker.onmessage = () => {
        // Ended in the middle of one, a little later each time.
        if (++started === 2) resolve()
      }
      worker.postMessage(namespace)
    })
    for (let i = 0; i < round * 80; i++) await Promise.resolve()
    worker.terminate()
  }
  const ids = (await stores.sessions.list({})).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(1)
  for (const id of ids) {
    expect(await stores.sessions.read(id, { after: -1 })).toEqual(logOf(LENGTH))
    expect((await stores.files.list(id, '/')).map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
  }
  expect(await stores.blobs.owners('')).toEqual(['holder', ...ids].sort())
  for (const id of ids) await stores.whole.remove(id)
  await stores.blobs.release('holder')
  expect(await everything()).toEqual([[], [], [], [], [], []])
})
