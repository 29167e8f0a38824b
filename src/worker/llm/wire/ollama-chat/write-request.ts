// The writer of Ollama's native chat requests: a request of the loop → the JSON body. Pure: pictures come in as ready URLs.
import type { Json, JsonObject } from '../../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../hooks/llm.ts'
import { isSameFamily } from '../../model-family.ts'
import { type HistoryCall, type HistoryResult, type HistoryTurn, type UserPart, validHistory } from '../history.ts'
import { argumentsObject } from '../history-arguments.ts'
import { type FindPicture, inlineData, type Pictures, picturesFor } from '../pictures.ts'
import { resultsAsText } from '../results-as-text.ts'
import { wellFormed } from '../well-formed.ts'
import type { IdAlphabet } from '../wire-ids.ts'
import { withoutTools } from '../without-tools.ts'

export type OllamaWriteOptions = {
  readonly info?: ModelInfo
  readonly picture?: FindPicture
  /** Tokens of context to load the model with. Default: the server's own, which is small and cuts the conversation silently. */
  readonly contextTokens?: number
  /** How long the model stays loaded: seconds, or a duration such as `10m`; -1 for ever. Default: the server's own. */
  readonly keepAlive?: number | string
}

type Wire = JsonObject

/** Ids are text of any kind here; they only tie a result to its call. */
const IDS: IdAlphabet = { pattern: /^[\w.:-]{1,64}$/, length: 24 }

export const writeOllamaRequest = (request: LlmRequest, options: OllamaWriteOptions = {}): JsonObject => {
  const { info = {}, picture, contextTokens, keepAlive } = options
  const valid = validHistory(request.messages, IDS)
  const turns = info.tools === false ? withoutTools(valid) : valid
  const messages = turns.flatMap((turn, index) => writeTurn(turn, turns[index + 1], request, picturesFor(info, picture)))
  const tools = info.tools === false ? [] : (request.tools ?? [])
  const settings = {
    ...(contextTokens === undefined ? {} : { num_ctx: contextTokens }),
    ...(request.maxTokens === undefined ? {} : { num_predict: request.maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.stop === undefined || request.stop.length === 0 ? {} : { stop: request.stop }),
  }
  return {
    model: request.model,
    messages: [
      ...(request.system === undefined || request.system.trim() === '' ? [] : [{ role: 'system', content: wellFormed(request.system) }]),
      ...(messages.length === 0 ? [{ role: 'user', content: '(empty message)' }] : mergedUsers(messages)),
    ],
    ...(tools.length === 0 ? {} : { tools: tools.map(writeTool) }),
    ...(request.effort === undefined ? {} : { think: think(request.effort) }),
    ...(Object.keys(settings).length === 0 ? {} : { options: settings }),
    ...(keepAlive === undefined ? {} : { keep_alive: keepAlive }),
    stream: true,
  }
}

/** A switch for most models, a level for those that have some. What is neither goes as it is: the server has the last word. */
const think = (effort: string): Json => {
  if (effort === 'none' || effort === 'off') return false
  return effort === 'on' ? true : effort
}

const writeTool = ({ name, description, parameters }: NonNullable<LlmRequest['tools']>[number]): Wire => ({
  type: 'function',
  function: { name, description: wellFormed(description), parameters },
})

const writeTurn = (turn: HistoryTurn, next: HistoryTurn | undefined, request: LlmRequest, pictures: Pictures): readonly Wire[] => {
  if (turn.kind === 'user') return [writeUser(turn.parts, pictures)]
  if (turn.kind === 'results') return writeResults(turn.results, pictures)
  const text = turn.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  const calls = turn.blocks.filter((block): block is HistoryCall => block.type === 'call')
  const own = isSameFamily(turn.provenance, request)
  // Templates show a model its thinking only inside a tool loop.
  const inLoop = own && calls.length > 0 && next?.kind === 'results'
  const thinking = inLoop
    ? turn.blocks.flatMap((block) => (block.type === 'reasoning' && isThinking(block.replay) ? [block.text] : []))
    : []
  return [
    {
      role: 'assistant',
      content: text,
      ...(thinking.length === 0 ? {} : { thinking: wellFormed(thinking.join('')) }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
    },
  ]
}

const isThinking = (replay: Json | undefined): boolean =>
  typeof replay === 'object' && replay !== null && 'field' in replay && replay.field === 'thinking'

const writeCall = ({ id, name, arguments: json }: HistoryCall): Wire => ({ id, function: { name, arguments: argumentsObject(json) } })

/** A result's pictures follow in one message of the person after the last result, in the order in which they are announced. */
const writeResults = (results: readonly HistoryResult[], pictures: Pictures): readonly Wire[] => {
  const { texts, shown } = resultsAsText(results, pictures)
  const messages = texts.map(({ id, name, text }): Wire => ({ role: 'tool', content: text, tool_name: name, tool_call_id: id }))
  return shown.length === 0 ? messages : [...messages, writeUser(shown, pictures)]
}

/** Words and pictures go apart, whatever their order was. */
const writeUser = (parts: readonly UserPart[], pictures: Pictures): Wire => {
  const images: string[] = []
  const words = parts.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    const data = pictureData(part, pictures)
    if (!('base64' in data)) return [data.note]
    images.push(data.base64)
    return []
  })
  const content = words.length === 0 ? '(See the picture.)' : words.join('\n')
  return { role: 'user', content, ...(images.length === 0 ? {} : { images }) }
}

const pictureData = (part: Parameters<Pictures>[0], pictures: Pictures): { readonly base64: string } | { readonly note: string } => {
  const picture = pictures(part)
  if (!('url' in picture)) return picture
  return inlineData(picture.url) ?? { note: `(A picture is at ${picture.url}.)` }
}

const mergedUsers = (messages: readonly Wire[]): readonly Wire[] => {
  const merged: Wire[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (last?.role !== 'user' || message.role !== 'user') {
      merged.push(message)
      continue
    }
    const images = [last.images, message.images].flatMap((list) => (Array.isArray(list) ? list : []))
    const content = `${String(last.content)}\n\n${String(message.content)}`
    merged[merged.length - 1] = { role: 'user', content, ...(images.length === 0 ? {} : { images }) }
  }
  return merged
}
