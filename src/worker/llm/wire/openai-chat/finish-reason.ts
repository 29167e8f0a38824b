// The finish reasons of OpenAI-chat servers in our words.
import type { FinishReason } from '../../../../storage/log/model-call.ts'

type Plain = Exclude<FinishReason['kind'], 'invalid-tool' | 'aborted'>

/** Several servers pass on the word of the vendor behind them. */
const WORDS: Readonly<Record<string, Plain>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  tool_use: 'tool-calls',
  length: 'max-tokens',
  max_tokens: 'max-tokens',
  max_output_tokens: 'max-tokens',
  model_length: 'max-tokens', // Mistral
  model_context_window_exceeded: 'max-tokens', // Anthropic
  content_filter: 'content-filter',
  safety: 'content-filter', // Gemini
  recitation: 'content-filter', // Gemini
  sensitive: 'content-filter', // Zhipu
  refusal: 'refusal',
  error: 'error',
  network_error: 'error', // Zhipu
  abort: 'error', // vLLM, when it gives a request up
  insufficient_system_resource: 'error', // DeepSeek
}

/** An unknown word becomes `x-WORD`, which counts as success. */
export const finishKind = (raw: string): Plain => {
  const word = raw.toLowerCase().replaceAll('-', '_')
  return Object.hasOwn(WORDS, word) ? (WORDS[word] ?? 'stop') : `x-${raw}`
}
