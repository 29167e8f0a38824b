// Every port's suite on the memory adapters (S15).

import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { blobStoreSuite } from '../../contract/blob-store.ts'
import { fightingWritersSuite } from '../../contract/fighting-writers.ts'
import { fileStoreSuite } from '../../contract/file-store.ts'
import { secretStoreSuite } from '../../contract/secret-store.ts'
import { sessionStoreSuite } from '../../contract/session-store.ts'
import { settingsStoreSuite } from '../../contract/settings-store.ts'
import type { StorageHarness } from '../../contract/storage-harness.ts'
import { wholeSessionsSuite } from '../../contract/whole-sessions.ts'

const memory: StorageHarness = {
  name: 'memory',
  async open() {
    let full = false
    const stores = openMemoryStorage({ hasRoom: () => !full })
    return {
      here: stores,
      there: stores,
      async fill() {
        full = true
      },
      async makeRoom() {
        full = false
      },
      async end() {
        stores.close()
      },
    }
  },
}

sessionStoreSuite(memory)
fightingWritersSuite(memory)
wholeSessionsSuite(memory)
fileStoreSuite(memory)
blobStoreSuite(memory)
secretStoreSuite(memory)
settingsStoreSuite(memory)
