// The tree of files as the shell's interpreter sees it: names, sizes and folders are here, content and every change are the owner's.
import type { IFileSystem } from 'just-bash/browser'
import type { ProgramFile, ProgramTree } from '../files/program-files.ts'
import { bytesOf, type Encoding, textOf } from './file-encoding.ts'
import type { OwnerCalls } from './shell-messages.ts'
import { below, failure, isDevice, isInDev, parentOf, resolve } from './shell-paths.ts'

/** Files have no modes here: whatever there is can be run. */
const MODE = 0o755
const EPOCH = new Date(0)

type Files = Omit<OwnerCalls, 'command'>

export const createShellTree = (tree: ProgramTree, owner: Files): IFileSystem => {
  const files = new Map<string, ProgramFile>()
  const folders = new Set<string>(['/'])
  /** What the interpreter keeps in `/dev`, as the pipes of `<(…)`. */
  const pipes = new Map<string, Uint8Array>()

  const addFolder = (path: string): void => {
    for (let folder = path; !folders.has(folder); folder = parentOf(folder)) folders.add(folder)
  }
  const addFile = (file: ProgramFile): void => {
    files.set(file.path, file)
    addFolder(parentOf(file.path))
  }
  for (const file of tree.files) if (!isInDev(file.path)) addFile(file)
  for (const folder of tree.folders) if (!isInDev(folder)) addFolder(folder)

  const isFolder = (path: string): boolean => folders.has(path) || path === '/dev' || path === '/dev/fd'
  const isThere = (path: string): boolean => files.has(path) || isFolder(path) || isDevice(path) || pipes.has(path)
  const filesBelow = (folder: string): readonly string[] => [...files.keys()].filter((path) => path.startsWith(below(folder)))
  const foldersBelow = (folder: string): readonly string[] => [...folders].filter((path) => path !== '/' && path.startsWith(below(folder)))

  /** The owner's refusals have words of their own, which most commands would not repeat. */
  const changed = async <T>(path: string, change: Promise<T>): Promise<T> => {
    try {
      return await change
    } catch {
      throw failure('EACCES', path)
    }
  }
  const read = async (path: string): Promise<Uint8Array> => {
    if (isInDev(path) && isThere(path)) return pipes.get(path) ?? new Uint8Array()
    if (isFolder(path)) throw failure('EISDIR', path)
    if (!files.has(path)) throw failure('ENOENT', path)
    try {
      return await owner.read(path)
    } catch {
      throw failure('EIO', path)
    }
  }
  const checkTarget = (path: string): void => {
    if (isFolder(path)) throw failure('EISDIR', path)
    for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) if (files.has(folder)) throw failure('ENOTDIR', path)
  }
  const write = async (path: string, bytes: Uint8Array): Promise<void> => {
    if (isInDev(path)) return isDevice(path) ? undefined : void pipes.set(path, bytes)
    checkTarget(path)
    addFile(await changed(path, owner.write(path, bytes)))
  }
  const makeFolder = async (path: string): Promise<void> => {
    if (isInDev(path)) return
    checkTarget(path)
    await changed(path, owner.makeFolder(path))
    addFolder(path)
  }
  const dropFile = async (path: string): Promise<void> => {
    await changed(path, owner.remove(path))
    files.delete(path)
  }
  const dropFolder = async (path: string): Promise<void> => {
    await changed(path, owner.removeFolder(path))
    folders.delete(path)
  }
  const moveFile = async (from: string, to: string): Promise<void> => {
    if (isInDev(from) || isInDev(to)) throw failure('EINVAL', from)
    checkTarget(to)
    addFile(await changed(to, owner.move(from, to)))
    files.delete(from)
  }
  const dropAll = async (folder: string): Promise<void> => {
    for (const path of filesBelow(folder)) await dropFile(path)
    const inside = foldersBelow(folder).toSorted().reverse()
    for (const path of folder === '/' ? inside : [...inside, folder]) await dropFolder(path)
  }
  const children = (folder: string): readonly string[] => {
    const start = below(folder).length
    const names = [...filesBelow(folder), ...foldersBelow(folder)].map((path) => path.slice(start).split('/', 1)[0] ?? '')
    return [...new Set(names)].toSorted()
  }
  const checkFolder = (path: string): void => {
    if (!isThere(path)) throw failure('ENOENT', path)
    if (!isFolder(path)) throw failure('ENOTDIR', path)
  }
  /** `each`: one file, from where it is to where it belongs. */
  const transfer = async (from: string, to: string, each: (from: string, to: string) => Promise<void>): Promise<void> => {
    if (to.startsWith(below(from))) throw failure('EINVAL', to)
    await makeFolder(to).catch((error: unknown) => {
      if (!isFolder(to)) throw error // into one that is there
    })
    for (const folder of foldersBelow(from)) await makeFolder(resolve(to, folder.slice(below(from).length)))
    for (const file of filesBelow(from)) await each(file, resolve(to, file.slice(below(from).length)))
  }
  const stat: IFileSystem['stat'] = async (given) => {
    const path = resolve('/', given)
    if (!isThere(path)) throw failure('ENOENT', given)
    const file = files.get(path)
    const mtime = file === undefined ? EPOCH : new Date(file.modifiedAt)
    const isDirectory = isFolder(path)
    return { isFile: !isDirectory, isDirectory, isSymbolicLink: false, mode: MODE, size: file?.size ?? 0, mtime, identity: path }
  }
  const noLinks = async (path: string): Promise<never> => {
    throw failure('EPERM', path)
  }

  return {
    resolvePath: resolve,
    getAllPaths: () => [...folders, ...files.keys()],
    exists: async (path) => isThere(resolve('/', path)),
    stat,
    lstat: stat,
    async realpath(given) {
      const path = resolve('/', given)
      if (!isThere(path)) throw failure('ENOENT', given)
      return path
    },
    readFile: async (path, options) => textOf(await read(resolve('/', path)), encodingOf(options)),
    readFileBuffer: (path) => read(resolve('/', path)),
    writeFile: (path, content, options) => write(resolve('/', path), bytesOf(content, encodingOf(options))),
    async appendFile(given, content, options) {
      const path = resolve('/', given)
      const before = isThere(path) ? await read(path) : new Uint8Array()
      const more = bytesOf(content, encodingOf(options))
      const whole = new Uint8Array(before.byteLength + more.byteLength)
      whole.set(before)
      whole.set(more, before.byteLength)
      await write(path, whole)
    },
    async readdir(given) {
      const path = resolve('/', given)
      checkFolder(path)
      return [...children(path)]
    },
    async readdirWithFileTypes(given) {
      const path = resolve('/', given)
      checkFolder(path)
      return children(path).map((name) => {
        const isDirectory = isFolder(resolve(path, name))
        return { name, isFile: !isDirectory, isDirectory, isSymbolicLink: false }
      })
    },
    async mkdir(given, options) {
      const path = resolve('/', given)
      const recursive = options?.recursive === true
      if (isThere(path)) {
        if (recursive && isFolder(path)) return
        throw failure('EEXIST', given)
      }
      if (!recursive && !isFolder(parentOf(path))) throw failure('ENOENT', given)
      await makeFolder(path)
    },
    async rm(given, options) {
      const path = resolve('/', given)
      if (isInDev(path)) return void pipes.delete(path)
      if (files.has(path)) return dropFile(path)
      if (!isFolder(path)) {
        if (options?.force === true) return
        throw failure('ENOENT', given)
      }
      if (options?.recursive !== true && children(path).length > 0) throw failure('ENOTEMPTY', given)
      await dropAll(path)
    },
    async cp(src, dest, options) {
      const [from, to] = [resolve('/', src), resolve('/', dest)]
      if (!isFolder(from)) return write(to, await read(from))
      if (options?.recursive !== true) throw failure('EISDIR', src)
      await transfer(from, to, async (file, target) => write(target, await read(file)))
    },
    async mv(src, dest) {
      const [from, to] = [resolve('/', src), resolve('/', dest)]
      if (from === to) return
      if (files.has(from)) return moveFile(from, to)
      if (!isFolder(from)) throw failure('ENOENT', src)
      await transfer(from, to, moveFile)
      await dropAll(from)
    },
    async chmod(path) {
      if (!isThere(resolve('/', path))) throw failure('ENOENT', path)
    },
    // The stores tell the time of a file's last write, so that is what this is.
    async utimes(given) {
      const path = resolve('/', given)
      if (files.has(path)) await write(path, await read(path))
      else if (!isThere(path)) throw failure('ENOENT', given)
    },
    symlink: (_target, path) => noLinks(path),
    link: (_existing, path) => noLinks(path),
    async readlink(path) {
      throw failure(isThere(resolve('/', path)) ? 'EINVAL' : 'ENOENT', path)
    },
  }
}

const encodingOf = (options: { readonly encoding?: Encoding | null } | Encoding | undefined): Encoding =>
  (typeof options === 'string' ? options : options?.encoding) ?? 'utf8'
