// All ports over one database.
import type { SideloopError } from '../log/errors.ts'
import type { Stores } from '../stores.ts'
import { idbBlobStore } from './blob-store.ts'
import { idbFileStore } from './file-store.ts'
import type { DatabaseOptions } from './open-database.ts'
import { openDatabase } from './open-database.ts'
import { idbSecretStore } from './secret-store.ts'
import { idbSessionStore } from './session-store.ts'
import { idbSettingsStore } from './settings-store.ts'
import { idbWholeSessions } from './whole-sessions.ts'

/** Opens at the first use (or `ready`), so that nothing has to be awaited at start. */
export const openIdbStorage = (options: DatabaseOptions = {}): Stores => {
  const listeners = new Set<(error: SideloopError | undefined) => void>()
  const db = openDatabase({
    ...options,
    notify(error) {
      options.notify?.(error)
      for (const listener of listeners) listener(error)
    },
  })
  return {
    onTrouble(listener) {
      listeners.add(listener)
    },
    sessions: idbSessionStore(db),
    whole: idbWholeSessions(db),
    files: idbFileStore(db),
    blobs: idbBlobStore(db),
    secrets: idbSecretStore(db),
    settings: idbSettingsStore(db),
    ready: db.ready,
    close: db.close,
  }
}
