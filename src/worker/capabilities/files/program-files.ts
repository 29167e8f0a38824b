// The files of a session as a program uses them, bytes and all: it may change what it has read itself or what the agent has seen.
import type { FileEntry } from '../../../storage/file-store.ts'
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import { textOfBytes } from './text-bytes.ts'
import { workspaceFilePath, workspacePath } from './workspace-path.ts'
import { checkPlace, checkRoom, checkSeen, checkSize, invalid, isSame, MOST_FILES, type Place, type SeenState } from './workspace-rules.ts'

/** `size` in bytes, `modifiedAt` in epoch milliseconds. */
export type ProgramFile = { readonly path: string; readonly size: number; readonly modifiedAt: number }
export type ProgramTree = { readonly files: readonly ProgramFile[]; readonly folders: readonly string[] }
export type RefusedChange = { readonly path: string; readonly reason: string }

/** All paths are absolute. A change that fails is kept in `refused`: programs are poor at saying why something failed. */
export interface ProgramFiles {
  /** `folders`: those that were made or have lost their last file. They last as long as the session is open. */
  list(): Promise<ProgramTree>
  read(path: string): Promise<Uint8Array>
  write(path: string, bytes: Uint8Array): Promise<ProgramFile>
  move(from: string, to: string): Promise<ProgramFile>
  remove(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  removeFolder(path: string): Promise<void>
  readonly refused: readonly RefusedChange[]
  /** What the program printed, as the agent reads it: a file that stands in it whole has been seen. */
  shown(text: string): void
}

/** A file that was read to be printed is small. Larger ones are not searched for in what was printed. */
const LONGEST_SHOWN = 100_000

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'
const asProgramFile = ({ path, size, modifiedAt }: FileEntry): ProgramFile => ({ path, size, modifiedAt })

export const createProgramFiles = (place: Place, refusal: (path: string) => string | undefined): ProgramFiles => {
  const { files, scope } = place
  const { seen, folders } = place.memory
  const refused: RefusedChange[] = []
  /** States that the program itself has read or made. */
  const known = new Map<string, SeenState>()
  const texts = new Map<string, { readonly state: SeenState; readonly text: string }>()

  const checkAllowed = (path: string): void => {
    const reason = refusal(path)
    if (reason !== undefined) throw invalid(reason)
  }
  const changing = async <T>(path: string, change: () => Promise<T>): Promise<T> => {
    try {
      checkAllowed(path)
      return await change()
    } catch (error) {
      refused.push({ path, reason: messageOf(error) })
      throw error
    }
  }

  const read = async (path: string): Promise<Uint8Array> => {
    const stored = await files.read(scope, path)
    if (stored === undefined) throw invalid(`There is no file ${path}.`)
    const { entry, bytes } = stored
    known.set(path, entry)
    const text = bytes.byteLength > LONGEST_SHOWN ? undefined : textOfBytes(bytes)
    if (text === undefined) texts.delete(path)
    else texts.set(path, { state: entry, text })
    return bytes
  }

  const write = async (path: string, bytes: Uint8Array): Promise<ProgramFile> => {
    checkSize(path, bytes.byteLength)
    const all = await files.list(scope, '/')
    if (folders.has(path)) throw invalid(`${path} is a folder. Choose another name for the file.`)
    checkPlace(all, path)
    checkRoom(all, path, bytes.byteLength)
    const before = all.find((entry) => entry.path === path)
    checkSeen(path, before, [known.get(path), seen.get(path)])
    const entry = await files.write(scope, path, bytes, { modifiedAt: place.now(), ifVersion: before?.version ?? 0 })
    known.set(path, entry)
    texts.delete(path)
    // What was made of a file that the agent does not know, it does not know either.
    if (before === undefined || isSame(seen.get(path), before)) seen.set(path, entry)
    return asProgramFile(entry)
  }

  const checkRemovable = async (path: string): Promise<void> => {
    const before = (await files.list(scope, parentOf(path))).find((entry) => entry.path === path)
    if (before === undefined) throw invalid(`There is no file ${path}.`)
    const states = [known.get(path), seen.get(path)]
    // Nobody has to read what is thrown away, but who knows another state means another file.
    if (states.every((state) => state === undefined) || states.some((state) => isSame(state, before))) return
    throw new SideloopError('storage/conflict', `${path} was changed since you read it, probably by the person. Read it again first.`)
  }
  /** A folder outlives the last thing in it. */
  const keepParent = (path: string): void => {
    if (parentOf(path) !== '/') folders.add(parentOf(path))
  }
  const drop = async (path: string): Promise<void> => {
    await files.remove(scope, path)
    known.delete(path)
    seen.delete(path)
    keepParent(path)
  }

  return {
    async list() {
      const all = (await files.list(scope, '/')).map(asProgramFile)
      const taken = new Set(all.map(({ path }) => path)) // a file that was made meanwhile has the name
      return { files: all, folders: [...folders].filter((path) => !taken.has(path)) }
    },
    read: async (given) => read(workspaceFilePath(given)),
    write: (given, bytes) => changing(given, () => write(workspaceFilePath(given), bytes)),
    move: (given, target) =>
      changing(given, () =>
        changing(target, async () => {
          const [from, to] = [workspaceFilePath(given), workspaceFilePath(target)]
          await checkRemovable(from)
          const moved = await write(to, await read(from))
          await drop(from)
          return moved
        }),
      ),
    remove: (given) =>
      changing(given, async () => {
        const path = workspaceFilePath(given)
        await checkRemovable(path)
        await drop(path)
      }),
    makeFolder: (given) =>
      changing(given, async () => {
        const path = workspacePath(given)
        if (folders.size >= MOST_FILES) throw invalid(`There are ${MOST_FILES} empty folders already, which is the most.`)
        folders.add(path)
      }),
    removeFolder: (given) =>
      changing(given, async () => {
        const path = workspacePath(given)
        folders.delete(path)
        keepParent(path)
      }),
    refused,
    shown(text) {
      for (const [path, { state, text: whole }] of texts) if (whole.trim() !== '' && text.includes(whole.trim())) seen.set(path, state)
    },
  }
}
