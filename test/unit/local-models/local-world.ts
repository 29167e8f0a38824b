// The models of this tab over memory, a file server of the test, and an engine that the test plays.
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import type { LocalEngine, WeightFile } from '../../../src/worker/capabilities/local-models/engine.ts'
import { createExclusive } from '../../../src/worker/host/local-models/exclusive.ts'
import { createLocalModels } from '../../../src/worker/host/local-models/local-models.ts'
import { type OfferedModel, toOffer } from '../../../src/worker/host/local-models/offered-models.ts'
import { createNews } from '../../../src/worker/host/news.ts'
import { sharedSettings } from '../../../src/worker/host/shared-settings.ts'
import type { Channels } from '../../../src/worker/host/tabs/channels.ts'
import { orAbort } from '../../kit/gate.ts'
import { type MemoryWeights, memoryWeights } from '../../kit/memory-weights.ts'
import { tinyGguf } from '../../kit/tiny-gguf.ts'
import { type Answer, fileServer } from './file-server.ts'

export const TINY = tinyGguf({ reply: ['Hello'], contextLength: 2048 })
export const OFFER: OfferedModel = { id: 'tiny', label: 'Tiny', url: 'https://models.example/tiny.gguf', megabytes: 2 }
export const never = new AbortController().signal

export type PlayedEngine = LocalEngine & {
  readonly loads: { readonly files: readonly WeightFile[]; readonly contextWindow: number }[]
  readonly bodies: object[]
  warmed: number
}

/** Answers with one event for each body; `play` may do something else. */
export const playedEngine = (play?: (body: object, signal: AbortSignal) => Promise<readonly string[]>): PlayedEngine => {
  const loads: PlayedEngine['loads'] = []
  const bodies: object[] = []
  const engine: PlayedEngine = {
    loads,
    bodies,
    warmed: 0,
    async warm() {
      engine.warmed += 1
    },
    async load(files, { contextWindow }, signal) {
      signal.throwIfAborted()
      loads.push({ files, contextWindow })
      let alive = true
      return {
        contextWindow,
        get isAlive() {
          return alive
        },
        async answer(body, on, stop) {
          bodies.push(body)
          on.reading?.(0.5)
          for (const json of (await play?.(body, stop)) ?? ['{"choices":[]}']) on.event(json)
        },
        unload() {
          alive = false
        },
      }
    },
  }
  return engine
}

type Given = {
  readonly answers?: readonly Answer[]
  readonly offered?: readonly OfferedModel[]
  readonly engine?: PlayedEngine
  readonly stores?: Stores
  readonly weights?: MemoryWeights
  readonly channels?: Channels
}

export const localWorld = async ({
  answers = [{ bytes: TINY, pieces: 400_000 }],
  offered = [OFFER],
  engine = playedEngine(),
  stores = openMemoryStorage(),
  weights = memoryWeights(),
  channels,
}: Given = {}) => {
  const server = fileServer(...answers)
  const writing = createExclusive()
  const models = await createLocalModels({
    engines: { gguf: async () => engine, onnx: async () => engine },
    offered: offered.map(toOffer),
    settings: sharedSettings(stores.settings, createNews(channels)),
    weights,
    gpu: async () => 'none',
    fetch: server.fetch,
    wait: (ms, signal) => (ms < 60_000 ? Promise.resolve() : orAbort(new Promise<void>(() => {}), signal).catch(() => {})),
    explain: async () => 'Check the connection.',
    alone: async (work) => writing.run(work, never),
  })
  const only = async () => {
    const [first] = await models.list({})
    if (first === undefined) throw new Error('there is no model')
    return first
  }
  return { models, server, engine, stores, weights, only }
}
