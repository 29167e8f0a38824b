// The adapter for OpenAI chat completions and the many servers that speak it, over plain fetch.
import type { LlmAdapter } from '../../hooks/llm.ts'
import { listModels, writeCall } from './openai-chat-call.ts'
import { vendorAdapter } from './vendor-adapter.ts'
import type { VendorOptions } from './vendor-options.ts'

export type OpenaiChatOptions = VendorOptions & {
  /** The part before `/chat/completions`, such as `https://api.openai.com/v1` or `http://localhost:11434/v1`. */
  readonly baseUrl: string
}

/**
 * Streams chunks; fails by throwing a `ModelCallError` (the call did not get through, or broke) or by a finish of kind `error`
 * (the server said so inside its stream, or the stream stopped). An abort ends it at once with the signal's reason.
 */
export const openaiChat = (options: OpenaiChatOptions): LlmAdapter => vendorAdapter(options, { write: writeCall, models: listModels })
