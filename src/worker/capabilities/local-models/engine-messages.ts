// What an engine's worker and its owner say to each other. Every request has a number; what is said of one that is over is ignored.
import type { LoadSettings, WeightFile } from './engine.ts'

export type EngineRequest =
  | { readonly type: 'warm' }
  | { readonly type: 'load'; readonly files: readonly WeightFile[]; readonly settings: LoadSettings }
  | { readonly type: 'answer'; readonly body: object }

export type ToEngine =
  | (EngineRequest & { readonly id: number })
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'unload' }

export type EngineSaid =
  | { readonly type: 'warm' }
  /** `stays`: the worker can unload a model and load another one; else it is ended with it. */
  | { readonly type: 'loaded'; readonly contextWindow: number; readonly stays: boolean }
  /** These weights cannot be run. */
  | { readonly type: 'refused'; readonly message: string; readonly stays: boolean }
  /** What the engine needs is not there: its code, or something that the browser lacks. */
  | { readonly type: 'unavailable'; readonly message: string }
  | { readonly type: 'event'; readonly json: string }
  | { readonly type: 'reading'; readonly part: number }
  | { readonly type: 'end' }
  /** The model answers no more. */
  | { readonly type: 'crashed'; readonly message: string }

export type FromEngine = EngineSaid & { readonly id: number }
