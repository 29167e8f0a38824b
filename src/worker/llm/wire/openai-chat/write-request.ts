// The writer of OpenAI-chat requests: a request of the loop → the JSON body. Pure: pictures come in as ready URLs.
import type { ImageBlock, JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../hooks/llm.ts'
import { type HistoryCall, type HistoryResult, type HistoryTurn, type UserPart, validHistory } from '../history.ts'
import { wellFormed } from '../well-formed.ts'
import type { ChatDialect } from './dialects.ts'
import { reasoningFields } from './replay-reasoning.ts'

export type WriteOptions = {
  readonly dialect: ChatDialect
  readonly info?: ModelInfo
  /** The picture as a URL (`data:` as a rule); `undefined` when it is not stored any more. */
  readonly picture?: (block: ImageBlock) => string | undefined
}

type Wire = JsonObject

export const writeChatRequest = (request: LlmRequest, { dialect, info = {}, picture }: WriteOptions): JsonObject => {
  const pictures = info.images === false ? 'This model cannot see pictures' : picture
  const asText = info.tools === false
  const turns = validHistory(request.messages, dialect.ids)
  const messages = turns.flatMap((turn, index) => writeTurn(turn, turns[index + 1], request, asText, pictures))
  const tools = asText ? [] : (request.tools ?? [])
  return {
    model: request.model,
    messages: [
      ...(request.system === undefined ? [] : [{ role: 'system', content: wellFormed(request.system) }]),
      ...(messages.length === 0 ? [{ role: 'user', content: '(empty message)' }] : mergedUsers(messages)),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description: wellFormed(description), parameters },
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

/** A function that gives URLs, a sentence that says why there are none, or nothing that could give them. */
type Pictures = ((block: ImageBlock) => string | undefined) | string | undefined

const writeTurn = (
  turn: HistoryTurn,
  next: HistoryTurn | undefined,
  request: LlmRequest,
  asText: boolean,
  pictures: Pictures,
): readonly Wire[] => {
  if (turn.kind === 'user') return [{ role: 'user', content: content(turn.parts, pictures) }]
  if (turn.kind === 'results') return asText ? [resultsAsText(turn.results, pictures)] : writeResults(turn.results, pictures)
  const text = turn.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  const calls = turn.blocks.filter((block): block is HistoryCall => block.type === 'call')
  if (asText) {
    const written = calls.map((call) => `[Called ${call.name} with ${call.arguments}]`)
    return [{ role: 'assistant', content: [...(text === '' ? [] : [text]), ...written].join('\n\n') }]
  }
  const reasoning = turn.blocks.filter((block): block is ReasoningBlock => block.type === 'reasoning')
  const own = turn.provenance.provider === request.provider && turn.provenance.model === request.model
  const inLoop = calls.length > 0 && next?.kind === 'results'
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(own ? reasoningFields(reasoning, text, inLoop ? 'tool-loop' : 'answer') : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
    },
  ]
}

const writeCall = ({ id, name, arguments: json }: HistoryCall): Wire => ({ id, type: 'function', function: { name, arguments: json } })

/** Role `tool` holds text only: pictures follow in one user message after the last result, each with the call that it came from. */
const writeResults = (results: readonly HistoryResult[], pictures: Pictures): readonly Wire[] => {
  const shown: UserPart[] = []
  const messages = results.map(({ id, name, parts }): Wire => {
    const words = parts.map((part) => {
      if (part.type === 'text') return part.text
      const url = pictureUrl(part, pictures)
      if (!('url' in url)) return url.note
      shown.push({ type: 'text', text: `Picture from the result of call ${id} (${name}):` }, part)
      return '(A picture of this result follows in the next user message.)'
    })
    return { role: 'tool', tool_call_id: id, content: words.join('\n') }
  })
  return shown.length === 0 ? messages : [...messages, { role: 'user', content: content(shown, pictures) }]
}

const resultsAsText = (results: readonly HistoryResult[], pictures: Pictures): Wire => {
  const parts = results.flatMap(({ name, parts: held }): readonly UserPart[] => [{ type: 'text', text: `[Result of ${name}]` }, ...held])
  return { role: 'user', content: content(parts, pictures) }
}

/** A plain string wherever there is no picture: many servers take nothing else. */
const content = (parts: readonly UserPart[], pictures: Pictures): string | readonly Wire[] => {
  const written = parts.map((part): Wire => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const url = pictureUrl(part, pictures)
    return 'url' in url ? { type: 'image_url', image_url: { url: url.url } } : { type: 'text', text: url.note }
  })
  if (written.some((part) => part.type === 'image_url')) return written
  return written.map((part) => String(part.text)).join('\n')
}

const pictureUrl = (block: ImageBlock, pictures: Pictures): { readonly url: string } | { readonly note: string } => {
  const named = block.name === undefined ? 'picture' : `picture "${wellFormed(block.name)}"`
  if (typeof pictures === 'string') return { note: `(A ${named} was withheld. ${pictures}.)` }
  const url = pictures?.(block)
  return url === undefined ? { note: `(A ${named} was withheld. It is not stored any more.)` } : { url }
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
