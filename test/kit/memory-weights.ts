// Weights over a Map, for what is tried without a browser's file system.
import { SideloopError } from '../../src/storage/log/errors.ts'
import type { Weights } from '../../src/worker/capabilities/local-models/weights.ts'

export type MemoryWeights = Weights & {
  /** From now on no more than so many bytes fit. */
  limit(bytes: number): void
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

export const memoryWeights = (): MemoryWeights => {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const written = new Set<string>()
  let room = Number.POSITIVE_INFINITY
  const conflict = () => new SideloopError('storage/conflict', 'This model is being downloaded in another tab.')
  return {
    files,
    limit(bytes) {
      room = bytes
    },
    list: async () => [...files].map(([name, { length }]) => ({ name, size: length })),
    async read(name) {
      const bytes = files.get(name)
      return bytes && new Blob([bytes])
    },
    async write(name) {
      if (written.has(name)) throw conflict()
      written.add(name)
      const bytes = () => files.get(name) ?? new Uint8Array()
      files.set(name, bytes())
      return {
        get size() {
          return bytes().length
        },
        append(more) {
          const all = new Uint8Array(bytes().length + more.length)
          if (all.length > room) throw new SideloopError('storage/quota', 'There is no room left.')
          all.set(bytes())
          all.set(more, bytes().length)
          files.set(name, all)
        },
        restart: () => void files.set(name, new Uint8Array()),
        close: () => void written.delete(name),
      }
    },
    async remove(name) {
      if (written.has(name)) throw conflict()
      files.delete(name)
    },
  }
}
