// The line to an engine's worker: requests by number, and the end of all of them when the worker ends.
import type { SideloopError } from '../../../storage/log/errors.ts'
import type { EngineRequest, EngineSaid, FromEngine, ToEngine } from './engine-messages.ts'

/** The part of a worker that is used. */
export type EngineThread = {
  onmessage: ((event: MessageEvent<FromEngine>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(message: ToEngine): void
  terminate(): void
}

export type EngineLine = {
  readonly isAlive: boolean
  /**
   * Hears what is said of it until `hear` gives a value. An abort calls `onAbort`, which sees to an end, and whose result is called when
   * it has come; then the signal's reason is thrown. Errors: what the line ends with.
   */
  ask<T>(
    request: EngineRequest,
    hear: (said: EngineSaid) => T | undefined,
    onAbort: (cancel: () => void) => () => void,
    signal: AbortSignal,
  ): Promise<T>
  unload(): void
  /** Ends the worker, and every request with this. */
  end(error: SideloopError): void
}

type Listener = { hear(said: EngineSaid): void; fail(error: SideloopError): void }

/** `died`: the worker failed by itself, `heard` whether it had ever said anything. */
export const openEngineLine = (worker: EngineThread, died: (words: string, heard: boolean) => SideloopError): EngineLine => {
  const listeners = new Map<number, Listener>()
  let alive = true
  let asked = 0
  const say = (message: ToEngine) => worker.postMessage(message)
  const end = (error: SideloopError): void => {
    alive = false
    worker.terminate()
    for (const listener of [...listeners.values()]) listener.fail(error)
  }
  let heard = false
  worker.onmessage = ({ data }: MessageEvent<FromEngine>) => {
    heard = true
    listeners.get(data.id)?.hear(data)
  }
  worker.onerror = (event) => end(died(event.message, heard))

  return {
    get isAlive() {
      return alive
    },
    ask: (request, hear, onAbort, signal) =>
      new Promise((resolve, reject) => {
        const id = ++asked
        const over = new AbortController()
        let calm = (): void => {}
        const settle = (done: () => void): void => {
          listeners.delete(id)
          over.abort()
          calm()
          done()
        }
        listeners.set(id, {
          hear(said) {
            const value = hear(said)
            if (value !== undefined) settle(() => (signal.aborted ? reject(signal.reason) : resolve(value)))
          },
          fail: (error) => settle(() => reject(signal.aborted ? signal.reason : error)),
        })
        const abort = () => {
          calm = onAbort(() => say({ type: 'cancel', id }))
        }
        signal.addEventListener('abort', abort, { signal: over.signal })
        say({ ...request, id })
      }),
    unload: () => say({ type: 'unload' }),
    end,
  }
}
