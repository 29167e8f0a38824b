// Opening, upgrading and losing the database (S6, S7; P-e02, P-e03), with other tabs played by plain connections.
import { deleteDB } from 'idb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cdp } from 'vitest/browser'
import { MIGRATIONS } from '../../../src/storage/idb/migrations.ts'
import type { Database, DatabaseOptions } from '../../../src/storage/idb/open-database.ts'
import { openDatabase } from '../../../src/storage/idb/open-database.ts'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import { idbSessionStore } from '../../../src/storage/idb/session-store.ts'
import type { SideloopError } from '../../../src/storage/log/errors.ts'
import { expectCode } from '../../contract/expect-code.ts'
import { logOf, rowOf, START, waitingOf } from '../../contract/session-samples.ts'
import { freshNamespace } from './idb-harness.ts'

const NEXT = [...MIGRATIONS, () => {}]
const ALL = { after: -1 }

let namespace = ''
const opened: { close(): void }[] = []

const open = (options: DatabaseOptions = {}): Database => {
  const db = openDatabase({ namespace, retryAfterMs: [0, 1, 1], ...options })
  opened.push(db)
  return db
}

/** Another tab at some version; unless told otherwise it ignores `versionchange`, as a frozen or a careless one does. */
const otherTab = async (version?: number): Promise<IDBDatabase> => {
  const request = indexedDB.open(databaseName(namespace), version)
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  opened.push(db)
  return db
}

type Notify = NonNullable<DatabaseOptions['notify']>

const told = (): { readonly notify: Notify; readonly next: Promise<SideloopError | undefined> } => {
  let notify: Notify = () => {}
  const next = new Promise<SideloopError | undefined>((resolve) => {
    notify = resolve
  })
  return { notify, next }
}

beforeEach(() => {
  namespace = freshNamespace()
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  for (const each of opened.splice(0)) each.close()
  await deleteDB(databaseName(namespace))
})

describe('opening', () => {
  it('P-e02 calls that come at the same time share one opening', async () => {
    const spy = vi.spyOn(IDBFactory.prototype, 'open')
    const db = open()
    const sessions = idbSessionStore(db)
    expect(await Promise.all([db.ready(), sessions.list({}), sessions.get('none'), db.ready()])).toEqual([
      undefined,
      [],
      undefined,
      undefined,
    ])
    expect(spy).toHaveBeenCalledTimes(1)
  })

  it('nothing is opened before the first use', async () => {
    const spy = vi.spyOn(IDBFactory.prototype, 'open')
    open()
    expect(spy).not.toHaveBeenCalled()
  })

  it('S1 the database is named by its namespace and has the version of its migrations', async () => {
    await open().ready()
    const databases = await indexedDB.databases()
    expect(databases).toContainEqual({ name: `sideloop/${namespace}`, version: MIGRATIONS.length })
  })

  it('a browser that forbids storage gives a typed error that says what to allow', async () => {
    for (const name of ['SecurityError', 'InvalidStateError', 'UnknownError']) {
      vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
        throw new DOMException('denied', name)
      })
      const error = await expectCode(open().ready(), 'storage/unavailable')
      expect(error.message).toContain('Allow site data')
      vi.restoreAllMocks()
    }
  })

  it('a browser without IndexedDB gives the same, and after it came back the next call works', async () => {
    const db = open()
    vi.stubGlobal('indexedDB', undefined)
    await expectCode(db.ready(), 'storage/unavailable')
    vi.unstubAllGlobals()
    await db.ready()
  })

  it('S6 an opening that gives no sign is told in time, and goes on when it comes through', async () => {
    const holder = await otherTab(1)
    // A deletion that waits for the holder keeps every later opening waiting behind it, without a `blocked` event for them.
    const deletion = indexedDB.deleteDatabase(databaseName(namespace))
    await new Promise((resolve) => deletion.addEventListener('blocked', resolve))
    const db = open({ openAfterMs: 30 })
    const error = await expectCode(db.ready(), 'storage/blocked')
    expect(error.message).toContain('close the other tabs')
    holder.close()
    await new Promise((resolve) => deletion.addEventListener('success', resolve))
    await vi.waitFor(() => db.ready())
  })
})

describe('S7 a database that the browser found damaged and threw away', () => {
  /** As Chromium says it with the upgrade of the empty one that it begins instead. */
  const openAfter = async (dataLoss: 'none' | 'total') => {
    const before = Object.getOwnPropertyDescriptor(IDBVersionChangeEvent.prototype, 'dataLoss')
    Object.defineProperty(IDBVersionChangeEvent.prototype, 'dataLoss', { configurable: true, get: () => dataLoss })
    const onDataLoss = vi.fn()
    try {
      await open({ onDataLoss }).ready()
      await open({ onDataLoss }).ready()
    } finally {
      if (before === undefined) Reflect.deleteProperty(IDBVersionChangeEvent.prototype, 'dataLoss')
      else Object.defineProperty(IDBVersionChangeEvent.prototype, 'dataLoss', before)
    }
    return onDataLoss
  }

  it('is told once, and the new one can be used', async () => {
    expect(await openAfter('total')).toHaveBeenCalledTimes(1)
    expect(await idbSessionStore(open()).list({})).toEqual([])
  })

  it('is not told of one that is new', async () => {
    expect(await openAfter('none')).not.toHaveBeenCalled()
  })
})

describe('versions', () => {
  it('P-e02 S6 a blocked upgrade settles for all who wait, says what to do, and goes on when the other tab closes', async () => {
    const sessions = idbSessionStore(open())
    await sessions.create(rowOf('s1'))
    opened.splice(0)[0]?.close()
    const other = await otherTab()

    const { notify, next } = told()
    const db = open({ migrations: NEXT, blockedAfterMs: 30, notify })
    const waiting = [idbSessionStore(db).get('s1'), db.ready(), idbSessionStore(db).list({})]
    const errors = await Promise.all(waiting.map((promise) => expectCode(promise, 'storage/blocked')))
    for (const error of errors) expect(error.message).toContain('Close the other tabs')
    expect(await next).toBe(errors[0])
    await expectCode(db.ready(), 'storage/blocked')

    other.close()
    await vi.waitFor(async () => expect((await idbSessionStore(db).get('s1'))?.title).toBe('Session s1'))
  })

  it('S6 an old tab lets go of the database on versionchange, and says that it needs a reload', async () => {
    const { notify, next } = told()
    const old = open({ notify })
    await old.ready()
    await open({ migrations: NEXT, blockedAfterMs: 60_000 }).ready()
    const error = await next
    expect(error).toMatchObject({
      code: 'storage/blocked',
      message: expect.stringContaining('Reload this tab'),
      details: { ours: MIGRATIONS.length },
    })
    expect(await expectCode(idbSessionStore(old).list({}), 'storage/blocked')).toBe(error)
  })

  it('P-e02 older code on a newer database is a typed error, and nothing is deleted', async () => {
    const newer = open({ migrations: NEXT })
    await idbSessionStore(newer).create(rowOf('s1'))
    newer.close()
    const error = await expectCode(open().ready(), 'storage/blocked')
    // Reloading alone fetches the same old code once more.
    expect(error.message).not.toContain('Reload')
    expect(error.message).toContain('Close all tabs')
    expect((await idbSessionStore(open({ migrations: NEXT })).get('s1'))?.id).toBe('s1')
  })

  it('S6 migrations run in order, from the version that is there', async () => {
    const ran: number[] = []
    const traced = [...MIGRATIONS, () => void ran.push(2), () => void ran.push(3), () => void ran.push(4)]
    const first = open({ migrations: traced.slice(0, 2) })
    await first.ready()
    first.close()
    await open({ migrations: traced }).ready()
    expect(ran).toEqual([2, 3, 4])
  })

  it('a migration that throws leaves the old database as it was', async () => {
    const first = open()
    await idbSessionStore(first).create(rowOf('s1'))
    first.close()
    const broken = [
      ...MIGRATIONS,
      () => {
        throw new Error('broken migration')
      },
    ]
    await expectCode(open({ migrations: broken }).ready(), 'internal')
    expect((await idbSessionStore(open()).get('s1'))?.id).toBe('s1')
  })

  it('S6 a deletion by another tab is let through, and the next use starts anew', async () => {
    const { notify, next } = told()
    const db = open({ notify })
    const sessions = idbSessionStore(db)
    await sessions.create(rowOf('s1'))
    await deleteDB(databaseName(namespace))
    expect(await next).toBeUndefined()
    expect(await sessions.list({})).toEqual([])
  })
})

/** The browser stores the next transaction, and the answer never comes: what arrives instead is the loss. */
const loseNextAnswer = (): { readonly mock: object } => {
  const transaction = IDBDatabase.prototype.transaction
  return vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(function (this: IDBDatabase, ...args) {
    const tx = transaction.apply(this, args)
    const listen = tx.addEventListener.bind(tx)
    tx.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
      if (type === 'complete') listen(type, () => tx.dispatchEvent(new Event('abort')))
      else listen(type, listener)
    }
    return tx
  })
}

describe('a lost connection', () => {
  const writer = async (db: Database, id = 's1'): Promise<number> => {
    await idbSessionStore(db).create(rowOf(id))
    return (await idbSessionStore(db).claim(id)).epoch
  }

  it('P-e03 S7 a handle that is closing is dropped, the database opened again and the write repeated', async () => {
    const db = open()
    const epoch = await writer(db)
    const opens = vi.spyOn(IDBFactory.prototype, 'open')
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(() => {
      throw new DOMException('The database connection is closing.', 'InvalidStateError')
    })
    await idbSessionStore(db).commit({ sessionId: 's1', epoch, events: logOf(4) }, 'strict')
    expect(opens).toHaveBeenCalledTimes(1)
    expect(await idbSessionStore(db).read('s1', ALL)).toEqual(logOf(4))
  })

  it('P-e03 S7 a write that was stored before its answer was lost is not stored twice', async () => {
    const db = open()
    const epoch = await writer(db)
    const lost = loseNextAnswer()
    const commit = { sessionId: 's1', epoch, events: logOf(4), inbox: [waitingOf('m1')], patch: { turns: 1 } }
    await idbSessionStore(db).commit(commit, 'strict')
    expect(lost).toHaveBeenCalledTimes(2)
    expect(await idbSessionStore(db).read('s1', ALL)).toEqual(logOf(4))
    expect(await idbSessionStore(db).waiting('s1')).toEqual([waitingOf('m1')])
    await idbSessionStore(db).commit({ ...commit, events: logOf(6).slice(4) }, 'strict')
    expect(await idbSessionStore(db).read('s1', ALL)).toEqual(logOf(6))
  })

  it('P-e03 S7 the tries are bounded; then a typed error, and the next call may work again', async () => {
    const db = open()
    const epoch = await writer(db)
    const commit = { sessionId: 's1', epoch, events: logOf(4) }
    const lost = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
      throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError')
    })
    const error = await expectCode(idbSessionStore(db).commit(commit, 'strict'), 'storage/lost')
    expect(error.message).toContain('Reload')
    expect(lost).toHaveBeenCalledTimes(4)
    lost.mockRestore()
    await idbSessionStore(db).commit(commit, 'strict')
    expect(await idbSessionStore(db).read('s1', ALL)).toEqual(logOf(4))
  })

  it('P-e03 S7 a request that fails because the connection went away is repeated', async () => {
    const db = open()
    const epoch = await writer(db)
    const put = IDBObjectStore.prototype.put
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(function (this: IDBObjectStore, ...args) {
      const request = put.apply(this, args)
      this.transaction.abort()
      return request
    })
    await idbSessionStore(db).commit({ sessionId: 's1', epoch, events: logOf(3) }, 'relaxed')
    expect(await idbSessionStore(db).read('s1', ALL)).toEqual(logOf(3))
  })

  it('a session is created once, also when the answer was lost', async () => {
    const db = open()
    const sessions = idbSessionStore(db)
    loseNextAnswer()
    await sessions.create(rowOf('s1', { updatedAt: START + 1 }))
    expect(await sessions.list({})).toHaveLength(1)
  })

  it('S7 what the browser throws away under an open connection is noticed: the session is unknown, and the store goes on', async () => {
    const { notify, next } = told()
    const db = open({ notify })
    const epoch = await writer(db)
    const session = cdp() as { send(method: string, params: object): Promise<unknown> }
    await session.send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' })
    expect(await next, 'at once, and not only by the next write').toBeUndefined()
    await expectCode(idbSessionStore(db).commit({ sessionId: 's1', epoch, events: logOf(3) }, 'strict'), 'session/unknown')
    expect(await writer(db, 's2')).toBe(1)
  })
})
