// The files of a session as its tools see them: a tree of text that the agent cannot leave, overwrite blindly or fill without end.
import type { FileEntry, FileStore } from '../../../storage/file-store.ts'
import { type FolderListing, listTree } from './list-tree.ts'
import { createProgramFiles, type ProgramFiles } from './program-files.ts'
import { bytesOfText, countLines, textOfBytes } from './text-bytes.ts'
import { workspaceFilePath, workspacePath } from './workspace-path.ts'
import { checkPlace, checkRoom, checkSeen, checkSize, invalid, type Memory, megabytes, type Place } from './workspace-rules.ts'

/** `bytes` is the size in UTF-8; `version` rises by one with each write by anyone. */
export type TextFile = {
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly bytes: number
  readonly version: number
}
export type WrittenFile = Omit<TextFile, 'text'> & { readonly created: boolean }

/**
 * Paths may be relative to the session's folder. Errors: `command/invalid` for bad paths, missing files, binary where text is
 * wanted and what is too large; `storage/conflict` for a write over what was not read or changed since; the `storage/*` codes.
 */
export interface Workspace {
  /** The agent has then seen this version and may overwrite it. */
  readText(path: string): Promise<TextFile>
  /** Files, and every file below folders, for a program: the agent has not seen them by that. */
  collectText(paths: readonly string[]): Promise<readonly { readonly path: string; readonly text: string }[]>
  writeText(path: string, text: string): Promise<WrittenFile>
  list(folder: string): Promise<FolderListing>
  /** For a program that works on the files by itself. `refusal`: why a path may not be changed; undefined when it may. */
  forProgram(refusal: (path: string) => string | undefined): ProgramFiles
}

/** The part of a session that says which workspace is its own. */
export type WorkspaceOwner = { readonly id: string; readonly header: { readonly cwd?: string } }

export interface Workspaces {
  /** What the agent has seen is remembered until `forget`; after a reload it has to read again before it overwrites. */
  workspaceFor(owner: WorkspaceOwner): Workspace
  forget(ownerId: string): void
}

const MOST_COLLECTED_BYTES = 8 * 1024 * 1024

export const createWorkspaces = (options: { readonly files: FileStore; readonly now: () => number }): Workspaces => {
  const memories = new Map<string, Memory>()
  return {
    workspaceFor(owner) {
      const memory = memories.get(owner.id) ?? { seen: new Map(), folders: new Set() }
      memories.set(owner.id, memory)
      const place: Place = { ...options, scope: owner.id, cwd: owner.header.cwd ?? '/', memory }
      return {
        readText: (path) => readText(place, path),
        collectText: (paths) => collectText(place, paths),
        writeText: (path, text) => writeText(place, path, text),
        list: (folder) => list(place, folder),
        forProgram: (refusal) => createProgramFiles(place, refusal),
      }
    },
    forget: (ownerId) => void memories.delete(ownerId),
  }
}

const readText = async (place: Place, given: string): Promise<TextFile> => {
  const path = workspaceFilePath(given, place.cwd)
  const { entry, text } = await load(place, path)
  place.memory.seen.set(path, entry)
  return { path, text, lines: countLines(text), bytes: entry.size, version: entry.version }
}

const load = async ({ files, scope }: Place, path: string): Promise<{ readonly entry: FileEntry; readonly text: string }> => {
  const stored = await files.read(scope, path)
  if (stored === undefined) throw invalid(await missing(files, scope, path))
  const text = textOfBytes(stored.bytes)
  if (text === undefined) throw invalid(`${path} is not text (${stored.entry.size} bytes of binary data). Only text can be read.`)
  return { entry: stored.entry, text }
}

const missing = async (files: FileStore, scope: string, path: string): Promise<string> => {
  const entries = await files.list(scope, '/')
  if (entries.some((entry) => entry.path.startsWith(`${path}/`))) return `${path} is a folder. Give the path of a file in it.`
  const name = lastPart(path).toLowerCase()
  const similar = entries.filter((entry) => lastPart(entry.path).toLowerCase() === name).slice(0, 3)
  const hint =
    similar.length > 0 ? `Did you mean ${similar.map((entry) => entry.path).join(' or ')}?` : 'List the files to see what there is.'
  return `There is no file ${path}. ${hint}`
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const collectText: (place: Place, given: readonly string[]) => ReturnType<Workspace['collectText']> = async (place, given) => {
  const paths = new Set<string>()
  for (const one of given) {
    const path = workspacePath(one, place.cwd)
    const below = await place.files.list(place.scope, path)
    for (const entry of below) paths.add(entry.path)
    if (below.length === 0 && path !== '/') paths.add(path)
  }
  const collected: { readonly path: string; readonly text: string }[] = []
  let bytes = 0
  for (const path of paths) {
    const { entry, text } = await load(place, path)
    bytes += entry.size
    if (bytes > MOST_COLLECTED_BYTES) throw invalid(`These files hold more than ${megabytes(MOST_COLLECTED_BYTES)}. Pass fewer.`)
    collected.push({ path, text })
  }
  return collected
}

const writeText = async (place: Place, given: string, text: string): Promise<WrittenFile> => {
  const { files, scope } = place
  const { seen } = place.memory
  const path = workspaceFilePath(given, place.cwd)
  const bytes = bytesOfText(text)
  if (bytes === undefined) throw invalid(`The text for ${path} has half of a character (a lone surrogate). Write the text again.`)
  checkSize(path, bytes.byteLength)
  const all = await files.list(scope, '/')
  checkPlace(all, path)
  checkRoom(all, path, bytes.byteLength)
  const before = all.find((entry) => entry.path === path)
  checkSeen(path, before, [seen.get(path)])
  const entry = await files.write(scope, path, bytes, { modifiedAt: place.now(), ifVersion: before?.version ?? 0 })
  seen.set(path, entry)
  return { path, created: before === undefined, lines: countLines(text), bytes: entry.size, version: entry.version }
}

const list = async ({ files, scope, cwd }: Place, given: string): Promise<FolderListing> => {
  const folder = workspacePath(given, cwd)
  const entries = await files.list(scope, folder)
  if (entries.length > 0 || folder === '/') return listTree(folder, entries)
  if ((await files.read(scope, folder)) !== undefined) throw invalid(`${folder} is a file, not a folder. Read it instead.`)
  throw invalid(`There is no folder ${folder}. List "/" to see what there is.`)
}
