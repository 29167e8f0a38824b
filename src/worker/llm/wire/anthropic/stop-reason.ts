// Why an Anthropic reply ended, in our words.
import type { EndKind } from '../reply-writer.ts'

const WORDS: Readonly<Record<string, EndKind>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  // Only where the vendor's own tools run, which are never asked for; the answer so far is whole.
  pause_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'max-tokens',
  model_context_window_exceeded: 'max-tokens',
  refusal: 'refusal',
  // Servers that speak this wire in front of another vendor's models pass its words on.
  stop: 'stop',
  length: 'max-tokens',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
  sensitive: 'content-filter', // Zhipu
}

/** An unknown word becomes `x-WORD`, which counts as success. */
export const endKind = (raw: string): EndKind => (Object.hasOwn(WORDS, raw) ? (WORDS[raw] ?? 'stop') : `x-${raw}`)
