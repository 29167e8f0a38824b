// The writer of Responses requests: a request of the loop → the JSON body. Pure: pictures come in as ready URLs.
import type { JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../hooks/llm.ts'
import { isSameFamily } from '../../model-family.ts'
import { type HistoryResult, type HistoryTurn, type UserPart, validHistory } from '../history.ts'
import { objectSchema } from '../object-schema.ts'
import { type FindPicture, type Pictures, picturesFor } from '../pictures.ts'
import { resultsAsText } from '../results-as-text.ts'
import { wellFormed } from '../well-formed.ts'
import { withoutTools } from '../without-tools.ts'
import { CALL_IDS, isReasoner } from './dialects.ts'
import { reasoningItems } from './replay-reasoning.ts'

export type WriteOptions = {
  readonly info?: ModelInfo
  readonly picture?: FindPicture
  /** Default: none, because OpenAI gives summaries to verified organisations only and refuses the whole request otherwise. */
  readonly summary?: 'auto' | 'concise' | 'detailed'
}

export const writeResponsesRequest = (request: LlmRequest, { info = {}, picture, summary }: WriteOptions): JsonObject => {
  const { model, system, effort } = request
  const pictures = picturesFor(info, picture)
  const valid = validHistory(request.messages, CALL_IDS)
  const turns = info.tools === false ? withoutTools(valid) : valid
  const input = turns.flatMap((turn, index) => writeTurn(turn, turns[index + 1], request, pictures))
  const tools = info.tools === false ? [] : (request.tools ?? [])
  return {
    model,
    ...(system === undefined || system.trim() === '' ? {} : { instructions: wellFormed(system) }),
    input: input.length === 0 ? [userItem([{ type: 'text', text: '(empty message)' }], pictures)] : input,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description: wellFormed(description),
            parameters: objectSchema(parameters),
            // Left out, the server would make the schema strict as well as it can: every property required, none besides.
            strict: false,
          })),
        }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.maxTokens === undefined ? {} : { max_output_tokens: request.maxTokens }),
    ...(effort === undefined && summary === undefined
      ? {}
      : { reasoning: { ...(effort === undefined ? {} : { effort }), ...(summary === undefined ? {} : { summary }) } }),
    // The log is the only store of a conversation; what the model thought comes along in every request, encrypted.
    store: false,
    ...(isReasoner(model) || effort !== undefined ? { include: ['reasoning.encrypted_content'] } : {}),
    stream: true,
  }
}

const writeTurn = (turn: HistoryTurn, next: HistoryTurn | undefined, request: LlmRequest, pictures: Pictures): readonly JsonObject[] => {
  if (turn.kind === 'user') return [userItem(turn.parts, pictures)]
  if (turn.kind === 'results') return writeResults(turn.results, pictures)
  const own = isSameFamily(turn.provenance, request)
  // What was said stands before the calls, whose outputs follow directly; each behind the reasoning that led to it.
  const said: JsonObject[] = []
  const calls: JsonObject[] = []
  let thinking: readonly ReasoningBlock[] = []
  for (const block of turn.blocks) {
    if (block.type === 'reasoning') {
      thinking = [...thinking, block]
      continue
    }
    // Between two calls none may stand: the outputs follow them all.
    const led = own && (block.type === 'text' || calls.length === 0) ? reasoningItems(thinking, next?.kind === 'results') : []
    thinking = []
    if (block.type === 'text')
      said.push(...led, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: block.text }] })
    else calls.push(...led, { type: 'function_call', call_id: block.id, name: block.name, arguments: block.arguments })
  }
  // "reasoning was provided without its required following item": thinking that led to nothing stays away.
  return [...said, ...calls]
}

/** The output of a call is text everywhere; pictures in it are read by OpenAI only. */
const writeResults = (results: readonly HistoryResult[], pictures: Pictures): readonly JsonObject[] => {
  const { texts, shown } = resultsAsText(results, pictures)
  const outputs = texts.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }))
  return shown.length === 0 ? outputs : [...outputs, userItem(shown, pictures)]
}

const userItem = (parts: readonly UserPart[], pictures: Pictures): JsonObject => ({
  type: 'message',
  role: 'user',
  content: parts.map((part): JsonObject => {
    if (part.type === 'text') return { type: 'input_text', text: part.text }
    const found = pictures(part)
    return 'url' in found ? { type: 'input_image', image_url: found.url, detail: 'auto' } : { type: 'input_text', text: found.note }
  }),
})
