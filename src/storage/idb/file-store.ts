// File trees in IndexedDB: a row per file, its content a blob.
import { blobIdOf } from '../blob-id.ts'
import type { FileEntry, FileStore } from '../file-store.ts'
import { nextVersion } from '../file-version.ts'
import { SideloopError } from '../log/errors.ts'
import { freezeJson } from '../log/lossless-json.ts'
import { checkFilePath, folderPrefix } from '../stored-path.ts'
import { BLOB_STORES, claimsOf, dropUnclaimed, keepBlob } from './blob-claims.ts'
import type { Database } from './open-database.ts'
import type { StoredFile } from './schema.ts'
import { keysUnder } from './schema.ts'

const entryOf = ({ scope: _, ...entry }: StoredFile): FileEntry => freezeJson(entry)

export const idbFileStore = (db: Database): FileStore => ({
  async read(scope, path) {
    checkFilePath(path)
    const found = await db.read(['files', 'blobs'], (tx, steps) =>
      steps.after(tx.objectStore('files').get([scope, path]), (file) => {
        if (file === undefined) return undefined
        return steps.after(tx.objectStore('blobs').get(file.blob), (blob) => ({ file, bytes: blob?.bytes }))
      }),
    )
    if (found === undefined) return undefined
    if (found.bytes === undefined) {
      throw new SideloopError(
        'storage/lost',
        `The content of ${path} is missing from the browser's database. Write the file again, or remove it.`,
      )
    }
    return Object.freeze({ entry: entryOf(found.file), bytes: found.bytes })
  },

  async write(scope, path, given, { modifiedAt, ifVersion }) {
    checkFilePath(path)
    // Copied first: see the blob store.
    const bytes = given.slice()
    const blob = await blobIdOf(bytes)
    const file = await db.write(BLOB_STORES, 'relaxed', (tx, steps, repeated) =>
      steps.after(tx.objectStore('files').get([scope, path]), (before) => {
        if (repeated && before?.blob === blob && before.modifiedAt === modifiedAt) return before
        const version = nextVersion(path, before?.version ?? 0, ifVersion)
        const file: StoredFile = { scope, path, size: bytes.byteLength, version, modifiedAt, blob }
        steps.also(tx.objectStore('files').put(file))
        if (before !== undefined && before.blob !== blob) dropUnclaimed(claimsOf(tx), steps, before.blob)
        return steps.after(keepBlob(tx, steps, blob, bytes), () => file)
      }),
    )
    return entryOf(file)
  },

  async list(scope, folder) {
    const prefix = folderPrefix(folder)
    // '0' comes right after '/': the range holds exactly what begins with the prefix.
    const range = IDBKeyRange.bound([scope, prefix], [scope, `${prefix.slice(0, -1)}0`], false, true)
    return (await db.read(['files'], (tx) => tx.objectStore('files').getAll(range))).map(entryOf)
  },

  async remove(scope, path) {
    checkFilePath(path)
    await db.write(BLOB_STORES, 'relaxed', (tx, steps) =>
      steps.after(tx.objectStore('files').get([scope, path]), (file) => {
        if (file === undefined) return
        steps.also(tx.objectStore('files').delete([scope, path]))
        dropUnclaimed(claimsOf(tx), steps, file.blob)
      }),
    )
  },

  async removeScope(scope) {
    await db.write(BLOB_STORES, 'relaxed', (tx, steps) =>
      steps.after(tx.objectStore('files').getAll(keysUnder(scope)), (files) => {
        steps.also(tx.objectStore('files').delete(keysUnder(scope)))
        for (const blob of new Set(files.map((file) => file.blob))) dropUnclaimed(claimsOf(tx), steps, blob)
      }),
    )
  },
})
