// A model that a person adds: by the address of its file, by that of its repository, or as a file of theirs.
import type { Gpu } from '../../capabilities/local-models/transformers/gpu.ts'
import type { Fetch } from '../../llm/adapters/stream-response.ts'
import type { LocalModelSource } from '../../protocol/local-models.ts'
import { partsOfRepository, repositoryOf } from './onnx-repository.ts'
import type { SavedModel, SavedPart, WeightsFormat } from './saved-models.ts'
import { idFor, keptName, labelOf, partsOf, readable } from './weights-source.ts'

export type NewModelNeeds = {
  readonly fetch: Fetch
  /** What ONNX weights would be computed with here. */
  readonly gpu: () => Promise<Gpu>
  readonly formats: readonly WeightsFormat[]
}

/** What a source turned out to be. */
export type NewContent = { readonly format: WeightsFormat; readonly parts: readonly SavedPart[]; readonly called: string }

/** Errors: `command/invalid`, `model/failed`. */
export const contentOf = async (source: LocalModelSource, { fetch, gpu, formats }: NewModelNeeds): Promise<NewContent> => {
  if ('file' in source) {
    const { name, file } = source
    // Two files of one name are two models.
    return { format: 'gguf', called: labelOf(name), parts: [{ name: keptName(`${name}/${crypto.randomUUID()}`), bytes: file.size }] }
  }
  const repository = formats.includes('onnx') ? repositoryOf(source.url) : undefined
  if (repository === undefined) return { format: 'gguf', called: labelOf(source.url), parts: partsOf(source.url) }
  return { format: 'onnx', called: labelOf(repository), parts: await partsOfRepository(repository, fetch, await gpu()) }
}

/** Under a name that none of `models` has. One that is among them already is given as it is. */
export const newModel = ({ format, parts, called }: NewContent, label: string | undefined, models: readonly SavedModel[]): SavedModel => {
  const url = parts[0]?.url
  const there = models.find((model) => url !== undefined && model.parts[0]?.url === url)
  if (there !== undefined) return there
  const shown = readable(label ?? '') || called
  const id = idFor(shown, (taken) => models.some((model) => model.id === taken))
  return { id, label: shown, origin: 'added', format, parts }
}
