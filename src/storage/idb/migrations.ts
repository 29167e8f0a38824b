// The ordered migrations: number n makes version n of the database out of version n − 1. Only ever appended to, never edited.
import type { IDBPDatabase, IDBPTransaction } from 'idb'
import type { SideloopSchema, StoreName } from './schema.ts'

/** Runs inside the upgrade's own transaction: it must await nothing but requests of that transaction. */
export type Migration = (db: IDBPDatabase<SideloopSchema>, tx: IDBPTransaction<SideloopSchema, StoreName[], 'versionchange'>) => void

export const MIGRATIONS: readonly Migration[] = [
  (db) => {
    db.createObjectStore('sessions', { keyPath: 'id' })
    db.createObjectStore('segments', { keyPath: ['sessionId', 'firstSeq'] })
    db.createObjectStore('inbox', { keyPath: 'sessionId' })
    db.createObjectStore('blobs', { keyPath: 'id' })
    db.createObjectStore('claims', { keyPath: ['owner', 'blob'] }).createIndex('blob', 'blob')
    db.createObjectStore('files', { keyPath: ['scope', 'path'] }).createIndex('blob', 'blob')
    db.createObjectStore('settings', { keyPath: 'name' })
    db.createObjectStore('secrets', { keyPath: 'name' })
    db.createObjectStore('keys', { keyPath: 'name' })
  },
]
