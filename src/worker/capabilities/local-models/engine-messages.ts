// What an engine's worker and its owner say to each other.
import type { LoadSettings, WeightFile } from './engine.ts'

export type ToEngine =
  | { readonly type: 'load'; readonly files: readonly WeightFile[]; readonly settings: LoadSettings }
  | { readonly type: 'answer'; readonly id: number; readonly body: object }
  | { readonly type: 'cancel'; readonly id: number }

export type FromEngine =
  | { readonly type: 'loaded'; readonly contextWindow: number }
  /** These weights cannot be run. */
  | { readonly type: 'refused'; readonly message: string }
  /** What the engine needs is not there: its code, or something that the browser lacks. */
  | { readonly type: 'unavailable'; readonly message: string }
  | { readonly type: 'event'; readonly id: number; readonly json: string }
  | { readonly type: 'reading'; readonly id: number; readonly part: number }
  | { readonly type: 'end'; readonly id: number }
  /** It answers no more. */
  | { readonly type: 'crashed'; readonly message: string }
