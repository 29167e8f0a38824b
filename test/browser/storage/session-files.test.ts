// Forks and session files in a real browser: IndexedDB, Web Locks, and the browser's own compression (S11, S12).
import { deleteDB } from 'idb'
import { afterEach, expect, test } from 'vitest'
import { writeFileTree } from '../../../src/storage/file-tree.ts'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { mountHost } from '../../../src/worker/host/mount-host.ts'
import { webLockLeases } from '../../../src/worker/host/tabs/lease.ts'
import { eventOf, logOf, rowOf, START } from '../../contract/session-samples.ts'
import { freshNamespace } from './idb-harness.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const ended: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ended.splice(0)) await end()
})

const world = () => {
  const namespace = freshNamespace()
  const stores = openIdbStorage({ namespace })
  const { host, dispose } = mountHost({ stores, leases: webLockLeases(namespace), models: [] })
  ended.push(async () => {
    await dispose()
    await deleteDB(databaseName(namespace))
  })
  const files = async (id: string) => {
    const entries = await stores.files.list(id, '/')
    return Object.fromEntries(
      await Promise.all(entries.map(async ({ path }) => [path, new TextDecoder().decode((await stores.files.read(id, path))?.bytes)])),
    ) as Record<string, string>
  }
  return { namespace, stores, host, files, events: (id: string) => stores.sessions.read(id, { after: -1 }) }
}

/** 3,000 events with a snapshot in the middle, and files that changed since. */
const filled = async () => {
  const here = world()
  const { sessions, files, blobs } = here.stores
  await sessions.create(rowOf('session-in-browser-1'))
  const { epoch } = await sessions.claim('session-in-browser-1')
  const { blob, size } = await files.write('session-in-browser-1', '/a', bytesOf('old '.repeat(500)), { modifiedAt: START })
  await blobs.claim([blob], 'session-in-browser-1')
  const tree = await blobs.put(writeFileTree([{ path: '/a', blob, size, modifiedAt: START }]), 'session-in-browser-1')
  await files.write('session-in-browser-1', '/a', bytesOf('new'), { modifiedAt: START })
  await files.write('session-in-browser-1', '/raw', crypto.getRandomValues(new Uint8Array(50_000)), { modifiedAt: START })
  const log: SessionEvent[] = [...logOf(1_500), eventOf(1_500, 'files/snapshot', { tree, changed: ['/a'] }), ...logOf(3_000, 1_501)]
  await sessions.commit({ sessionId: 'session-in-browser-1', epoch, events: log }, 'relaxed')
  return { ...here, id: 'session-in-browser-1', log }
}

test('S11 a fork has the packed prefix and the files that it named', async () => {
  const { host, events, files, id, log } = await filled()
  const { sessionId } = await host.sessions.fork({ sessionId: id, beforeSeq: 2_000 })
  expect((await events(sessionId)).slice(0, 2_000)).toEqual(log.slice(0, 2_000))
  expect((await events(sessionId)).at(-2)).toMatchObject({ type: 'turn/end' })
  expect(await files(sessionId)).toEqual({ '/a': 'old '.repeat(500) })
  expect((await files(id))['/a']).toBe('new')
})

test('S12 what one database exports another one imports as it was', async () => {
  const here = await filled()
  const { file, name } = await here.host.sessions.export({ sessionId: here.id })
  expect(name).toMatch(/\.sideloop\.zip$/)
  const there = world()
  await there.host.sessions.import({ file })
  expect((await there.events(here.id)).slice(0, here.log.length)).toEqual(here.log)
  expect(await there.files(here.id)).toEqual(await here.files(here.id))
  expect(await there.stores.blobs.owners('')).toEqual([here.id])
  const past = await there.host.sessions.fork({ sessionId: here.id, beforeSeq: 1_600 })
  expect(await there.files(past.sessionId)).toEqual({ '/a': 'old '.repeat(500) })
  for (const sessionId of [here.id, past.sessionId]) await there.host.sessions.remove({ sessionId })
  expect(await there.stores.blobs.owners('')).toEqual([])
})

test('S12 a zip that was cut, changed or prolonged is refused, and nothing of it is there', async () => {
  const { host, id } = await filled()
  const { file } = await host.sessions.export({ sessionId: id })
  const bytes = new Uint8Array(await file.arrayBuffer())
  const there = world()
  const files = [file.slice(0, file.size - 1), file.slice(0, 2_000), new Blob([file, 'x'])]
  for (const at of [200, 20_000, Math.floor(bytes.length / 2), bytes.length - 60]) {
    const changed = bytes.slice()
    changed[at] = changed[at]! ^ 0x55
    files.push(new Blob([changed]))
  }
  for (const each of files) await expect(there.host.sessions.import({ file: each })).rejects.toMatchObject({ code: 'import/refused' })
  expect(await there.stores.sessions.list({})).toEqual([])
  expect(await there.stores.blobs.owners('')).toEqual([])
})
