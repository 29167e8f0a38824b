// The worker's end of an engine: one model at a time, which answers what it is asked. Knows no engine itself.
import { messageOf } from '../../../storage/log/errors.ts'
import type { AnswerListener, LoadSettings, WeightFile } from './engine.ts'
import type { EngineRequest, EngineSaid, FromEngine, ToEngine } from './engine-messages.ts'

/** Thrown by an engine whose model will answer no more. */
export class EngineCrash extends Error {
  override readonly name = 'EngineCrash'
}

/** An engine as it is inside its worker. */
export interface EngineInWorker {
  /** Fetches what it needs besides its code. */
  warm?(): Promise<void>
  /** Errors: anything; its words say why these weights cannot be run. */
  load(files: readonly WeightFile[], settings: LoadSettings): Promise<{ readonly contextWindow: number }>
  /** Errors: anything, in the words of the engine; an `EngineCrash` when it is over with the model. */
  answer(body: object, on: AnswerListener, signal: AbortSignal): Promise<void>
  /** Frees the model's memory, whatever it is doing. Without it the worker is ended instead. */
  unload?(): void
}

/** The part of a worker's global scope that is used. */
export type EnginePort = {
  onmessage: ((event: MessageEvent<ToEngine>) => void) | null
  postMessage(message: FromEngine): void
}

/** `start` brings the engine's code, with the first request. Call it in the first turn of the worker: no message is lost. */
export const serveEngine = (port: EnginePort, start: () => Promise<EngineInWorker>): void => {
  let engine: EngineInWorker | undefined
  const answering = new Map<number, AbortController>()

  const answer = async (body: object, id: number): Promise<EngineSaid> => {
    const cancelled = new AbortController()
    answering.set(id, cancelled)
    const say = (said: EngineSaid) => port.postMessage({ ...said, id })
    const listener: AnswerListener = { event: (json) => say({ type: 'event', json }), reading: (part) => say({ type: 'reading', part }) }
    try {
      await engine?.answer(body, listener, cancelled.signal)
    } catch (error) {
      if (error instanceof EngineCrash) return { type: 'crashed', message: error.message }
      if (!cancelled.signal.aborted) listener.event(JSON.stringify({ error: { message: messageOf(error) } }))
    } finally {
      answering.delete(id)
    }
    return { type: 'end' }
  }

  const load = async (files: readonly WeightFile[], settings: LoadSettings, ready: EngineInWorker): Promise<EngineSaid> => {
    const stays = ready.unload !== undefined
    try {
      return { type: 'loaded', ...(await ready.load(files, settings)), stays }
    } catch (error) {
      return { type: 'refused', message: messageOf(error), stays }
    }
  }

  const perform = async (request: EngineRequest, id: number): Promise<EngineSaid> => {
    if (request.type === 'answer') return answer(request.body, id)
    try {
      engine ??= await start()
      await engine.warm?.()
    } catch (error) {
      return { type: 'unavailable', message: messageOf(error) }
    }
    return request.type === 'load' ? load(request.files, request.settings, engine) : { type: 'warm' }
  }

  port.onmessage = ({ data }) => {
    if (data.type === 'cancel') answering.get(data.id)?.abort()
    else if (data.type === 'unload') engine?.unload?.()
    else void perform(data, data.id).then((said) => port.postMessage({ ...said, id: data.id }))
  }
}
