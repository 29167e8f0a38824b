// Local models put together: from the engine and the place for weights that the worker brings.
import { opfsWeights } from '../../capabilities/local-models/opfs-weights.ts'
import { gpuHere } from '../../capabilities/local-models/transformers/gpu.ts'
import type { Weights } from '../../capabilities/local-models/weights.ts'
import { pause } from '../../hooks/pause.ts'
import type { Surroundings } from '../models/surroundings.ts'
import type { SharedSettings } from '../shared-settings.ts'
import { createLocalModels, type LocalEngines, type LocalModels } from './local-models.ts'
import { type OfferedModel, offeredModels, toOffer } from './offered-models.ts'
import { whyNoDownload } from './why-no-download.ts'

export type LocalModelsOptions = {
  readonly engines: LocalEngines
  /** Default: a few small ones. */
  readonly offered?: readonly OfferedModel[]
  /** Default: a folder of the origin's private file system. */
  readonly weights?: Weights
  /** Its name. Default `sideloop-weights`. */
  readonly folder?: string
}

export type LocalModelsNeeds = {
  readonly options: LocalModelsOptions
  readonly settings: SharedSettings
  readonly surroundings: Surroundings
  /** Told that something about them changed, not more often than a person can see. */
  readonly onChange: () => void
}

const EVERY_MS = 100

export const mountLocalModels = async ({ options, settings, surroundings, onChange }: LocalModelsNeeds): Promise<LocalModels> => {
  const { engines, offered, folder = 'sideloop-weights', weights = opfsWeights(folder) } = options
  const models = await createLocalModels({
    engines,
    gpu: gpuHere,
    settings,
    weights,
    fetch: surroundings.fetch,
    wait: pause,
    explain: (url, error, signal) => whyNoDownload(url, error, surroundings, signal),
    alone: async (work) => navigator.locks.request(folder, work),
    offered: offered?.map(toOffer) ?? offeredModels(),
  })
  models.onChange(throttled(onChange, EVERY_MS))
  return models
}

/** Once for all calls of that time, at its end. */
const throttled = (act: () => void, ms: number): (() => void) => {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      act()
    }, ms)
  }
}
