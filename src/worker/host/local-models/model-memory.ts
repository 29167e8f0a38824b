// The one model that is in memory: loaded when it is used, in the place of the one before. Memory is what a tab has least of.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { LoadedModel, LocalEngine, WeightFile } from '../../capabilities/local-models/engine.ts'
import { modelCallError } from '../../llm/model-call-error.ts'
import { createExclusive } from './exclusive.ts'
import type { WeightsFormat } from './saved-models.ts'

export type MemoryModel = {
  /** Which weights they are. */
  readonly key: string
  readonly format: WeightsFormat
  readonly contextWindow: number
  readonly files: () => Promise<readonly WeightFile[]>
}

export type UseStep = 'waiting' | 'loading' | 'ready' | 'over'

export type ModelMemory = {
  /** One use at a time. Errors: those of loading, and of `run`; one that died is a failure of the call that another try may mend. */
  use(model: MemoryModel, run: (loaded: LoadedModel) => Promise<void>, step: (step: UseStep) => void, signal: AbortSignal): Promise<void>
  /** The key of the model that is in memory, if it lives. */
  current(): string | undefined
  /** If it is this one. */
  unload(key: string): void
}

export const createModelMemory = (engineOf: (format: WeightsFormat) => Promise<LocalEngine>): ModelMemory => {
  const turns = createExclusive()
  let held: { readonly key: string; readonly model: LoadedModel } | undefined
  const current = () => (held?.model.isAlive === true ? held : undefined)

  const load = async ({ key, format, contextWindow, files }: MemoryModel, signal: AbortSignal) => {
    held?.model.unload()
    held = undefined
    const model = await (await engineOf(format)).load(await files(), { contextWindow }, signal)
    held = { key, model }
    return model
  }

  return {
    async use(wanted, run, step, signal) {
      const turn = async (): Promise<void> => {
        const there = current()
        if (there?.key !== wanted.key) step('loading')
        const model = there?.key === wanted.key ? there.model : await load(wanted, signal)
        step('ready')
        await run(model)
      }
      try {
        await turns.run(turn, signal, () => step('waiting'))
      } catch (error) {
        throw asFailure(error)
      } finally {
        step('over') // also for who leaves while it waits
      }
    },
    current: () => current()?.key,
    unload(key) {
      if (held?.key !== key) return
      held.model.unload()
      held = undefined
    },
  }
}

const asFailure = (error: unknown): unknown => {
  if (!(error instanceof SideloopError) || 'failure' in error) return error
  if (error.code === 'worker/dead')
    return modelCallError({ class: 'transport', code: 'engine-died', message: error.message, transient: true }, error)
  if (error.code === 'worker/start' || error.code === 'model/failed')
    return modelCallError({ class: 'provider', code: 'engine-failed', message: error.message, transient: false }, error)
  return error
}
