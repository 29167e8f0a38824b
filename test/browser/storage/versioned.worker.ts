// A worker of some version of the application: it opens the database with so many migrations more than this code has.
import { expose } from 'comlink'
import { MIGRATIONS } from '../../../src/storage/idb/migrations.ts'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import { databaseName } from '../../../src/storage/idb/schema.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { installErrorTransfer, toWireError } from '../../../src/worker/client/error-transfer.ts'
import { logOf, rowOf } from '../../contract/session-samples.ts'

let stores: Stores
let trouble: Promise<unknown>

const versioned = {
  start(namespace: string, newer: number): void {
    const migrations = [...MIGRATIONS, ...Array.from({ length: newer }, () => () => {})]
    stores = openIdbStorage({ namespace, migrations, blockedAfterMs: 100, retryAfterMs: [0, 1, 1] })
    trouble = new Promise((resolve) => {
      stores.onTrouble((error) => error !== undefined && resolve(toWireError(error)))
    })
  },
  /** Resolves with the first thing that the store told by itself. */
  trouble: () => trouble,
  /** Keeps a connection that hears nothing, as a frozen page or a careless program does. */
  async hold(namespace: string): Promise<void> {
    const request = indexedDB.open(databaseName(namespace))
    await new Promise((resolve) => {
      request.onsuccess = resolve
    })
    Object.assign(globalThis, { held: request.result })
  },
  ready: () => stores.ready(),
  titles: async () => (await stores.sessions.list({})).map(({ title }) => title),
  async write(id: string, length: number): Promise<void> {
    await stores.sessions.create(rowOf(id))
    const { epoch } = await stores.sessions.claim(id)
    await stores.sessions.commit({ sessionId: id, epoch, events: logOf(length) }, 'strict')
  },
  length: async (id: string) => (await stores.sessions.read(id, { after: -1 })).length,
}
export type Versioned = typeof versioned

installErrorTransfer()
expose(versioned)
