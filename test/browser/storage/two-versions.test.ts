// Tabs of different versions over one database, each a worker of its own (S6).
import { type Remote, wrap } from 'comlink'
import { deleteDB } from 'idb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import { installErrorTransfer } from '../../../src/worker/client/error-transfer.ts'
import { expectCode } from '../../contract/expect-code.ts'
import { freshNamespace } from './idb-harness.ts'
import type { Versioned } from './versioned.worker.ts'

type Tab = { readonly worker: Remote<Versioned>; readonly close: () => void }

let namespace = ''
const workers: Worker[] = []

/** A tab whose code knows so many migrations more than today's. */
const tab = async (newer: number): Promise<Tab> => {
  const worker = new Worker(new URL('./versioned.worker.ts', import.meta.url), { type: 'module' })
  workers.push(worker)
  const remote = wrap<Versioned>(worker)
  await remote.start(namespace, newer)
  return { worker: remote, close: () => worker.terminate() }
}

beforeEach(() => {
  installErrorTransfer()
  namespace = freshNamespace()
})
afterEach(async () => {
  for (const worker of workers.splice(0)) worker.terminate()
  await deleteDB(databaseName(namespace))
})

it('S6 an old tab lets a newer one through at once, says that it needs a reload, and writes nothing more', async () => {
  const old = await tab(0)
  await old.worker.write('s1', 10)
  const newer = await tab(1)
  expect(await newer.worker.titles()).toEqual(['Session s1'])
  expect(await old.worker.trouble()).toMatchObject({ code: 'storage/blocked', message: expect.stringContaining('Reload this tab') })
  await expectCode(old.worker.write('s2', 10), 'storage/blocked')
  await newer.worker.write('s3', 20)
  expect(await newer.worker.length('s1')).toBe(10)
  expect(await newer.worker.length('s3')).toBe(20)
})

it('S6 what an old tab was writing when a newer one came is stored, or refused to whoever wrote it', async () => {
  const old = await tab(0)
  await old.worker.write('s0', 5)
  const newer = await tab(1)
  const writing = Array.from({ length: 10 }, (_, i) =>
    old.worker.write(`s${i + 1}`, 400).then(
      () => `Session s${i + 1}`,
      () => undefined,
    ),
  )
  await newer.worker.ready()
  const stored = (await Promise.all(writing)).filter((title) => title !== undefined)
  expect(await newer.worker.titles()).toEqual(expect.arrayContaining(['Session s0', ...stored]))
  for (const title of stored) expect(await newer.worker.length(title.slice('Session '.length))).toBe(400)
})

it('S6 an upgrade that a deaf tab holds back is told with what to do, and goes on when that tab is closed', async () => {
  const first = await tab(0)
  await first.worker.write('s1', 10)
  first.close()
  const deaf = await tab(0)
  await deaf.worker.hold(namespace)
  const newer = await tab(1)
  const error = await expectCode(newer.worker.titles(), 'storage/blocked')
  expect(error.message).toContain('Close the other tabs')
  expect(await newer.worker.trouble()).toMatchObject({ code: 'storage/blocked' })
  deaf.close()
  await vi.waitFor(async () => expect(await newer.worker.titles()).toEqual(['Session s1']))
  await newer.worker.write('s2', 10)
})

it('S6 old code that is started after the upgrade says what helps, changes nothing, and holds nobody up', async () => {
  const newer = await tab(1)
  await newer.worker.write('s1', 10)
  const old = await tab(0)
  const error = await expectCode(old.worker.titles(), 'storage/blocked')
  expect(error.message).toContain('Close all tabs of the application and open it again')
  await expectCode(old.worker.write('s2', 10), 'storage/blocked')
  expect(await newer.worker.titles()).toEqual(['Session s1'])
  const newest = await tab(2)
  expect(await newest.worker.titles()).toEqual(['Session s1'])
})
