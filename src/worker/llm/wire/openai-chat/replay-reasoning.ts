// Reasoning goes back only to the model it came from, in the field it came in, and only where that model wants it.
import type { Json, JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import { wellFormed } from '../well-formed.ts'
import type { ReasoningField } from './read-delta.ts'
import { mergeDetails } from './reasoning-details.ts'

type Where = 'tool-loop' | 'answer'

/**
 * What each field's senders ask for. `tool-loop`: with a message that holds calls; DeepSeek answers 400 without it there, and its
 * older reasoner answered 400 to it anywhere else. `always`: OpenRouter wants the entries unchanged, LiteLLM the signed blocks of
 * Anthropic, Mistral the thinking parts.
 * Think tags (`tags`) are never sent back: templates take them out of the history anyway.
 */
const WANTED: Readonly<Record<ReasoningField, Where | 'always'>> = {
  reasoning_content: 'tool-loop',
  reasoning: 'tool-loop',
  reasoning_text: 'tool-loop',
  reasoning_details: 'always',
  thinking_blocks: 'always',
  content: 'always',
}

/** The keys to add to the assistant message; they may replace `content`. */
export const reasoningFields = (blocks: readonly ReasoningBlock[], text: string, where: Where): JsonObject => {
  const fields: { [key: string]: Json } = {}
  const thinking: Json[] = []
  for (const { text: words, replay } of blocks) {
    const field = fieldOf(replay)
    if (field === undefined || (WANTED[field] !== 'always' && WANTED[field] !== where)) continue
    if (field === 'reasoning_details' || field === 'thinking_blocks') {
      const kept = listOf(isObject(replay) ? replay.details : undefined).filter((entry) => field === 'reasoning_details' || isSealed(entry))
      if (kept.length > 0) fields[field] = mergeDetails(listOf(fields[field]), kept) as Json
    } else if (field === 'content') thinking.push({ type: 'thinking', thinking: [{ type: 'text', text: wellFormed(words) }] })
    else fields[field] = `${typeof fields[field] === 'string' ? fields[field] : ''}${wellFormed(words)}`
  }
  if (thinking.length > 0) fields.content = [...thinking, ...(text === '' ? [] : [{ type: 'text', text }])]
  return fields
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldOf = (replay: Json | undefined): ReasoningField | undefined => {
  const field = isObject(replay) ? replay.field : undefined
  return typeof field === 'string' && Object.hasOwn(WANTED, field) ? (field as ReasoningField) : undefined
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

/** Anthropic refuses thinking without a signature. */
const isSealed = (entry: Json): boolean => isObject(entry) && Boolean(entry.signature || entry.data)
