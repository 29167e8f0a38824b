// What is remembered of the models in this browser: where each comes from, of which files it is made, which of them are whole.
import type { Json } from '../../../storage/log/content.ts'
import { listOf, number, object, oneOf, type ShapeOf, text } from '../../protocol/shapes.ts'
import type { SharedSettings } from '../shared-settings.ts'

const word = text(300, 1)
const count = number(0)

const part = object({ name: word }, { url: text(2000, 1), file: text(1000, 1), bytes: count, etag: text(300), whole: oneOf('yes') })
const model = object(
  { id: word, label: text(300), origin: oneOf('offered', 'added'), parts: listOf(part, 100, 1) },
  { detail: text(300), format: oneOf('gguf', 'onnx'), contextWindow: count, tools: oneOf('yes', 'no') },
)

/** One file of it; `name` is its name where it is kept, `file` the one that its makers gave it, `bytes` and `etag` what the server said. */
export type SavedPart = ShapeOf<typeof part>
/** `contextWindow` (tokens it was trained for) and `tools` are what its file says, known once it is here. */
export type SavedModel = ShapeOf<typeof model>

/** GGUF runs on llama.cpp, ONNX on transformers.js. */
export type WeightsFormat = 'gguf' | 'onnx'
export const formatOf = ({ format = 'gguf' }: SavedModel): WeightsFormat => format
export const fileOf = ({ file, name }: SavedPart): string => file ?? name

/** Of its files: other files under the same id are another model. */
export const weightsOf = ({ parts }: SavedModel): string => parts.map(({ name }) => name).join('\n')

export type SavedModels = {
  all(): readonly SavedModel[]
  get(id: string): SavedModel | undefined
  /** Every file that something stored has; `undefined` when there is something that this version cannot read. */
  names(): ReadonlySet<string> | undefined
  /** Adds it, or puts it in the place of the one with its id. */
  put(model: SavedModel): Promise<void>
  forget(id: string): Promise<void>
}

const SETTING = 'local-models'

/** Does it while nobody else writes, in this tab or another one. */
export type Alone = <T>(work: () => Promise<T>) => Promise<T>

/** `offered`: what the application offers; what is stored of those goes before it. `onNews`: another tab changed something. */
export const loadSavedModels = async (
  settings: SharedSettings,
  offered: readonly SavedModel[],
  onNews: () => void,
  alone: Alone,
): Promise<SavedModels> => {
  let stored: readonly Json[] = []
  const readAll = async () => {
    const value = await settings.get(SETTING)
    stored = Array.isArray(value) ? value : []
  }
  const readOne = (value: Json): SavedModel | undefined => {
    try {
      return model(value, '')
    } catch {
      return undefined // of a newer version, or broken: it is kept as it is
    }
  }
  const othersThan = (id: string): readonly Json[] => stored.filter((value) => readOne(value)?.id !== id)
  /** Read anew first: another tab may have written meanwhile. */
  const write = (change: () => readonly Json[]): Promise<void> =>
    alone(async () => {
      await readAll()
      stored = change()
      await settings.set(SETTING, [...stored])
    })

  await readAll()
  settings.onNews(SETTING, () => void readAll().then(onNews, () => {})) // what cannot be read now is read with the next change

  const all = (): readonly SavedModel[] => {
    const read = stored.flatMap((value) => readOne(value) ?? [])
    const known = new Map(read.map((each) => [each.id, each]))
    // An application that offers another file under the same name means that one.
    const ours = offered.map((offer) => {
      const kept = known.get(offer.id)
      return kept?.parts.every(({ url }, i) => url === offer.parts[i]?.url) ? { ...kept, label: offer.label } : offer
    })
    return [...ours, ...read.filter(({ id, origin }) => origin === 'added' && !offered.some((offer) => offer.id === id))]
  }
  return {
    all,
    get: (id) => all().find((each) => each.id === id),
    names() {
      const read = stored.map(readOne)
      if (read.includes(undefined)) return undefined
      return new Set([...read, ...offered].flatMap((each) => each?.parts.map(({ name }) => name) ?? []))
    },
    // What cannot be read again must not be written.
    put: async (saved) => write(() => [...othersThan(saved.id), model(saved, saved.label)]),
    forget: (id) => write(() => othersThan(id)),
  }
}
