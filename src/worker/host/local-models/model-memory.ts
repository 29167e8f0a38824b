// The one model that is in memory: loaded when it is used, in the place of the one before. Memory is what a tab has least of.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { LoadedModel, LocalEngine, WeightFile } from '../../capabilities/local-models/engine.ts'
import { modelCallError } from '../../llm/model-call-error.ts'
import { createExclusive } from './exclusive.ts'

export type UseStep = 'waiting' | 'loading' | 'ready' | 'over'

export type ModelMemory = {
  /** One use at a time. Errors: those of loading, and of `run`; one that died is a failure of the call that another try may mend. */
  use(
    id: string,
    contextWindow: number,
    files: () => Promise<readonly WeightFile[]>,
    run: (loaded: LoadedModel) => Promise<void>,
    step: (step: UseStep) => void,
    signal: AbortSignal,
  ): Promise<void>
  /** The model that is in memory, if it lives. */
  current(): string | undefined
  /** If it is this one. */
  unload(id: string): void
}

export const createModelMemory = (engine: () => Promise<LocalEngine>): ModelMemory => {
  const turns = createExclusive()
  let held: { readonly id: string; readonly model: LoadedModel } | undefined
  const current = () => (held?.model.isAlive === true ? held : undefined)

  const load = async (id: string, contextWindow: number, files: () => Promise<readonly WeightFile[]>, signal: AbortSignal) => {
    held?.model.unload()
    held = undefined
    const model = await (await engine()).load(await files(), { contextWindow }, signal)
    held = { id, model }
    return model
  }

  return {
    use: (id, contextWindow, files, run, step, signal) =>
      turns.run(
        async () => {
          try {
            const there = current()
            if (there?.id !== id) step('loading')
            const model = there?.id === id ? there.model : await load(id, contextWindow, files, signal)
            step('ready')
            await run(model)
          } catch (error) {
            throw asFailure(error)
          } finally {
            step('over')
          }
        },
        signal,
        () => step('waiting'),
      ),
    current: () => current()?.id,
    unload(id) {
      if (held?.id !== id) return
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
