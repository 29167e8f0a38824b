// Real IndexedDB for the suites: two connections to a fresh database in a storage bucket of its own, so that its quota is real.
import { openDB } from 'idb'
import { vi } from 'vitest'
import { cdp } from 'vitest/browser'
import { openIdbStorage } from '../../../src/storage/idb/open-idb-storage.ts'
import type { StorageHarness } from '../../contract/storage-harness.ts'

type Debugger = { send(method: string, params: object): Promise<unknown> }
type Bucket = { readonly indexedDB: IDBFactory }
type Buckets = { open(name: string): Promise<Bucket>; delete(name: string): Promise<void> }

let opened = 0
export const freshNamespace = (): string => `test-${Date.now()}-${opened++}`

/** Bytes for this origin, all buckets together; without it the browser's own quota comes back. */
const setQuota = async (quotaSize?: number): Promise<void> => {
  const session = cdp() as Debugger
  await session.send('Storage.overrideQuotaForOrigin', { origin: location.origin, ...(quotaSize !== undefined && { quotaSize }) })
}

/** Puts rubbish into the bucket until not even a few bytes more fit. */
const fillBucket = async (): Promise<void> => {
  const db = await openDB('rubbish', 1, { upgrade: (fresh) => void fresh.createObjectStore('rubbish', { autoIncrement: true }) })
  for (let size = 256 * 1024; size >= 64; ) {
    const added = await db.add('rubbish', crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)))).then(
      () => true,
      () => false,
    )
    if (!added) size /= 2
  }
  db.close()
}

export const idb: StorageHarness = {
  name: 'IndexedDB',
  async open() {
    const { storageBuckets } = navigator as Navigator & { readonly storageBuckets: Buckets }
    const name = freshNamespace()
    const { usage = 0 } = await navigator.storage.estimate()
    // Before the bucket is made: the browser remembers for half a minute how much room there was.
    await setQuota(usage + 4_000_000)
    vi.stubGlobal('indexedDB', (await storageBuckets.open(name)).indexedDB)
    const here = openIdbStorage({ namespace: name })
    const there = openIdbStorage({ namespace: name })
    return {
      here,
      there,
      fill: fillBucket,
      makeRoom: () => setQuota(),
      async end() {
        here.close()
        there.close()
        vi.unstubAllGlobals()
        await storageBuckets.delete(name)
        await setQuota()
      },
    }
  },
}
