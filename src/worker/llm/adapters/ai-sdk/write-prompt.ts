// A request of the loop → the call options of an AI SDK model, as the version of its specification wants them.
import type { Json, JsonObject } from '../../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../hooks/llm.ts'
import { isSameFamily } from '../../model-family.ts'
import { type HistoryResult, type HistoryTurn, type UserPart, validHistory } from '../../wire/history.ts'
import { argumentsObject } from '../../wire/history-arguments.ts'
import { type FindPicture, inlineData, type Pictures, picturesFor } from '../../wire/pictures.ts'
import { resultsAsText } from '../../wire/results-as-text.ts'
import { wellFormed } from '../../wire/well-formed.ts'
import type { IdAlphabet } from '../../wire/wire-ids.ts'
import { withoutTools } from '../../wire/without-tools.ts'
import type { SpecificationVersion } from './language-model.ts'
import { metadataOf } from './metadata.ts'

const IDS: IdAlphabet = { pattern: /^[a-zA-Z0-9_-]{1,40}$/, length: 24 }

/** Everything but the signal. What is private to one vendor is among `providerOptions` of its part, as it came. */
export const writeCallOptions = (request: LlmRequest, info: ModelInfo, picture: FindPicture, version: SpecificationVersion): JsonObject => {
  const valid = validHistory(request.messages, IDS)
  const turns = info.tools === false ? withoutTools(valid) : valid
  const pictures = picturesFor(info, picture)
  const messages = turns.flatMap((turn) => writeTurn(turn, request, pictures, version))
  const tools = info.tools === false ? [] : (request.tools ?? [])
  return {
    prompt: [
      ...(request.system === undefined || request.system.trim() === '' ? [] : [{ role: 'system', content: wellFormed(request.system) }]),
      ...(messages.length === 0 ? [{ role: 'user', content: [{ type: 'text', text: '(empty message)' }] }] : mergedUsers(messages)),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description: wellFormed(description),
            inputSchema: parameters,
          })),
          toolChoice: { type: 'auto' },
        }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
    ...(request.stop === undefined || request.stop.length === 0 ? {} : { stopSequences: request.stop }),
    ...(request.effort === undefined || version !== 'v4' ? {} : { reasoning: request.effort }),
  }
}

type Written = { readonly role: string; readonly content: readonly JsonObject[] }

const writeTurn = (turn: HistoryTurn, request: LlmRequest, pictures: Pictures, version: SpecificationVersion): readonly Written[] => {
  if (turn.kind === 'user') return [{ role: 'user', content: writeParts(turn.parts, pictures, version) }]
  if (turn.kind === 'results') return writeResults(turn.results, pictures, version)
  const own = isSameFamily(turn.provenance, request)
  const content: JsonObject[] = []
  let waiting: JsonObject = {}
  for (const block of turn.blocks) {
    if (block.type === 'reasoning') {
      const { part, providerMetadata } = (own ? metadataOf(block.replay) : undefined) ?? {}
      if (part === 'next') waiting = optionsOf(providerMetadata)
      else if (own) content.push({ type: 'reasoning', text: wellFormed(block.text), ...optionsOf(providerMetadata) })
      continue
    }
    content.push(
      block.type === 'text'
        ? { type: 'text', text: block.text, ...waiting }
        : { type: 'tool-call', toolCallId: block.id, toolName: block.name, input: argumentsObject(block.arguments), ...waiting },
    )
    waiting = {}
  }
  return [{ role: 'assistant', content }]
}

const optionsOf = (providerMetadata: Json | undefined): JsonObject =>
  providerMetadata === undefined ? {} : { providerOptions: providerMetadata }

/** A result holds text only; its pictures follow in one message of the person, which every provider can show its model. */
const writeResults = (results: readonly HistoryResult[], pictures: Pictures, version: SpecificationVersion): readonly Written[] => {
  const { texts, shown } = resultsAsText(results, pictures)
  const content = texts.map(({ id, name, text }, index): JsonObject => {
    const type = results[index]?.isError === true ? 'error-text' : 'text'
    return { type: 'tool-result', toolCallId: id, toolName: name, output: { type, value: text } }
  })
  const message: Written = { role: 'tool', content }
  return shown.length === 0 ? [message] : [message, { role: 'user', content: writeParts(shown, pictures, version) }]
}

const writeParts = (parts: readonly UserPart[], pictures: Pictures, version: SpecificationVersion): readonly JsonObject[] =>
  parts.map((part): JsonObject => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const picture = pictures(part)
    if (!('url' in picture)) return { type: 'text', text: picture.note }
    const data = inlineData(picture.url)
    if (data === undefined) return { type: 'text', text: `(A picture is at ${picture.url}.)` }
    return { type: 'file', mediaType: data.mediaType, data: version === 'v4' ? { type: 'data', data: data.base64 } : data.base64 }
  })

const mergedUsers = (messages: readonly Written[]): readonly Written[] => {
  const merged: Written[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      merged[merged.length - 1] = { role: 'user', content: [...last.content, ...message.content] }
    else merged.push(message)
  }
  return merged
}
