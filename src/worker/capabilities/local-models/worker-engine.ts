// An engine in a worker of its own, as its owner sees it: one model at a time, and none that cannot be got rid of.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { LoadedModel, LocalEngine } from './engine.ts'
import { type EngineLine, type EngineThread, openEngineLine } from './engine-line.ts'
import type { EngineSaid } from './engine-messages.ts'

export type WorkerEngineOptions = {
  readonly createWorker: () => EngineThread
  /** How long a model that was told to stop may go on before it is unloaded. Default 3,000 ms. */
  readonly stopMs?: number
}

const startError = (detail: string): SideloopError =>
  new SideloopError(
    'worker/start',
    `What runs models in this tab did not start. Its worker file and its WebAssembly file must be served by this site. (${detail})`,
  )
const deadError = (detail: string): SideloopError =>
  new SideloopError('worker/dead', `The model in this tab ended unexpectedly: ${detail}. It is loaded anew with the next message.`)
const refusedError = (detail: string): SideloopError =>
  new SideloopError('model/failed', `This model cannot be run here: ${detail}. Choose another one, or a smaller one.`)

const never = new AbortController().signal

/** The first step now, each later one if the one before did not help in time. Gives what ends it. */
const insist = (steps: readonly (() => void)[], everyMs: number): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const take = (i: number): void => {
    steps[i]?.()
    if (i + 1 < steps.length) timer = setTimeout(take, everyMs, i + 1)
  }
  take(0)
  return () => clearTimeout(timer)
}

type Loading = Extract<EngineSaid, { type: 'warm' | 'loaded' | 'refused' | 'unavailable' }>
const endOfLoading = (said: EngineSaid): Loading | undefined =>
  said.type === 'warm' || said.type === 'loaded' || said.type === 'refused' || said.type === 'unavailable' ? said : undefined

export const workerEngine = ({ createWorker, stopMs = 3_000 }: WorkerEngineOptions): LocalEngine => {
  let line: EngineLine | undefined
  let held: LoadedModel | undefined

  const open = (): EngineLine => {
    if (line?.isAlive === true) return line
    try {
      line = openEngineLine(createWorker(), (words, heard) => (heard ? deadError : startError)(words || 'its file could not be loaded'))
    } catch (error) {
      throw startError(messageOf(error))
    }
    return line
  }

  const modelOn = (opened: EngineLine, { contextWindow, stays }: Extract<EngineSaid, { type: 'loaded' }>): LoadedModel => {
    let alive = true
    const unload = (): void => {
      if (!alive) return
      alive = false
      if (stays) opened.unload()
      else opened.end(deadError('it was unloaded'))
    }
    return {
      contextWindow,
      get isAlive() {
        return alive && opened.isAlive
      },
      async answer(body, on, signal) {
        signal.throwIfAborted()
        if (!this.isAlive) throw deadError('it was unloaded')
        const said = await opened.ask(
          { type: 'answer', body },
          (said) => {
            if (said.type === 'end' || said.type === 'crashed') return said
            if (signal.aborted) return undefined
            if (said.type === 'event') on.event(said.json)
            if (said.type === 'reading') on.reading?.(said.part)
            return undefined
          },
          (cancel) => insist([cancel, unload, () => opened.end(deadError('it did not stop'))], stopMs),
          signal,
        )
        if (said.type === 'end') return
        unload()
        throw deadError(said.message)
      },
      unload,
    }
  }

  return {
    async warm() {
      const said = await open().ask({ type: 'warm' }, endOfLoading, () => () => {}, never)
      if (said.type === 'unavailable') throw startError(said.message)
    },
    async load(files, settings, signal) {
      signal.throwIfAborted()
      held?.unload()
      const opened = open()
      const said = await opened.ask(
        { type: 'load', files, settings },
        endOfLoading,
        () => insist([() => opened.unload(), () => opened.end(deadError('it did not stop'))], stopMs),
        signal,
      )
      if (said.type === 'refused') {
        const refused = refusedError(said.message)
        if (!said.stays) opened.end(refused)
        throw refused
      }
      if (said.type !== 'loaded') throw startError(said.type === 'unavailable' ? said.message : '')
      held = modelOn(opened, said)
      return held
    },
  }
}
