// What is here of the models: which of their files, how much of them, and all of a model's files when it is whole.
import type { WeightFile } from '../../capabilities/local-models/engine.ts'
import type { Weights } from '../../capabilities/local-models/weights.ts'
import { fileOf, type SavedModel, type SavedPart } from './saved-models.ts'

export type Shelf = {
  /** Again, for what others may have changed. When it cannot be read, what was known stays. */
  lookUp(): Promise<void>
  /** Bytes. */
  sizeOf(model: SavedModel): number
  isWhole(model: SavedModel): boolean
  /** The model with what has to be fetched of it: a part that was whole and is not here any more is to be fetched, too. */
  pending(model: SavedModel): SavedModel
  /** `undefined` when one of them is missing after all. */
  files(model: SavedModel): Promise<readonly WeightFile[] | undefined>
  received(name: string, bytes: number): void
  remove(model: SavedModel): Promise<void>
  /** Removes what is none of these: a copy that a crash cut off has no model. What is being written stays. */
  sweep(names: ReadonlySet<string>): Promise<void>
}

export const createShelf = (weights: Weights): Shelf => {
  let sizes: ReadonlyMap<string, number> = new Map()
  const lookUp = async (): Promise<void> => {
    const kept = await weights.list().catch(() => undefined)
    if (kept !== undefined) sizes = new Map(kept.map(({ name, size }) => [name, size]))
  }
  const isHere = ({ name, whole, bytes }: SavedPart): boolean => whole !== undefined && sizes.get(name) === bytes
  return {
    lookUp,
    sizeOf: ({ parts }) => parts.reduce((sum, { name }) => sum + (sizes.get(name) ?? 0), 0),
    isWhole: ({ parts }) => parts.every(isHere),
    pending: (model) => ({
      ...model,
      parts: model.parts.map((part) => {
        const { whole: _gone, ...rest } = part
        return isHere(part) ? part : rest
      }),
    }),
    async files({ parts }) {
      const blobs = await Promise.all(parts.map(({ name }) => weights.read(name)))
      const found = parts.flatMap((part, i) => {
        const blob = blobs[i]
        return blob === undefined || blob.size !== part.bytes ? [] : [{ name: fileOf(part), blob }]
      })
      return found.length === parts.length ? found : undefined
    },
    received(name, bytes) {
      sizes = new Map(sizes).set(name, bytes)
    },
    async sweep(names) {
      for (const name of sizes.keys()) if (!names.has(name)) await weights.remove(name).catch(() => {})
      await lookUp()
    },
    async remove({ parts }) {
      for (const { name } of parts) await weights.remove(name)
      await lookUp()
    },
  }
}
