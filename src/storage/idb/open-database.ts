// The connection: opened once for everybody, given up when a newer version needs it, and opened again when the browser took it away.
import type { IDBPDatabase } from 'idb'
import { openDB } from 'idb'
import type { SideloopError } from '../log/errors.ts'
import type { Migration } from './migrations.ts'
import { MIGRATIONS } from './migrations.ts'
import type { SideloopSchema, StoreName } from './schema.ts'
import { databaseName } from './schema.ts'
import type { Work } from './transact.ts'
import { transact } from './transact.ts'
import {
  blockedByTab,
  closedStorage,
  failedMigration,
  isConnectionLoss,
  lostConnection,
  outdatedTab,
  slowToOpen,
  translateError,
  translateOpenError,
} from './translate-error.ts'

export interface Database {
  read<const Names extends readonly StoreName[], T>(stores: Names, work: Work<Names, 'readonly', T>): Promise<T>
  /** `work` runs again after a lost connection, with `repeated`: its outcome is then unknown, so it must look before it writes. */
  write<const Names extends readonly StoreName[], T>(
    stores: Names,
    durability: 'relaxed' | 'strict',
    work: (...args: [...Parameters<Work<Names, 'readwrite', T>>, repeated: boolean]) => T | Promise<T>,
  ): Promise<T>
  ready(): Promise<void>
  close(): void
}

export type DatabaseOptions = {
  /** Two applications on one origin never meet. Default `default`. */
  readonly namespace?: string
  /** Default: all of them. The version of the database is their number. */
  readonly migrations?: readonly Migration[]
  /**
   * Told what a person should know even when no call fails by it: an upgrade is held back, or this tab is too old now. Without an error:
   * the database was taken away, by the browser or by a deletion.
   */
  readonly notify?: (error: SideloopError | undefined) => void
  /** Called when the browser says that it found the database damaged and threw it away: an empty one was begun in its place. */
  readonly onDataLoss?: () => void
  /** Milliseconds until a blocked opening is told. Default 2,000. */
  readonly blockedAfterMs?: number
  /** Milliseconds until an opening that gives no sign is told. Default 10,000. */
  readonly openAfterMs?: number
  /** Milliseconds before each further try after a lost connection. Default 0, 100, 500. */
  readonly retryAfterMs?: readonly number[]
}

type Handle = IDBPDatabase<SideloopSchema>
/** `told` rejects when waiting for `handle` is no longer reasonable; the opening itself goes on. */
type Opening = { readonly handle: Promise<Handle>; readonly told: Promise<never> }

/** Only Chromium says so, where no standard has a word for it. */
const hasLostData = (event: IDBVersionChangeEvent): boolean => 'dataLoss' in event && event.dataLoss === 'total'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const openDatabase = (options: DatabaseOptions = {}): Database => {
  const { namespace = 'default', migrations = MIGRATIONS, notify, blockedAfterMs = 2_000, openAfterMs = 10_000 } = options
  const retryAfterMs = options.retryAfterMs ?? [0, 100, 500]
  const version = migrations.length
  let opening: Opening | undefined
  let current: Handle | undefined
  /** Why nothing works any more: closed, or too old. */
  let ended: SideloopError | undefined

  const drop = (): void => {
    current?.close()
    current = undefined
    opening = undefined
  }
  const lose = (): void => {
    drop()
    notify?.(undefined)
  }
  const end = (reason: SideloopError): void => {
    ended = reason
    drop()
  }

  const startOpening = (): Opening => {
    let tell: (error: SideloopError) => void = () => {}
    const told = new Promise<never>((_, reject) => {
      tell = reject
    })
    told.catch(() => {
      // Whoever waits hears it; with nobody waiting there is nobody to tell.
    })
    let timer = setTimeout(() => tell(slowToOpen()), openAfterMs)
    let broken: SideloopError | undefined
    const connect = async (): Promise<Handle> =>
      openDB<SideloopSchema>(databaseName(namespace), version, {
        upgrade(db, oldVersion, _newVersion, tx, event) {
          if (hasLostData(event)) options.onDataLoss?.()
          tx.done.catch(() => {
            // The opening itself fails with it.
          })
          try {
            for (const migrate of migrations.slice(oldVersion)) migrate(db, tx)
          } catch (error) {
            broken = failedMigration(error)
            tx.abort()
          }
        },
        blocked() {
          clearTimeout(timer)
          timer = setTimeout(() => {
            const error = blockedByTab()
            tell(error)
            notify?.(error)
          }, blockedAfterMs)
        },
        blocking(_currentVersion, blockedVersion) {
          if (blockedVersion === null) return lose()
          const error = outdatedTab({ ours: version, found: blockedVersion })
          end(error)
          notify?.(error)
        },
        terminated: lose,
      })
    const handle = connect().catch((error: unknown) => {
      throw broken ?? error
    })
    const mine: Opening = { handle, told }
    handle
      .then(
        (db) => {
          if (ended === undefined && opening === mine) current = db
          else db.close()
        },
        () => {
          // Everybody who waits hears it; the next call tries again.
          if (opening === mine) opening = undefined
        },
      )
      .finally(() => clearTimeout(timer))
    return mine
  }

  const getHandle = async (): Promise<Handle> => {
    if (ended !== undefined) throw ended
    if (current !== undefined) return current
    // Registered before anything is awaited: calls that come meanwhile share it.
    opening ??= startOpening()
    const { handle, told } = opening
    try {
      await Promise.race([handle, told])
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      throw translateOpenError(error, version)
    }
    if (ended !== undefined) throw ended
    return current ?? getHandle()
  }

  const attempt = async <T>(run: (db: Handle, repeated: boolean) => Promise<T>): Promise<T> => {
    let started = false
    for (let tries = 0; ; tries++) {
      let db: Handle | undefined
      try {
        db = await getHandle()
        const repeated = started
        started = true
        return await run(db, repeated)
      } catch (error) {
        if (!isConnectionLoss(error)) throw translateError(error)
        if (ended !== undefined) throw ended
        if (db !== undefined && db === current) drop()
        const wait = retryAfterMs[tries]
        if (wait === undefined) throw db === undefined ? translateOpenError(error, version) : lostConnection(error)
        await pause(wait)
      }
    }
  }

  return {
    read: (stores, work) => attempt((db) => transact(db, { stores, mode: 'readonly', durability: 'default' }, work)),
    write: (stores, durability, work) =>
      attempt((db, repeated) => transact(db, { stores, mode: 'readwrite', durability }, (tx, steps) => work(tx, steps, repeated))),
    async ready() {
      await attempt(async () => undefined)
    },
    close() {
      end(closedStorage())
    },
  }
}
