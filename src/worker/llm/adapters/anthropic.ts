// The adapter for Anthropic's Messages and the servers that speak it, over plain fetch.
import type { LlmAdapter, ModelInfo } from '../../hooks/llm.ts'
import { lookUpModel } from '../catalogue.ts'
import { listModels, streamMessages } from './anthropic-call.ts'
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
export const anthropic = (options: AnthropicOptions = {}): LlmAdapter => {
  const info = (provider: string, model: string): ModelInfo | undefined => options.info?.(provider, model) ?? lookUpModel(model)
  return {
    info,
    stream: (request) => streamMessages(options, request, info(request.provider, request.model) ?? {}),
    models: (_provider, signal) => listModels(options, signal),
  }
}
