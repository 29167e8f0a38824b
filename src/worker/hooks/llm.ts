// The structural types of a model call: the request that leaves the loop and the adapter that answers it.
import type { Message, SessionId } from '../../storage/log/content.ts'
import type { CallConfig, Chunk, Prices, ToolSchema } from '../../storage/log/model-call.ts'

/** Flat. Deep-frozen but for `signal`, which is outside equality too. Absent keys are absent. */
export type LlmRequest = CallConfig & {
  readonly messages: readonly Message[]
  readonly system?: string
  readonly tools?: readonly ToolSchema[]
  readonly sessionId?: SessionId
  readonly signal?: AbortSignal
}

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

/** May fail by throwing or by a finish of kind error or aborted. An untyped throw is never retried by itself. */
export interface LlmAdapter {
  stream(request: LlmRequest): AsyncIterable<Chunk>
  info?(provider: string, model: string): ModelInfo | undefined
  models?(provider: string, signal: AbortSignal): Promise<readonly { readonly id: string; readonly name?: string }[]>
}
