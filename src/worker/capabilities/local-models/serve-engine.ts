// The worker's end of an engine: loads once, then answers one request after the other. Knows no engine itself.
import { messageOf } from '../../../storage/log/errors.ts'
import type { AnswerListener, LoadSettings, WeightFile } from './engine.ts'
import type { FromEngine, ToEngine } from './engine-messages.ts'

/** Thrown by an engine that will answer no more. */
export class EngineCrash extends Error {
  override readonly name = 'EngineCrash'
}

/** An engine as it is inside its worker. */
export interface EngineInWorker {
  /** Errors: anything; its words say why these weights cannot be run. */
  load(files: readonly WeightFile[], settings: LoadSettings): Promise<{ readonly contextWindow: number }>
  /** Errors: anything, in the words of the engine; an `EngineCrash` when it is over with it. */
  answer(body: object, on: AnswerListener, signal: AbortSignal): Promise<void>
}

/** The part of a worker's global scope that is used. */
export type EnginePort = {
  onmessage: ((event: MessageEvent<ToEngine>) => void) | null
  postMessage(message: FromEngine): void
}

/** `start` brings the engine's code, and is called with the first load. Call it in the first turn of the worker: no message is lost. */
export const serveEngine = (port: EnginePort, start: () => Promise<EngineInWorker>): void => {
  let engine: EngineInWorker | undefined
  const answering = new Map<number, AbortController>()

  const load = async ({ files, settings }: Extract<ToEngine, { type: 'load' }>): Promise<FromEngine> => {
    try {
      engine = await start()
    } catch (error) {
      return { type: 'unavailable', message: messageOf(error) }
    }
    try {
      return { type: 'loaded', ...(await engine.load(files, settings)) }
    } catch (error) {
      return { type: 'refused', message: messageOf(error) }
    }
  }

  const answer = async ({ id, body }: Extract<ToEngine, { type: 'answer' }>): Promise<FromEngine> => {
    const cancelled = new AbortController()
    answering.set(id, cancelled)
    const event = (json: string) => port.postMessage({ type: 'event', id, json })
    try {
      if (engine === undefined) throw new EngineCrash('nothing was loaded')
      await engine.answer(body, { event, reading: (part) => port.postMessage({ type: 'reading', id, part }) }, cancelled.signal)
    } catch (error) {
      if (error instanceof EngineCrash) return { type: 'crashed', message: error.message }
      if (!cancelled.signal.aborted) event(JSON.stringify({ error: { message: messageOf(error) } }))
    } finally {
      answering.delete(id)
    }
    return { type: 'end', id }
  }

  port.onmessage = ({ data }) => {
    if (data.type === 'cancel') answering.get(data.id)?.abort()
    else void (data.type === 'load' ? load(data) : answer(data)).then((said) => port.postMessage(said))
  }
}
