// Every port's suite on real IndexedDB (S15).
import { blobStoreSuite } from '../../contract/blob-store.ts'
import { fightingWritersSuite } from '../../contract/fighting-writers.ts'
import { fileStoreSuite } from '../../contract/file-store.ts'
import { secretStoreSuite } from '../../contract/secret-store.ts'
import { sessionStoreSuite } from '../../contract/session-store.ts'
import { settingsStoreSuite } from '../../contract/settings-store.ts'
import { wholeSessionsSuite } from '../../contract/whole-sessions.ts'
import { idb } from './idb-harness.ts'

sessionStoreSuite(idb)
fightingWritersSuite(idb)
wholeSessionsSuite(idb)
fileStoreSuite(idb)
blobStoreSuite(idb)
secretStoreSuite(idb)
settingsStoreSuite(idb)
