// An engine's worker without a thread: the real worker's end of the line over a message channel, with an engine that the test plays.
import type { EngineThread } from '../../src/worker/capabilities/local-models/engine-line.ts'
import { type EngineInWorker, type EnginePort, serveEngine } from '../../src/worker/capabilities/local-models/serve-engine.ts'

/** `dies`: as if its script had thrown. */
export type EngineWorker = { readonly worker: EngineThread; readonly ended: boolean; dies(message: string): void }

export const engineWorker = (start: () => Promise<EngineInWorker>): EngineWorker => {
  const { port1, port2 } = new MessageChannel()
  const scope: EnginePort = { onmessage: null, postMessage: (message) => port2.postMessage(message) }
  serveEngine(scope, start)
  port2.onmessage = (event) => scope.onmessage?.(event)
  let ended = false
  const worker: EngineThread = {
    onmessage: null,
    onerror: null,
    postMessage: (message) => port1.postMessage(message),
    terminate() {
      ended = true
      port1.close()
    },
  }
  port1.onmessage = (event) => worker.onmessage?.(event)
  return {
    worker,
    get ended() {
      return ended
    },
    dies: (message) => worker.onerror?.(Object.assign(new Event('error'), { message }) as ErrorEvent),
  }
}
