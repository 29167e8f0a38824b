// The turns of a valid history as Anthropic's messages: roles alternate, results come first in the message after their calls.
import type { JsonObject } from '../../../../storage/log/content.ts'
import { isSameFamily } from '../../model-family.ts'
import type { HistoryResult, HistoryTurn, UserPart } from '../history.ts'
import { argumentsObject } from '../history-arguments.ts'
import { inlineData, type Pictures } from '../pictures.ts'
import type { AnthropicDialect } from './dialects.ts'
import { thinkingBlock } from './replay-thinking.ts'

export type AnthropicMessage = { readonly role: 'user' | 'assistant'; readonly content: readonly JsonObject[] }

type Target = { readonly provider: string; readonly model: string; readonly dialect: AnthropicDialect; readonly pictures: Pictures }

export const writeTurns = (turns: readonly HistoryTurn[], target: Target): readonly AnthropicMessage[] => {
  const messages: AnthropicMessage[] = []
  turns.forEach((turn, index) => {
    const message = writeTurn(turn, turns[index + 1]?.kind === 'results', target)
    const last = messages.at(-1)
    if (last?.role !== message.role) messages.push(message)
    // What the person says next stands behind the results in one message: "tool_result blocks must come first".
    else messages[messages.length - 1] = { role: message.role, content: [...last.content, ...message.content] }
  })
  return messages
}

const writeTurn = (turn: HistoryTurn, inLoop: boolean, target: Target): AnthropicMessage => {
  const { dialect, pictures } = target
  if (turn.kind === 'user') return { role: 'user', content: turn.parts.map((part) => userBlock(part, pictures)) }
  if (turn.kind === 'results') return { role: 'user', content: writeResults(turn.results, pictures) }
  const own = isSameFamily(turn.provenance, target)
  const thinking: JsonObject[] = []
  const inOrder = turn.blocks.flatMap((block): readonly JsonObject[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }]
    if (block.type === 'call') return [{ type: 'tool_use', id: block.id, name: block.name, input: argumentsObject(block.arguments) }]
    const written = own ? thinkingBlock(block, dialect, inLoop) : []
    thinking.push(...written)
    return written
  })
  // A signature holds at its place only. But after a stop, what had been said stands before the thinking of the reply that went on.
  const content = turn.merged ? [...thinking, ...inOrder.filter((block) => !thinking.includes(block))] : inOrder
  return { role: 'assistant', content }
}

const writeResults = (results: readonly HistoryResult[], pictures: Pictures): readonly JsonObject[] => {
  // "all content must be type `text` if `is_error` is true": such a picture follows the results.
  const after: JsonObject[] = []
  const written = results.map(({ id, name, parts, isError }): JsonObject => {
    const content = parts.flatMap((part): readonly JsonObject[] => {
      const block = userBlock(part, pictures)
      if (!isError || block.type === 'text') return [block]
      after.push({ type: 'text', text: `Picture from the result of call ${id} (${name}):` }, block)
      return [{ type: 'text', text: '(A picture of this result follows.)' }]
    })
    return { type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }
  })
  return [...written, ...after]
}

/** All that the API reads. */
const MEDIA_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

const userBlock = (part: UserPart, pictures: Pictures): JsonObject => {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const found = pictures(part)
  if (!('url' in found)) return { type: 'text', text: found.note }
  const inline = inlineData(found.url)
  if (inline === undefined) return { type: 'image', source: { type: 'url', url: found.url } }
  const { mediaType, base64 } = inline
  if (MEDIA_TYPES.includes(mediaType)) return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } }
  return { type: 'text', text: `(A picture was withheld. This provider does not read ${mediaType}.)` }
}
