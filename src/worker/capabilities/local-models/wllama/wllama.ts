// The engine for GGUF weights: llama.cpp in a worker of its own. The package `@wllama/wllama` is an optional peer.
import type { LocalEngine } from '../engine.ts'
import { workerEngine } from '../worker-engine.ts'

export type WllamaOptions = {
  /** For bundlers that do not find the worker of a library by its address. */
  readonly createWorker?: () => Worker
}

const defaultWorker = (): Worker => new Worker(new URL('./wllama.worker.ts', import.meta.url), { type: 'module', name: 'sideloop-wllama' })

export const wllama = ({ createWorker = defaultWorker }: WllamaOptions = {}): LocalEngine => workerEngine({ createWorker })
