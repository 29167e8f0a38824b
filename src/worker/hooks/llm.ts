// The structural types of a model call: the request that leaves the loop and the adapter that answers it.
import type { Message, SessionId } from '../../storage/log/content.ts'
import type { CallConfig, Chunk, ToolSchema } from '../../storage/log/model-call.ts'
import type { ListedModel, ModelInfo } from '../../storage/log/model-info.ts'

export type { ModelInfo } from '../../storage/log/model-info.ts'

/** Flat. Deep-frozen but for `signal`, which is outside equality too. Absent keys are absent. */
export type LlmRequest = CallConfig & {
  readonly messages: readonly Message[]
  readonly system?: string
  readonly tools?: readonly ToolSchema[]
  readonly sessionId?: SessionId
  readonly signal?: AbortSignal
}

/** May fail by throwing or by a finish of kind error or aborted. An untyped throw is never retried by itself. */
export interface LlmAdapter {
  stream(request: LlmRequest): AsyncIterable<Chunk>
  info?(provider: string, model: string): ModelInfo | undefined
  models?(provider: string, signal: AbortSignal): Promise<readonly ListedModel[]>
}
