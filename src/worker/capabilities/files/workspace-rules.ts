// What every write into a workspace has to pass: a place that is free, room for it, and the version that whoever writes has seen.
import type { FileEntry, FileStore } from '../../../storage/file-store.ts'
import { SideloopError } from '../../../storage/log/errors.ts'

const MOST_FILE_BYTES = 5 * 1024 * 1024
const MOST_BYTES = 256 * 1024 * 1024
export const MOST_FILES = 2_000

/** Which state of a file was seen. The content counts too: versions begin again when a file is removed and made anew. */
export type SeenState = Pick<FileEntry, 'version' | 'blob'>

/** What is remembered of a session while it is open: states that the agent has seen, folders that hold no file. */
export type Memory = { readonly seen: Map<string, SeenState>; readonly folders: Set<string> }

/** `scope` in the store, and what relative paths start from. */
export type Place = { readonly files: FileStore; readonly scope: string; readonly cwd: string; readonly memory: Memory; now(): number }

export const invalid = (message: string): SideloopError => new SideloopError('command/invalid', message)

export const megabytes = (bytes: number): string => `${bytes / (1024 * 1024)} MB`

/** A file is never a folder as well. */
export const checkPlace = (all: readonly FileEntry[], path: string): void => {
  for (const entry of all) {
    if (entry.path.startsWith(`${path}/`)) throw invalid(`${path} is a folder. Choose another name for the file.`)
    if (path.startsWith(`${entry.path}/`)) throw invalid(`${entry.path} is a file, so nothing can be inside it. Choose another folder.`)
  }
}

export const checkSize = (path: string, bytes: number): void => {
  if (bytes > MOST_FILE_BYTES) throw invalid(`The text for ${path} is larger than ${megabytes(MOST_FILE_BYTES)}. Split it.`)
}

export const checkRoom = (all: readonly FileEntry[], path: string, bytes: number): void => {
  const others = all.filter((entry) => entry.path !== path)
  if (others.length >= MOST_FILES) throw invalid(`There are ${MOST_FILES} files already, which is the most. Use one of them.`)
  const sum = others.reduce((sizes, { size }) => sizes + size, bytes)
  if (sum > MOST_BYTES) throw invalid(`The files would hold more than ${megabytes(MOST_BYTES)} together, which is the most.`)
}

export const isSame = (a: SeenState | undefined, b: SeenState | undefined): boolean =>
  a !== undefined && b !== undefined && a.version === b.version && a.blob === b.blob

/** `seen`: the states that whoever writes may know. Errors: `storage/conflict`. */
export const checkSeen = (path: string, before: FileEntry | undefined, seen: readonly (SeenState | undefined)[]): void => {
  if (before === undefined || seen.some((state) => isSame(state, before))) return
  if (seen.every((state) => state === undefined)) {
    throw new SideloopError('storage/conflict', `${path} exists and you have not read it. Nothing was written. Read it first, then write.`)
  }
  throw new SideloopError(
    'storage/conflict',
    `${path} was changed since you read it, probably by the person. Nothing was written. Read it again, keep their changes, then write.`,
  )
}
