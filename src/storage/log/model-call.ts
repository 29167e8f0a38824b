// The words of one model call: its configuration, the chunks it streams, how it ends, what it cost.
import type { CallId, ContentBlock, Json, JsonSchema } from './content.ts'

/**
 * Token counts as the model reported them; estimates are never stored here. The counts are disjoint: `inputTokens` excludes
 * cache reads and writes, `outputTokens` includes reasoning. Context size of a call = input + cacheRead + cacheWrite.
 */
export type Usage = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
  /** US dollars, if the vendor says so. */
  readonly cost?: number
}

/** US dollars per million tokens, and the day of the price list (ISO 8601). An unpriced cache costs what input costs. */
export type Prices = {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly asOf: string
}

export type ModelFailureClass =
  | 'overloaded'
  | 'rate_limit'
  | 'quota'
  | 'auth'
  | 'context_overflow'
  | 'request_too_large'
  | 'invalid_history'
  | 'provider'
  | 'transport'
  | 'protocol'

/** Why a model call failed, in facts that code may route on. */
export type ModelFailure = {
  readonly class: ModelFailureClass
  /** Plain words for a person, with what to do next. */
  readonly message: string
  readonly transient: boolean
  readonly status?: number
  readonly code?: string
  /** Milliseconds; only when the server said so and the browser let us read it. */
  readonly retryAfterMs?: number
  readonly requestId?: string
}

export type FinishReason =
  | { readonly kind: 'stop' }
  | { readonly kind: 'tool-calls' }
  | { readonly kind: 'max-tokens' }
  | { readonly kind: 'content-filter' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'invalid-tool'; readonly name: string }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'error'; readonly message: string; readonly code?: string; readonly failure?: ModelFailure }
  | { readonly kind: `x-${string}` }

/** One piece of a streamed reply. Usage comes before finish, nothing after it; tool arguments stay raw text. */
export type Chunk =
  | { readonly type: 'block-start'; readonly index: number; readonly blockType: 'text' | 'reasoning' | 'tool-call' }
  | { readonly type: 'text-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly index: number; readonly text: string }
  | {
      readonly type: 'tool-call-delta'
      readonly index: number
      readonly id: CallId
      readonly name?: string
      readonly argumentsDelta: string
    }
  | { readonly type: 'block-end'; readonly index: number; readonly block: ContentBlock }
  | { readonly type: 'usage'; readonly usage: Usage }
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      /** The vendor's own word. It and `inferred` live here only, never on `assistant/message`. */
      readonly rawReason?: string
      /** The stream had its end marker but no reason. */
      readonly inferred?: true
      readonly replayState?: Json
    }

export type CallConfig = {
  readonly provider: string
  readonly model: string
  readonly temperature?: number
  readonly maxTokens?: number
  readonly stop?: readonly string[]
  readonly effort?: string
}

export type ToolSchema = { readonly name: string; readonly description: string; readonly parameters: JsonSchema }
