// The models of this tab: what there is and how far each is, brought here, removed, and used.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { ModelInfo } from '../../../storage/log/model-info.ts'
import type { DownloadNeeds } from '../../capabilities/local-models/download.ts'
import type { LoadedModel, LocalEngine, WeightFile } from '../../capabilities/local-models/engine.ts'
import type { Gpu } from '../../capabilities/local-models/transformers/gpu.ts'
import { orAborted } from '../../hooks/or-aborted.ts'
import type { AnsweringModel, LocalModelOptions } from '../../llm/adapters/local-model.ts'
import type { AgentHost } from '../../protocol/agent-host.ts'
import { LOCAL_PROVIDER, type LocalModelState, type LocalModelView } from '../../protocol/local-models.ts'
import type { ModelChoice } from '../../protocol/providers.ts'
import type { SharedSettings } from '../shared-settings.ts'
import { copyModel, fetchModel } from './fetch-model.ts'
import { type JoinedWork, joinedWork } from './joined-work.ts'
import { createModelMemory, type UseStep } from './model-memory.ts'
import { contentOf, newModel } from './new-model.ts'
import { type Alone, formatOf, loadSavedModels, type SavedModel, type WeightsFormat, weightsOf } from './saved-models.ts'
import { createShelf } from './shelf.ts'

/** Each is called when the first model of its format is used, such as `async () => wllama()`. */
export type LocalEngines = { readonly [F in WeightsFormat]?: () => Promise<LocalEngine> }

export type LocalModelsNeeds = DownloadNeeds & {
  readonly engines: LocalEngines
  /** What ONNX weights would be computed with here. */
  readonly gpu: () => Promise<Gpu>
  readonly offered: readonly SavedModel[]
  readonly settings: SharedSettings
  readonly alone: Alone
}

export type LocalModels = Omit<AgentHost['local'], 'watch'> & {
  views(): readonly LocalModelView[]
  /** Called whenever a view may have changed. */
  onChange(listener: () => void): () => void
  /** Those whose weights are here. */
  choices(): readonly ModelChoice[]
  /** When something is here: fetches what runs it, for when there is no network. Errors: `worker/start`. */
  warm(): Promise<void>
  info(id: string): ModelInfo | undefined
  use: LocalModelOptions['use']
}

/** Room for a conversation, in tokens: a model may be trained for more than a tab has memory for. */
const MOST_CONTEXT = 16_384
const LEAST_KNOWN_CONTEXT = 4_096

const stopped = (): DOMException => new DOMException('Stopped.', 'AbortError')
const wasStopped = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

export const createLocalModels = async (needs: LocalModelsNeeds): Promise<LocalModels> => {
  const { weights, settings, offered, engines, alone } = needs
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const states = new Map<string, LocalModelState>()
  const failures = new Map<string, string>()
  const fetching = new Map<string, JoinedWork<void>>()
  /** What is being added: a copy of a file that does not end leaves no model. */
  const arriving = new Map<string, SavedModel>()
  const shelf = createShelf(weights)
  const engineOf = async (format: WeightsFormat): Promise<LocalEngine> => {
    const engine = await engines[format]?.()
    if (engine === undefined)
      throw new SideloopError('command/invalid', `This application has no engine for ${format.toUpperCase()} weights.`)
    return engine
  }
  const memory = createModelMemory(engineOf)

  /** After another tab brought or removed something. */
  const lookAgain = async (): Promise<void> => {
    await shelf.lookUp()
    const whole = saved.all().filter(shelf.isWhole)
    for (const { id } of whole) failures.delete(id)
    const loaded = memory.current()
    if (loaded !== undefined && !whole.some((model) => weightsOf(model) === loaded)) memory.unload(loaded)
    changed()
  }
  const saved = await loadSavedModels(settings, offered, () => void lookAgain(), alone)
  await shelf.lookUp()
  const names = saved.names()
  if (names !== undefined) void shelf.sweep(names).then(changed)

  const find = (id: string): SavedModel => {
    const model = saved.get(id)
    if (model === undefined) throw new SideloopError('command/invalid', `There is no model "${id}" in this tab. Choose another one.`)
    return model
  }
  const all = (): readonly SavedModel[] => {
    const whole = saved.all()
    return [...whole, ...[...arriving.values()].filter(({ id }) => whole.every((model) => model.id !== id))]
  }

  const stateOf = (model: SavedModel): LocalModelState => {
    if (fetching.has(model.id)) return { kind: 'downloading' }
    const state = states.get(model.id)
    if (state !== undefined) return state
    return memory.current() === weightsOf(model) ? { kind: 'loaded' } : { kind: shelf.isWhole(model) ? 'kept' : 'absent' }
  }
  const bytesOf = ({ parts }: SavedModel): number | undefined =>
    parts.reduce<number | undefined>((sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes), 0)

  const view = (model: SavedModel): LocalModelView => {
    const { id, label, detail, origin, parts } = model
    const bytes = bytesOf(model)
    const failure = failures.get(id)
    const url = parts[0]?.url
    return {
      id,
      label,
      here: shelf.sizeOf(model),
      state: stateOf(model),
      added: origin === 'added',
      ...(detail === undefined ? {} : { detail }),
      ...(url === undefined ? {} : { url }),
      ...(bytes === undefined ? {} : { bytes }),
      ...(failure === undefined ? {} : { failure }),
    }
  }
  const listen = {
    async saved(model: SavedModel) {
      await saved.put(model)
      changed()
    },
    received(name: string, bytes: number) {
      shelf.received(name, bytes)
      changed()
    },
  }

  /** One way to have it here, for everybody who waits for it. */
  const bring = (id: string, work: (signal: AbortSignal) => Promise<unknown>): JoinedWork<void> => {
    const there = fetching.get(id)
    if (there !== undefined) return there
    failures.delete(id)
    const joined = joinedWork(async (signal) => {
      try {
        await work(signal)
      } catch (error) {
        if (!signal.aborted) failures.set(id, messageOf(error))
        throw error
      } finally {
        await shelf.lookUp()
        fetching.delete(id)
        changed()
      }
    })
    fetching.set(id, joined)
    changed()
    return joined
  }
  const never = new AbortController().signal
  const files = async (model: SavedModel): Promise<readonly WeightFile[]> => {
    const found = await shelf.files(model)
    if (found === undefined) throw await missing(model)
    return found
  }

  /** The browser may have removed it behind our back. */
  const missing = async (model: SavedModel): Promise<SideloopError> => {
    await shelf.lookUp()
    changed()
    return absent(model)
  }

  const show = (id: string, state: LocalModelState | undefined) => {
    if (state === undefined) states.delete(id)
    else states.set(id, state)
    changed()
  }
  const step = (id: string) => (now: UseStep) => {
    if (now === 'waiting' || now === 'loading') show(id, { kind: 'loading' })
    else show(id, undefined)
    if (now === 'ready') failures.delete(id)
  }

  return {
    list: async () => all().map(view),
    views: () => all().map(view),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async add({ source, label }) {
      const formats = (['gguf', 'onnx'] as const).filter((format) => engines[format] !== undefined)
      const content = await contentOf(source, { fetch: needs.fetch, gpu: needs.gpu, formats })
      const model = newModel(content, label, all())
      const { id } = model
      if (saved.get(id) === undefined) arriving.set(id, model)
      const arrive = async (ending: AbortSignal): Promise<unknown> => {
        try {
          return await ('url' in source ? saved.put(model) : copyModel(model, source.file, needs, listen, ending))
        } finally {
          arriving.delete(id)
        }
      }
      await ('url' in source ? arrive(never) : bring(id, arrive).join(never))
      changed()
      return { id }
    },
    async download({ id }) {
      const model = find(id)
      if (shelf.isWhole(model)) return
      const bringing = bring(id, async (ending) => {
        const engine = await engineOf(formatOf(model))
        await fetchModel(shelf.pending(model), needs, listen, ending)
        // Its engine has to be here, too, when there is no network any more.
        await orAborted(engine.warm(), ending)
      })
      await bringing.join(never).catch((error: unknown) => {
        if (!wasStopped(error)) throw error
      })
    },
    stop: async ({ id }) => fetching.get(id)?.stop(stopped()),
    async remove({ id }) {
      const model = find(id)
      fetching.get(id)?.stop(stopped())
      await fetching
        .get(id)
        ?.join(never)
        .catch(() => {}) // it was stopped; its writer has to be gone before the file can go
      memory.unload(weightsOf(model))
      failures.delete(id)
      await shelf.remove(model)
      await saved.forget(id)
      changed()
    },
    choices: () =>
      saved
        .all()
        .filter(shelf.isWhole)
        .map((model) => ({
          provider: LOCAL_PROVIDER,
          model: model.id,
          label: model.label,
          detail: 'In this tab. No key, no network.',
          info: infoOf(model),
        })),
    async warm() {
      const formats = new Set(saved.all().filter(shelf.isWhole).map(formatOf))
      for (const format of formats) await (await engineOf(format)).warm()
    },
    info(id) {
      const model = saved.get(id)
      return model && infoOf(model)
    },
    async use(id, run, signal) {
      await fetching.get(id)?.join(signal)
      const model = find(id)
      if (!shelf.isWhole(model)) throw await missing(model)
      await memory.use(
        { key: weightsOf(model), format: formatOf(model), contextWindow: windowOf(model), files: () => files(model) },
        (loaded) => run(readingOf(loaded, (part) => show(id, part))),
        step(id),
        signal,
      )
    },
  }
}

const windowOf = ({ contextWindow = LEAST_KNOWN_CONTEXT }: SavedModel): number => Math.min(contextWindow, MOST_CONTEXT)

/** llama.cpp reads calls of tools itself; transformers.js leaves them in the text. */
const infoOf = (model: SavedModel): ModelInfo => ({
  contextWindow: windowOf(model),
  images: false,
  efforts: [],
  ...(model.tools === 'no' ? { tools: false } : formatOf(model) === 'onnx' ? { textCalls: true } : {}),
})

/** Says how far the conversation is read, until the first word of the answer. */
const readingOf = (loaded: LoadedModel, show: (state: LocalModelState | undefined) => void): AnsweringModel => ({
  async answer(body, on, signal) {
    let isReading = false
    const read = (part: number): void => {
      if (part < 1 || isReading) show(part < 1 ? { kind: 'reading', part } : undefined)
      isReading = part < 1
    }
    const event = (json: string): void => {
      read(1)
      on.event(json)
    }
    await loaded.answer(body, { event, reading: read }, signal)
  },
})

const absent = ({ label }: SavedModel): SideloopError =>
  new SideloopError(
    'model/failed',
    `${label} is not in this browser any more. Download it in the settings, under “In this tab”, or choose another model.`,
  )
