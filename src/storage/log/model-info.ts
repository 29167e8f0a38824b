// What is known of a model: what it can do, how much it reads and writes, what it costs.
import type { Prices } from './model-call.ts'

/** What a model can do. Without it an adapter is taken to do everything. Prices in US dollars per million tokens. */
export type ModelInfo = {
  readonly tools?: boolean
  readonly images?: boolean
  readonly contextWindow?: number
  readonly maxOutput?: number
  readonly efforts?: readonly string[]
  readonly textCalls?: boolean
  readonly prices?: Prices
}

/** A model as a server lists it, with what the server says of it. */
export type ListedModel = { readonly id: string; readonly name?: string; readonly info?: ModelInfo }
