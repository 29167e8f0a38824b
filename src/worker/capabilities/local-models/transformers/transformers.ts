// The engine for ONNX weights: transformers.js in a worker of its own. The package `@huggingface/transformers` is an optional peer.
import type { LocalEngine } from '../engine.ts'
import { workerEngine } from '../worker-engine.ts'

export type TransformersOptions = {
  /** For bundlers that do not find the worker of a library by its address. */
  readonly createWorker?: () => Worker
}

const defaultWorker = (): Worker =>
  new Worker(new URL('./transformers.worker.ts', import.meta.url), { type: 'module', name: 'sideloop-transformers' })

/** A model's files are named as in its repository, such as `config.json` and `onnx/model_q4.onnx`; `model-files.ts` says which it needs. */
export const transformers = ({ createWorker = defaultWorker }: TransformersOptions = {}): LocalEngine => workerEngine({ createWorker })
