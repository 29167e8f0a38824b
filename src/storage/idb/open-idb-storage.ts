// All ports over one database.
import type { SideloopError } from '../log/errors.ts'
import type { Stores } from '../stores.ts'
import { idbBlobStore } from './blob-store.ts'
import { idbFileStore } from './file-store.ts'
import { onDemand } from './on-demand.ts'
import type { DatabaseOptions } from './open-database.ts'
import { openDatabase } from './open-database.ts'
import { idbSessionStore } from './session-store.ts'
import { idbSettingsStore } from './settings-store.ts'

/** Opens at the first use (or `ready`), so that nothing has to be awaited at start. */
export const openIdbStorage = (options: DatabaseOptions = {}): Stores => {
  const listeners = new Set<(error: SideloopError | undefined) => void>()
  const losses = new Set<() => void>()
  const db = openDatabase({
    ...options,
    onDataLoss() {
      options.onDataLoss?.()
      for (const listener of losses) listener()
    },
    notify(error) {
      options.notify?.(error)
      for (const listener of listeners) listener(error)
    },
  })
  const whole = async () => (await import('./whole-sessions.ts')).idbWholeSessions(db)
  const secrets = async () => (await import('./secret-store.ts')).idbSecretStore(db)
  return {
    onTrouble(listener) {
      listeners.add(listener)
    },
    onDataLoss(listener) {
      losses.add(listener)
    },
    sessions: idbSessionStore(db),
    whole: onDemand(whole, ['outline', 'fork', 'add', 'remove']),
    files: idbFileStore(db),
    blobs: idbBlobStore(db),
    secrets: onDemand(secrets, ['set', 'get', 'names', 'remove']),
    settings: idbSettingsStore(db),
    async warm() {
      await Promise.all([whole(), secrets(), import('./merge-segments.ts')])
    },
    ready: db.ready,
    close: db.close,
  }
}
