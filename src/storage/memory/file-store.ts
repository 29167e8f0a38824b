// File trees over a Map per scope.
import { blobIdOf } from '../blob-id.ts'
import type { FileEntry, FileStore } from '../file-store.ts'
import { nextVersion } from '../file-version.ts'
import { freezeJson } from '../log/lossless-json.ts'
import { checkFilePath, folderPrefix } from '../stored-path.ts'
import type { BlobShelf } from './blob-shelf.ts'
import { fileClaims } from './blob-shelf.ts'
import type { Room } from './room.ts'

/** Scope → path → file. */
export type MemoryTrees = Map<string, Map<string, FileEntry>>

export const memoryFileStore = (scopes: MemoryTrees, shelf: BlobShelf, room: Room): FileStore => {
  return {
    async read(scope, path) {
      checkFilePath(path)
      const entry = scopes.get(scope)?.get(path)
      const bytes = entry && shelf.get(entry.blob)
      return entry && bytes && Object.freeze({ entry, bytes })
    },
    async write(scope, path, bytes, { modifiedAt, ifVersion }) {
      checkFilePath(path)
      const copy = bytes.slice()
      const blob = await blobIdOf(copy)
      const files = scopes.get(scope) ?? new Map<string, FileEntry>()
      const before = files.get(path)
      const version = nextVersion(path, before?.version ?? 0, ifVersion)
      const entry = freezeJson({ path, size: copy.byteLength, version, modifiedAt, blob })
      room.take(entry)
      shelf.put(blob, copy, fileClaims(scope, path))
      if (before !== undefined && before.blob !== blob) shelf.release(before.blob, fileClaims(scope, path))
      scopes.set(scope, files.set(path, entry))
      return entry
    },
    async list(scope, folder) {
      const prefix = folderPrefix(folder)
      const entries = [...(scopes.get(scope)?.values() ?? [])].filter((entry) => entry.path.startsWith(prefix))
      return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    async remove(scope, path) {
      checkFilePath(path)
      const entry = scopes.get(scope)?.get(path)
      if (entry === undefined) return
      scopes.get(scope)?.delete(path)
      shelf.release(entry.blob, fileClaims(scope, path))
    },
    async removeScope(scope) {
      for (const { path, blob } of scopes.get(scope)?.values() ?? []) shelf.release(blob, fileClaims(scope, path))
      scopes.delete(scope)
    },
  }
}
