// The models of this tab: what there is and how far each is, brought here, removed, and used.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { ModelInfo } from '../../../storage/log/model-info.ts'
import type { DownloadNeeds } from '../../capabilities/local-models/download.ts'
import type { LoadedModel, LocalEngine } from '../../capabilities/local-models/engine.ts'
import type { AnsweringModel, LocalModelOptions } from '../../llm/adapters/local-model.ts'
import type { AgentHost } from '../../protocol/agent-host.ts'
import { LOCAL_PROVIDER, type LocalModelState, type LocalModelView } from '../../protocol/local-models.ts'
import type { ModelChoice } from '../../protocol/providers.ts'
import type { SharedSettings } from '../shared-settings.ts'
import { copyModel, fetchModel } from './fetch-model.ts'
import { type JoinedWork, joinedWork } from './joined-work.ts'
import { createModelMemory, type UseStep } from './model-memory.ts'
import { loadSavedModels, type SavedModel } from './saved-models.ts'
import { idFor, keptName, labelOf, partsOf } from './weights-source.ts'

export type LocalModelsNeeds = DownloadNeeds & {
  readonly engine: () => Promise<LocalEngine>
  readonly offered: readonly SavedModel[]
  readonly settings: SharedSettings
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
  const { weights, settings, offered, engine } = needs
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const sizes = new Map<string, number>()
  const states = new Map<string, LocalModelState>()
  const failures = new Map<string, string>()
  const fetching = new Map<string, JoinedWork<void>>()
  /** Files that a person gave, while they are copied: a copy that does not end leaves no model. */
  const arriving = new Map<string, SavedModel>()
  const memory = createModelMemory(engine)

  const lookUpSizes = async () => {
    const kept = await weights.list()
    sizes.clear()
    for (const { name, size } of kept) sizes.set(name, size)
  }
  const lookAgain = () => void lookUpSizes().then(changed, changed)
  const saved = await loadSavedModels(settings, offered, lookAgain)
  await lookUpSizes().catch(() => {}) // then nothing is here, and whoever writes is told why

  const find = (id: string): SavedModel => {
    const model = saved.get(id)
    if (model === undefined) throw new SideloopError('command/invalid', `There is no model "${id}" in this tab. Choose another one.`)
    return model
  }
  const all = (): readonly SavedModel[] => {
    const whole = saved.all()
    return [...whole, ...[...arriving.values()].filter(({ id }) => whole.every((model) => model.id !== id))]
  }
  const sizeOf = ({ parts }: SavedModel): number => parts.reduce((sum, { name }) => sum + (sizes.get(name) ?? 0), 0)
  const isKept = ({ parts }: SavedModel): boolean =>
    parts.every(({ name, whole, bytes }) => whole !== undefined && sizes.get(name) === bytes)
  const windowOf = ({ contextWindow = LEAST_KNOWN_CONTEXT }: SavedModel): number => Math.min(contextWindow, MOST_CONTEXT)

  const stateOf = (model: SavedModel): LocalModelState => {
    if (fetching.has(model.id)) return { kind: 'downloading' }
    const state = states.get(model.id)
    if (state !== undefined) return state
    return memory.current() === model.id ? { kind: 'loaded' } : { kind: isKept(model) ? 'kept' : 'absent' }
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
      here: sizeOf(model),
      state: stateOf(model),
      added: origin === 'added',
      ...(detail === undefined ? {} : { detail }),
      ...(url === undefined ? {} : { url }),
      ...(bytes === undefined ? {} : { bytes }),
      ...(failure === undefined ? {} : { failure }),
    }
  }
  const listen = {
    saved: (model: SavedModel) => saved.put(model),
    received(name: string, bytes: number) {
      sizes.set(name, bytes)
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
        await lookUpSizes().catch(() => {}) // what is not known is looked up again with the next change
        fetching.delete(id)
        changed()
      }
    })
    fetching.set(id, joined)
    changed()
    return joined
  }
  const never = new AbortController().signal
  /** Its files, or what to do to have them. */
  const files = async (model: SavedModel) => {
    const blobs = await Promise.all(model.parts.map(({ name }) => weights.read(name)))
    return model.parts.map(({ name, bytes }, i) => {
      const blob = blobs[i]
      if (blob === undefined || blob.size !== bytes) throw absent(model)
      return { name, blob }
    })
  }

  const show = (id: string, state: LocalModelState | undefined) => {
    if (state === undefined) states.delete(id)
    else states.set(id, state)
    changed()
  }
  const step = (id: string) => (now: UseStep) => {
    if (now === 'waiting' || now === 'loading') show(id, { kind: 'loading' })
    else show(id, undefined)
  }

  return {
    list: async () => all().map(view),
    views: () => all().map(view),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async add({ source, label }) {
      const parts =
        'url' in source ? partsOf(source.url) : [{ name: keptName(`${source.name}/${source.file.size}/${crypto.randomUUID()}`) }]
      const there = saved.all().find((model) => 'url' in source && model.parts[0]?.url === parts[0]?.url)
      if (there !== undefined) return { id: there.id }
      const shown = label?.trim() || labelOf('url' in source ? source.url : source.name)
      const id = idFor(shown, (taken) => all().some((model) => model.id === taken))
      const model: SavedModel = { id, label: shown, origin: 'added', parts }
      if ('url' in source) await saved.put(model)
      else {
        arriving.set(id, { ...model, parts: parts.map((part) => ({ ...part, bytes: source.file.size })) })
        await bring(id, async (ending) => {
          try {
            await copyModel(model, source.file, needs, listen, ending)
          } finally {
            arriving.delete(id)
          }
        }).join(never)
      }
      changed()
      return { id }
    },
    async download({ id }) {
      const model = find(id)
      if (isKept(model)) return
      const bringing = bring(id, async (ending) => {
        await fetchModel(model, needs, listen, ending)
        // Its engine has to be here, too, when there is no network any more.
        await (await engine()).warm()
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
      memory.unload(id)
      for (const { name } of model.parts) await weights.remove(name)
      failures.delete(id)
      await saved.forget(id)
      await lookUpSizes()
      changed()
    },
    choices: () =>
      saved
        .all()
        .filter(isKept)
        .map(({ id, label }) => ({ provider: LOCAL_PROVIDER, model: id, label, detail: 'In this tab. No key, no network.' })),
    async warm() {
      if (saved.all().some(isKept)) await (await engine()).warm()
    },
    info(id) {
      const model = saved.get(id)
      if (model === undefined) return undefined
      return { contextWindow: windowOf(model), ...(model.tools === 'no' ? { tools: false } : {}) }
    },
    async use(id, run, signal) {
      await fetching.get(id)?.join(signal)
      const model = find(id)
      if (!isKept(model)) throw absent(model)
      await memory.use(
        id,
        windowOf(model),
        () => files(model),
        (loaded) => run(readingOf(loaded, (part) => show(id, part))),
        step(id),
        signal,
      )
    },
  }
}

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
