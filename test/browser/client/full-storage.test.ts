// A real worker whose storage is full, gone, or forbidden (S4): what is said, what is kept, and how it goes on.
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cdp } from 'vitest/browser'
import { type Client, connect } from '../../../src/worker/client/connect.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import type { SessionView } from '../../../src/worker/client/session-view.ts'

/** The demo model takes its time, and so does a browser that frees room. */
vi.setConfig({ testTimeout: 60_000 })

type Debugger = { send(method: string, params: object): Promise<unknown> }

const debug = (method: string, params: object): Promise<unknown> => (cdp() as Debugger).send(method, { origin: location.origin, ...params })
const setQuota = (quotaSize?: number): Promise<unknown> =>
  debug('Storage.overrideQuotaForOrigin', quotaSize === undefined ? {} : { quotaSize })

const RUBBISH = 'rubbish'

/** Leaves no room for even a few bytes more. */
const fill = async (): Promise<void> => {
  const db = await openDB(RUBBISH, 1, { upgrade: (fresh) => void fresh.createObjectStore(RUBBISH, { autoIncrement: true }) })
  for (let size = 65_536; size >= 64; ) {
    const added = await db.add(RUBBISH, crypto.getRandomValues(new Uint8Array(size))).then(
      () => true,
      () => false,
    )
    if (!added) size /= 2
  }
  db.close()
}

const viewWhere = (session: ClientSession, fits: (view: SessionView) => boolean): Promise<SessionView> =>
  new Promise((resolve) => {
    const look = (view: SessionView): void => {
      if (fits(view)) resolve(view)
    }
    session.subscribe(look)
    look(session.view)
  })
const ended = (turns: number) => (view: SessionView) =>
  view.live?.status === 'idle' && view.run.kind === 'idle' && view.usage.calls >= turns && view.stored === view.length
const isFailed = ({ live }: SessionView): boolean => live?.storage.kind === 'failed'

let client: Client
beforeEach(async () => {
  // Before anything is opened: the browser remembers for half a minute how much room there was.
  await setQuota(((await navigator.storage.estimate()).usage ?? 0) + 4_000_000)
  client = await connect(
    () => new Worker(new URL('../../../src/worker/host/entries/browser.worker.ts', import.meta.url), { type: 'module' }),
  )
})
afterEach(async () => {
  client.close()
  await setQuota()
  await deleteDB(RUBBISH)
})

test('S4 a disk that is full pauses the run with what to do; nothing stored is lost, and after room was made the same run goes on', async () => {
  const session = await client.sessions.create()
  await session.send('hello')
  const before = await viewWhere(session, ended(1))
  await fill()
  await expect(session.send('tell me more', { messageId: 'm2' })).rejects.toMatchObject({ code: 'storage/quota' })
  const full = await viewWhere(session, (view) => isFailed(view) && view.live?.status === 'idle')
  expect(full.live?.storage).toMatchObject({ code: 'storage/quota', message: expect.stringContaining('What was saved before is safe') })
  expect(full.usage.calls, 'no request leaves unsaved').toBe(1)
  expect(await client.host.log.read({ sessionId: session.id, after: -1 })).toHaveLength(before.length)

  await deleteDB(RUBBISH)
  await setQuota()
  await session.save()
  await viewWhere(session, (view) => !isFailed(view))
  await session.continue()
  const view = await viewWhere(session, ended(2))
  const stored = await client.host.log.read({ sessionId: session.id, after: -1 })
  expect(stored).toHaveLength(view.length)
  expect(stored.filter((event) => event.type === 'user/message').map((event) => event.data.id)).toContain('m2')
})

test('S4 a session that the browser has thrown away is said to be gone, at once, and nothing tries to write it again', async () => {
  const session = await client.sessions.create({ title: 'Evicted' })
  await session.send('hello')
  const before = await viewWhere(session, ended(1))
  await debug('Storage.clearDataForOrigin', { storageTypes: 'indexeddb' })
  const gone = await viewWhere(session, isFailed)
  expect(gone.live?.storage).toMatchObject({ code: 'storage/lost', message: expect.stringContaining('removed it') })
  expect(gone.transcript).toBe(before.transcript)
  expect(await client.sessions.list()).toEqual([])
  await expect(session.send('are you there?')).rejects.toMatchObject({ code: 'storage/lost' })
  const next = await client.sessions.create({ title: 'Next' })
  await next.send('hello')
  await viewWhere(next, ended(1))
  expect((await client.sessions.list()).map(({ title }) => title)).toEqual(['Next'])
})

test('S4 a listed session that was thrown away since is refused when it is opened, with what may have happened', async () => {
  const { id } = await client.sessions.create()
  client.close()
  await debug('Storage.clearDataForOrigin', { storageTypes: 'indexeddb' })
  client = await connect(
    () => new Worker(new URL('../../../src/worker/host/entries/browser.worker.ts', import.meta.url), { type: 'module' }),
  )
  await expect(client.sessions.open(id)).rejects.toMatchObject({
    code: 'session/unknown',
    message: expect.stringContaining('the browser has removed its data'),
  })
})
