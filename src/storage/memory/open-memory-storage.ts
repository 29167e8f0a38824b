// All ports over Maps, for tests, private windows and runtimes without a database.
import { SideloopError } from '../log/errors.ts'
import type { Stores } from '../stores.ts'
import { createBlobShelf } from './blob-shelf.ts'
import { memoryBlobStore } from './blob-store.ts'
import { type MemoryTrees, memoryFileStore } from './file-store.ts'
import { createRoom, type HasRoom } from './room.ts'
import { memorySecretStore } from './secret-store.ts'
import { type MemorySessions, memorySessionStore } from './session-store.ts'
import { memorySettingsStore } from './settings-store.ts'
import { memoryWholeSessions } from './whole-sessions.ts'

export type MemoryStorageOptions = {
  /** Default: there is always room. A `false` makes that write fail with `storage/quota`. */
  readonly hasRoom?: HasRoom
}

/** A port that refuses every call once `isClosed`, as a database does. */
const untilClosed = <T extends object>(port: T, isClosed: () => boolean): T =>
  new Proxy(port, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function' || !isClosed()) return member
      return async () => {
        throw new SideloopError('storage/unavailable', 'This storage was closed. Open it again, or reload the page.')
      }
    },
  })

export const openMemoryStorage = (options: MemoryStorageOptions = {}): Stores => {
  const room = createRoom(options.hasRoom)
  const shelf = createBlobShelf(room)
  const sessions: MemorySessions = new Map()
  const trees: MemoryTrees = new Map()
  let closed = false
  const isClosed = (): boolean => closed
  return {
    sessions: untilClosed(memorySessionStore(sessions, room), isClosed),
    whole: untilClosed(memoryWholeSessions({ sessions, trees, shelf, room }), isClosed),
    files: untilClosed(memoryFileStore(trees, shelf, room), isClosed),
    blobs: untilClosed(memoryBlobStore(shelf), isClosed),
    secrets: untilClosed(memorySecretStore(), isClosed),
    settings: untilClosed(memorySettingsStore(room), isClosed),
    onTrouble() {}, // it has none
    onDataLoss() {},
    async warm() {},
    async ready() {},
    close() {
      closed = true
    },
  }
}
