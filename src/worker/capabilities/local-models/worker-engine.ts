// An engine in a worker of its own, as its owner sees it: one worker for each model that is loaded, gone when it is unloaded.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { AnswerListener, LoadedModel, LocalEngine } from './engine.ts'
import type { FromEngine, ToEngine } from './engine-messages.ts'

export type WorkerEngineOptions = {
  readonly createWorker: () => Worker
  /** How long an engine that was told to stop may go on before it is ended, and its model with it. Default 3,000 ms. */
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

type Listener = { hear(message: FromEngine): void; fail(error: SideloopError): void }

export const workerEngine = ({ createWorker, stopMs = 3_000 }: WorkerEngineOptions): LocalEngine => ({
  async load(files, settings, signal) {
    signal.throwIfAborted()
    let worker: Worker | undefined
    try {
      worker = createWorker()
    } catch (error) {
      throw startError(messageOf(error))
    }
    let listener: Listener | undefined
    const say = (message: ToEngine) => worker?.postMessage(message)
    const end = (error: SideloopError) => {
      worker?.terminate()
      worker = undefined
      listener?.fail(error)
    }
    worker.onmessage = ({ data }: MessageEvent<FromEngine>) => {
      if (data.type === 'crashed') end(deadError(data.message))
      else listener?.hear(data)
    }

    /** Talks until `hear` gives a value. An abort only tells `onAbort`, which sees to the end. */
    const talk = <T>(first: ToEngine, hear: (message: FromEngine) => T | undefined, onAbort: () => void, abort: AbortSignal): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const over = new AbortController()
        const settle = (done: () => void) => {
          listener = undefined
          over.abort()
          done()
        }
        listener = {
          hear(message) {
            const value = hear(message)
            if (value !== undefined) settle(() => (abort.aborted ? reject(abort.reason) : resolve(value)))
          },
          fail: (error) => settle(() => reject(abort.aborted ? abort.reason : error)),
        }
        abort.addEventListener('abort', onAbort, { signal: over.signal })
        say(first)
      })

    // An error event without a message is a worker file that could not be loaded.
    worker.onerror = (event) => end(startError(event.message || 'its file could not be loaded'))
    const loaded = await talk(
      { type: 'load', files, settings },
      (message) => (message.type === 'loaded' || message.type === 'refused' || message.type === 'unavailable' ? message : undefined),
      () => end(deadError('it was stopped')),
      signal,
    )
    if (loaded.type !== 'loaded') {
      const error = loaded.type === 'refused' ? refusedError(loaded.message) : startError(loaded.message)
      end(error)
      throw error
    }
    worker.onerror = (event) => end(deadError(event.message || 'its worker failed'))

    let asked = 0
    return {
      contextWindow: loaded.contextWindow,
      get isAlive() {
        return worker !== undefined
      },
      async answer(body, on: AnswerListener, stop) {
        stop.throwIfAborted()
        if (worker === undefined) throw deadError('it was unloaded')
        const id = ++asked
        let ending: ReturnType<typeof setTimeout> | undefined
        try {
          await talk(
            { type: 'answer', id, body },
            (message) => {
              if (!('id' in message) || message.id !== id) return undefined
              if (message.type === 'end') return true
              if (stop.aborted) return undefined
              if (message.type === 'event') on.event(message.json)
              else on.reading?.(message.part)
              return undefined
            },
            () => {
              say({ type: 'cancel', id })
              ending = setTimeout(() => end(deadError('it did not stop')), stopMs)
            },
            stop,
          )
        } finally {
          clearTimeout(ending)
        }
      },
      unload: () => end(deadError('it was unloaded')),
    } satisfies LoadedModel
  },
})
