// All stores of one namespace together: what a host is given.
import type { BlobStore } from './blob-store.ts'
import type { FileStore } from './file-store.ts'
import type { SideloopError } from './log/errors.ts'
import type { SecretStore } from './secret-store.ts'
import type { SessionStore } from './session-store.ts'
import type { SettingsStore } from './settings-store.ts'
import type { WholeSessions } from './whole-sessions.ts'

export type Stores = {
  readonly sessions: SessionStore
  readonly whole: WholeSessions
  readonly files: FileStore
  readonly blobs: BlobStore
  readonly secrets: SecretStore
  readonly settings: SettingsStore
  /**
   * Told what a person should know even when no call fails by it: this tab is too old now, or an update is held back. Without an error:
   * the browser took the database away, perhaps with what was in it; the next call opens it again.
   */
  onTrouble(listener: (error: SideloopError | undefined) => void): void
  /** Called when the database was found damaged as it was opened, and was begun anew: all that was stored in it is gone. */
  onDataLoss(listener: () => void): void
  /** Loads every part that loads on demand. */
  warm(): Promise<void>
  /** Resolves when everything can be used. Errors: the `storage/*` codes. Not needed before use: every call waits for it. */
  ready(): Promise<void>
  /** What is under way ends; later calls are refused with `storage/unavailable`. */
  close(): void
}
