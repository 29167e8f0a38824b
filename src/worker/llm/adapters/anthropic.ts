// The adapter for Anthropic's Messages and the servers that speak it, over plain fetch.
import type { LlmAdapter } from '../../hooks/llm.ts'
import { listModels, writeCall } from './anthropic-call.ts'
import { vendorAdapter } from './vendor-adapter.ts'
import type { VendorOptions } from './vendor-options.ts'

export type AnthropicOptions = VendorOptions & {
  /** The part before `/v1/messages`. Default `https://api.anthropic.com`; others: `https://api.deepseek.com/anthropic`. */
  readonly baseUrl?: string
}

/**
 * Streams chunks, as `openaiChat` does, and fails as it does. `effort` becomes thinking: a level for Claude 4.6 and later, a number
 * of tokens before. Thinking goes back with its signature to the family of models that it came from. From a browser the key is
 * visible to whoever runs the page; some organisations forbid such calls, which is then what the failure says.
 */
export const anthropic = (options: AnthropicOptions = {}): LlmAdapter => vendorAdapter(options, { write: writeCall, models: listModels })
