// The writer of OpenAI-chat requests: a request of the loop → the JSON body. Pure: pictures come in as ready URLs.
import type { JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../hooks/llm.ts'
import { isSameFamily } from '../../model-family.ts'
import { type HistoryCall, type HistoryResult, type HistoryTurn, type UserPart, validHistory } from '../history.ts'
import { objectSchema } from '../object-schema.ts'
import { type FindPicture, type Pictures, picturesFor } from '../pictures.ts'
import { resultsAsText } from '../results-as-text.ts'
import { wellFormed } from '../well-formed.ts'
import { withoutTools } from '../without-tools.ts'
import { signedContent } from './call-signatures.ts'
import type { ChatDialect } from './dialects.ts'
import { reasoningFields } from './replay-reasoning.ts'

export type WriteOptions = { readonly dialect: ChatDialect; readonly info?: ModelInfo; readonly picture?: FindPicture }

type Wire = JsonObject

export const writeChatRequest = (request: LlmRequest, { dialect, info = {}, picture }: WriteOptions): JsonObject => {
  const { system = '' } = request
  const pictures = picturesFor(info, picture)
  const valid = validHistory(request.messages, dialect.ids)
  const turns = info.tools === false ? withoutTools(valid) : valid
  const messages = turns.flatMap((turn, index) => writeTurn(turn, turns[index + 1], request, pictures))
  const tools = info.tools === false ? [] : (request.tools ?? [])
  return {
    model: request.model,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: wellFormed(system) }]),
      ...(messages.length === 0 ? [{ role: 'user', content: '(empty message)' }] : mergedUsers(messages)),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description: wellFormed(description), parameters: objectSchema(parameters) },
          })),
        }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.maxTokens === undefined ? {} : { [dialect.maxTokens]: request.maxTokens }),
    ...(request.stop === undefined || request.stop.length === 0 ? {} : { stop: request.stop }),
    ...(request.effort === undefined ? {} : { reasoning_effort: request.effort }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

const writeTurn = (turn: HistoryTurn, next: HistoryTurn | undefined, request: LlmRequest, pictures: Pictures): readonly Wire[] => {
  if (turn.kind === 'user') return [{ role: 'user', content: content(turn.parts, pictures) }]
  if (turn.kind === 'results') return writeResults(turn.results, pictures)
  const text = turn.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  const signs = isSameFamily(turn.provenance, request)
  const calls = turn.blocks.flatMap((block, index) => {
    if (block.type !== 'call') return []
    const before = turn.blocks[index - 1]
    return [writeCall(block, signs && before?.type === 'reasoning' ? signedContent(before.replay) : undefined)]
  })
  const reasoning = turn.blocks.filter((block): block is ReasoningBlock => block.type === 'reasoning')
  const own = turn.provenance.provider === request.provider && turn.provenance.model === request.model
  const inLoop = calls.length > 0 && next?.kind === 'results'
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(own ? reasoningFields(reasoning, text, inLoop ? 'tool-loop' : 'answer') : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ]
}

const writeCall = ({ id, name, arguments: json }: HistoryCall, signed: JsonObject | undefined): Wire => ({
  id,
  type: 'function',
  function: { name, arguments: json },
  ...(signed === undefined ? {} : { extra_content: signed }),
})

/** Role `tool` holds text only. */
const writeResults = (results: readonly HistoryResult[], pictures: Pictures): readonly Wire[] => {
  const { texts, shown } = resultsAsText(results, pictures)
  const messages = texts.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
  return shown.length === 0 ? messages : [...messages, { role: 'user', content: content(shown, pictures) }]
}

/** A plain string wherever there is no picture: many servers take nothing else. */
const content = (parts: readonly UserPart[], pictures: Pictures): string | readonly Wire[] => {
  const written = parts.map((part): Wire => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const url = pictures(part)
    return 'url' in url ? { type: 'image_url', image_url: { url: url.url } } : { type: 'text', text: url.note }
  })
  if (written.some((part) => part.type === 'image_url')) return written
  return written.map((part) => String(part.text)).join('\n')
}

/** A picture message may come to stand before what the person said next: strict templates want one user message there. */
const mergedUsers = (messages: readonly Wire[]): readonly Wire[] => {
  const merged: Wire[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (last?.role === 'user' && message.role === 'user') {
      merged[merged.length - 1] = { role: 'user', content: joined(last.content, message.content) }
    } else merged.push(message)
  }
  return merged
}

const joined = (first: unknown, second: unknown): string | readonly Wire[] => {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`
  return [...asParts(first), ...asParts(second)]
}
const asParts = (value: unknown): readonly Wire[] => (Array.isArray(value) ? value : [{ type: 'text', text: String(value) }])
