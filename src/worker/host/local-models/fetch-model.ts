// All files of a model brought here, one after the other, and what they say of it.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import { type DownloadNeeds, downloadWeights } from '../../capabilities/local-models/download.ts'
import type { Weights } from '../../capabilities/local-models/weights.ts'
import { type FileFacts, FORMATS } from './formats.ts'
import { fileOf, formatOf, type SavedModel, type SavedPart } from './saved-models.ts'

const unusable = (label: string, error: unknown): SideloopError =>
  new SideloopError('model/failed', `${label} cannot be used: ${messageOf(error)}.`, { cause: error })

/** What its files say. One that is no model is removed. Errors: `model/failed`. */
const withFacts = async (model: SavedModel, weights: Weights): Promise<SavedModel> => {
  const open = async (file: string) => {
    const part = model.parts.find((each) => fileOf(each) === file)
    return part && weights.read(part.name)
  }
  try {
    const [first] = model.parts
    return { ...model, ...(await FORMATS[formatOf(model)].facts(open, first === undefined ? '' : fileOf(first))) }
  } catch (error) {
    for (const { name } of model.parts) await weights.remove(name)
    throw unusable(model.label, error)
  }
}

export type FetchListener = {
  /** Something is known now that has to be kept. */
  saved(model: SavedModel): Promise<void>
  received(name: string, bytes: number): void
}

const withPart = (model: SavedModel, part: SavedPart): SavedModel => ({
  ...model,
  parts: model.parts.map((each) => (each.name === part.name ? part : each)),
})

/** A private window may take more than it keeps, and says nothing. Errors: `storage/quota`. */
const checkKept = async (weights: Weights, name: string, bytes: number): Promise<void> => {
  const kept = (await weights.read(name))?.size ?? 0
  if (kept < bytes)
    throw new SideloopError(
      'storage/quota',
      `The browser kept ${megabytes(kept)} of ${megabytes(bytes)}: it has no room left for this model. Remove another one, free space on the disk, or leave private browsing.`,
    )
}
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Errors: `model/failed`, `storage/*`, the signal's reason. What came stays. */
export const fetchModel = async (given: SavedModel, needs: DownloadNeeds, on: FetchListener, signal: AbortSignal): Promise<SavedModel> => {
  let model = given
  for (const part of given.parts) {
    if (part.whole !== undefined) continue
    if (part.url === undefined) throw unusable(given.label, 'it was a file of yours and is not here any more; add it again')
    let begun = part
    let saving: Promise<void> = Promise.resolve()
    const address = {
      name: part.name,
      url: part.url,
      ...(part.etag === undefined ? {} : { etag: part.etag }),
      ...(part.bytes === undefined ? {} : { bytes: part.bytes }),
    }
    const bytes = await downloadWeights(
      address,
      needs,
      {
        begun(facts) {
          begun = { name: part.name, url: address.url, ...(part.file === undefined ? {} : { file: part.file }), ...facts }
          model = withPart(model, begun)
          saving = on.saved(model)
        },
        received: (count) => on.received(part.name, count),
        check(start) {
          try {
            FORMATS[formatOf(given)].check(fileOf(part), start)
          } catch (error) {
            throw unusable(given.label, error)
          }
        },
      },
      signal,
    )
    await saving
    await checkKept(needs.weights, part.name, bytes)
    model = withPart(model, { ...begun, bytes, whole: 'yes' })
    await on.saved(model)
  }
  model = await withFacts(model, needs.weights)
  await on.saved(model)
  return model
}

/** A file that a person gave, copied into its place. Errors: as above. */
export const copyModel = async (
  model: SavedModel,
  file: Blob,
  { weights }: Pick<DownloadNeeds, 'weights'>,
  on: FetchListener,
  signal: AbortSignal,
): Promise<SavedModel> => {
  const [part] = model.parts
  if (part === undefined) throw unusable(model.label, 'it has no file')
  let facts: FileFacts
  try {
    facts = await FORMATS.gguf.facts(async () => file, part.name)
  } catch (error) {
    throw unusable(model.label, error)
  }
  const whole: SavedModel = { ...model, ...facts, parts: [{ ...part, bytes: file.size, whole: 'yes' }] }
  const writer = await weights.write(part.name)
  try {
    try {
      writer.restart()
      const body = file.stream().getReader()
      while (true) {
        const { done, value } = await body.read()
        signal.throwIfAborted()
        if (done) break
        writer.append(value)
        on.received(part.name, writer.size)
      }
    } finally {
      writer.close()
    }
    await checkKept(weights, part.name, file.size)
    await on.saved(whole)
  } catch (error) {
    await weights.remove(part.name)
    throw error
  }
  return whole
}
