// What a folder holds, in a list that stays short however many files there are.
import type { FileEntry } from '../../../storage/file-store.ts'

export type ListedEntry =
  | { readonly kind: 'file'; readonly path: string; readonly bytes: number }
  | { readonly kind: 'folder'; readonly path: string; readonly bytes: number; readonly files: number }

/** `files` and `bytes` count everything below; `omitted` entries did not fit. */
export type FolderListing = {
  readonly folder: string
  readonly files: number
  readonly bytes: number
  readonly entries: readonly ListedEntry[]
  readonly omitted: number
}

const MOST_ENTRIES = 200

/** Every file below if they are few; else the files directly inside, and each folder as one line. */
export const listTree = (folder: string, files: readonly FileEntry[]): FolderListing => {
  const entries = files.length <= MOST_ENTRIES ? files.map(fileEntry) : children(folder, files)
  return {
    folder,
    files: files.length,
    bytes: total(files),
    entries: entries.slice(0, MOST_ENTRIES),
    omitted: Math.max(0, entries.length - MOST_ENTRIES),
  }
}

const fileEntry = ({ path, size }: FileEntry): ListedEntry => ({ kind: 'file', path, bytes: size })
const total = (files: readonly FileEntry[]): number => files.reduce((sum, { size }) => sum + size, 0)

const children = (folder: string, files: readonly FileEntry[]): readonly ListedEntry[] => {
  const prefix = folder === '/' ? '/' : `${folder}/`
  const folders = new Map<string, FileEntry[]>()
  const direct: ListedEntry[] = []
  for (const file of files) {
    const slash = file.path.indexOf('/', prefix.length)
    if (slash === -1) direct.push(fileEntry(file))
    else {
      const path = file.path.slice(0, slash)
      const inside = folders.get(path)
      if (inside === undefined) folders.set(path, [file])
      else inside.push(file)
    }
  }
  const collapsed = [...folders].map(
    ([path, inside]): ListedEntry => ({ kind: 'folder', path, bytes: total(inside), files: inside.length }),
  )
  return [...collapsed, ...direct]
}
