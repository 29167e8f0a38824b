// The adapter for OpenAI Responses and the servers that speak it, over plain fetch.
import type { LlmAdapter } from '../../hooks/llm.ts'
import { listModels, writeCall } from './openai-responses-call.ts'
import { vendorAdapter } from './vendor-adapter.ts'
import type { VendorOptions } from './vendor-options.ts'

export type OpenaiResponsesOptions = VendorOptions & {
  /** The part before `/responses`. Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string
  /** How reasoning is summed up for the person. Default: not at all, because OpenAI refuses it to organisations that are not verified. */
  readonly summary?: 'auto' | 'concise' | 'detailed'
}

/**
 * Streams chunks, as `openaiChat` does, and fails as it does. The server is asked to store nothing: reasoning comes back encrypted
 * and goes along in the next request, to the family of models that it came from. This wire has no stop sequences; a request with
 * some is refused before it is sent.
 */
export const openaiResponses = (options: OpenaiResponsesOptions = {}): LlmAdapter =>
  vendorAdapter(options, { write: writeCall, models: listModels })
