// Weights as files of the origin's private file system: the one place of a browser that takes gigabytes piece by piece.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { KeptWeights, Weights, WeightsWriter } from './weights.ts'

const nameOf = (error: unknown): string => (error instanceof Error || error instanceof DOMException ? error.name : '')

const translated = (cause: unknown): unknown => {
  switch (nameOf(cause)) {
    case 'QuotaExceededError':
      return new SideloopError(
        'storage/quota',
        'The browser has no room left for this model. Remove another one, or free space on the disk.',
        {
          cause,
        },
      )
    case 'NoModificationAllowedError':
    case 'InvalidModificationError':
      return new SideloopError('storage/conflict', 'This model is being downloaded in another tab. Wait for that, or stop it there.', {
        cause,
      })
    case 'SecurityError':
    case 'NotAllowedError':
    case 'TypeError':
      return new SideloopError(
        'storage/unavailable',
        'The browser does not let this page keep large files, so it cannot keep a model. Leave private browsing and allow site data for this address.',
        { cause },
      )
    default:
      return cause
  }
}

const orTranslated = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw translated(error)
  }
}

const orUndefined = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (nameOf(error) === 'NotFoundError') return undefined
    throw error
  }
}

/** The part of `FileSystemSyncAccessHandle` that is used; only workers have it, so only their library describes it. */
type OpenFile = {
  getSize(): number
  write(bytes: Uint8Array, options: { readonly at: number }): number
  truncate(size: number): void
  flush(): void
  close(): void
}
type WritableInPlace = FileSystemFileHandle & { createSyncAccessHandle(): Promise<OpenFile> }

const writerOf = (file: OpenFile): WeightsWriter => {
  let size = file.getSize()
  return {
    get size() {
      return size
    },
    append(bytes) {
      try {
        // A disk that is full may take a part.
        const written = file.write(bytes, { at: size })
        if (written < bytes.length) throw new DOMException('', 'QuotaExceededError')
      } catch (error) {
        file.truncate(size)
        throw translated(error)
      }
      size += bytes.length
    },
    restart() {
      file.truncate(0)
      size = 0
    },
    close() {
      file.flush()
      file.close()
    },
  }
}

/** For a dedicated worker: nowhere else may a file be written in place. `folder`: a name that no other application of the origin has. */
export const opfsWeights = (folder: string): Weights => {
  const open = async (): Promise<FileSystemDirectoryHandle> =>
    (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create: true })
  return {
    list: () =>
      orTranslated(async () => {
        const kept: KeptWeights[] = []
        for await (const [name, handle] of (await open()).entries())
          if (handle instanceof FileSystemFileHandle) kept.push({ name, size: (await handle.getFile()).size })
        return kept
      }),
    read: (name) =>
      orTranslated(async () => {
        const file = await orUndefined((await open()).getFileHandle(name))
        return file?.getFile()
      }),
    write: (name) =>
      orTranslated(async () => {
        const file = (await (await open()).getFileHandle(name, { create: true })) as WritableInPlace
        return writerOf(await file.createSyncAccessHandle())
      }),
    remove: (name) =>
      orTranslated(async () => {
        await orUndefined((await open()).removeEntry(name))
      }),
  }
}
