// A file tree at one moment: which paths there were, and the blob of each. As bytes it is a blob itself, named by `files/snapshot`.
import type { FileEntry } from './file-store.ts'
import type { BlobId } from './log/content.ts'
import { messageOf, SideloopError } from './log/errors.ts'
import { freezeJson } from './log/lossless-json.ts'
import { checkFilePath } from './stored-path.ts'

/** `size` in bytes, `modifiedAt` in epoch milliseconds. */
export type TreeEntry = Pick<FileEntry, 'path' | 'blob' | 'size' | 'modifiedAt'>
/** Sorted by path. */
export type FileTree = readonly TreeEntry[]

type Written = { readonly [path: string]: Omit<TreeEntry, 'path'> }

/** JSON, path → `{ blob, size, modifiedAt }`. The same tree gives the same bytes. */
export const writeFileTree = (entries: FileTree): Uint8Array => {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const written: Written = Object.fromEntries(sorted.map(({ path, blob, size, modifiedAt }) => [path, { blob, size, modifiedAt }] as const))
  return new TextEncoder().encode(JSON.stringify(written))
}

const isBlobId = (value: unknown): value is BlobId => typeof value === 'string' && /^sha256-[0-9a-f]{64}$/.test(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const readEntry = (path: string, value: unknown): TreeEntry => {
  checkFilePath(path)
  const { blob, size, modifiedAt, ...rest } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (!isBlobId(blob) || !isCount(size) || typeof modifiedAt !== 'number' || !Number.isFinite(modifiedAt) || Object.keys(rest).length > 0)
    throw new SideloopError('session/invalid', `${path} has no valid blob, size and time`)
  return { path, blob, size, modifiedAt }
}

/** Frozen. Errors: `session/invalid` for what is no tree, a path that is not absolute and normalised included. */
export const readFileTree = (bytes: Uint8Array): FileTree => {
  try {
    const given: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new TypeError('it is not a JSON object')
    const tree = Object.entries(given).map(([path, value]) => readEntry(path, value))
    return freezeJson(tree.sort((a, b) => (a.path < b.path ? -1 : 1)))
  } catch (cause) {
    throw new SideloopError('session/invalid', `This list of files cannot be read: ${messageOf(cause)}`, { cause })
  }
}

/** The paths that were added, changed or removed from one tree to the other, sorted. A new time alone is no change. */
export const changedPaths = (before: FileTree, after: FileTree): readonly string[] => {
  const was = new Map(before.map(({ path, blob }) => [path, blob]))
  const is = new Map(after.map(({ path, blob }) => [path, blob]))
  return [...new Set([...was.keys(), ...is.keys()])].filter((path) => was.get(path) !== is.get(path)).sort()
}
