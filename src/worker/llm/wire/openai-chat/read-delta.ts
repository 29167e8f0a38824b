// One delta (or one whole message) of an OpenAI-chat reply, in the many dialects that servers speak, as plain pieces.
import type { JsonObject } from '../../../../storage/log/content.ts'
import type { CallPiece } from '../call-collector.ts'
import { exactArguments } from '../exact-arguments.ts'
import { type Fields, fieldsOf, isFields, textOf } from '../fields.ts'
import { signatureIn } from './call-signatures.ts'

/** Which field the reasoning came in: it goes back under the same name. */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_text' | DetailsField | 'content'
/** OpenRouter's entries, LiteLLM's blocks. */
export type DetailsField = 'reasoning_details' | 'thinking_blocks'
/** `tags` in the text, `parts` of a content list that no server takes back. */
export type ReasoningSource = ReasoningField | 'tags' | 'parts'

export interface DeltaSink {
  text(piece: string): void
  reasoning(piece: string, from: ReasoningSource): void
  /** Entries that are kept as they are, in order. */
  details(entries: readonly unknown[], field: DetailsField): void
  refusal(piece: string): void
  /** `signature`: the vendor's, for a call that opens here. */
  call(piece: CallPiece, signature?: JsonObject): void
}

/** `data` is the JSON text that the delta was in. */
export const readDelta = (delta: Fields, form: 'delta' | 'message', data: string, sink: DeltaSink): void => {
  readReasoning(delta, sink)
  const { content, refusal } = delta
  for (const part of Array.isArray(content) ? content : [content]) readPart(part, sink)
  if (typeof refusal === 'string' && refusal !== '') sink.refusal(refusal)
  const { tool_calls: calls } = delta
  if (Array.isArray(calls)) readCalls(calls, form, data, sink)
  else if (isFields(calls)) readCalls([calls], form, data, sink)
  if (isFields(delta.function_call)) readCalls([{ index: 0, function: delta.function_call }], 'delta', data, sink)
}

const DETAILS = ['reasoning_details', 'thinking_blocks'] as const
const NAMED = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

// Servers mirror the same words in two or three of these fields: one is taken.
const readReasoning = (delta: Fields, sink: DeltaSink): void => {
  const field = DETAILS.find((name) => listIn(delta[name]).length > 0)
  const named = NAMED.find((name) => wordsIn(delta[name]) !== '')
  if (named !== undefined) sink.reasoning(wordsIn(delta[named]), field ?? named)
  if (field === undefined) return
  const entries = listIn(delta[field])
  // Thinking blocks come beside the words themselves.
  if (named === undefined && field === 'reasoning_details') {
    for (const { text, summary } of entries.map(fieldsOf)) {
      const words = textOf(text ?? summary)
      if (words !== '') sink.reasoning(words, field)
    }
  }
  sink.details(entries, field)
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A text, an object that holds one, or a list of those. */
const wordsIn = (value: unknown): string =>
  Array.isArray(value) ? value.map(wordsIn).join('') : textOf(isFields(value) ? value.text : value)

const readPart = (part: unknown, sink: DeltaSink): void => {
  if (typeof part === 'string') {
    if (part !== '') sink.text(part)
    return
  }
  if (!isFields(part)) return
  const isThought = part.type === 'reasoning' || part.type === 'thinking'
  const thought = part.thinking ?? part.reasoning ?? part.summary ?? (isThought ? part.text : undefined)
  if (thought !== undefined) {
    const words = wordsIn(thought)
    // Mistral's parts are called thinking and go back; Databricks' are called reasoning.
    if (words !== '') sink.reasoning(words, part.thinking === undefined ? 'parts' : 'content')
  } else if (typeof part.refusal === 'string') {
    if (part.refusal !== '') sink.refusal(part.refusal)
  } else if (typeof part.text === 'string' && part.text !== '') {
    sink.text(part.text)
  }
}

const readCalls = (calls: readonly unknown[], form: 'delta' | 'message', data: string, sink: DeltaSink): void => {
  let nameless = 0
  calls.forEach((call, position) => {
    if (!isFields(call)) return
    const { function: body } = call
    const called = isFields(body) ? body : call
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : typeof call.id === 'number' ? String(call.id) : undefined
    const index = typeof call.index === 'number' || /^\d+$/.test(String(call.index)) ? Number(call.index) : undefined
    const name = typeof called.name === 'string' && called.name !== '' ? called.name : undefined
    // Two named entries of one list, with nothing else to tell them apart, are two calls.
    const apart = id === undefined && index === undefined && name !== undefined && nameless > 0
    if (id === undefined && index === undefined) nameless += 1
    const piece = {
      ...(id === undefined ? {} : { id }),
      ...(index === undefined ? {} : { index }),
      ...(name === undefined ? {} : { name }),
      arguments: argumentText(called.arguments, position, data),
      ...(form === 'message' || apart ? { whole: true as const } : {}),
    }
    sink.call(piece, name === undefined ? undefined : signatureIn(call))
  })
}

const argumentText = (value: unknown, position: number, data: string): string => {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return exactArguments(value, position, data)
}
