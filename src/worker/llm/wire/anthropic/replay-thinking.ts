// Thinking goes back byte for byte to the family of models it came from, and to no other.
import type { JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { wellFormed } from '../well-formed.ts'
import type { AnthropicDialect } from './dialects.ts'

/**
 * Nothing for a block that cannot go back: one that a stop cut before its signature, another vendor's, or one that would have to
 * be changed to be sent at all. Unsigned thinking goes back in a tool loop only, to servers that sign nothing.
 */
export const thinkingBlock = ({ text, replay }: ReasoningBlock, dialect: AnthropicDialect, inLoop: boolean): readonly JsonObject[] => {
  const { type, signature, data } = fieldsOf(replay)
  if (type === 'redacted_thinking') return textOf(data) === '' ? [] : [{ type, data: textOf(data) }]
  if (type !== 'thinking' || wellFormed(text) !== text) return []
  if (textOf(signature) === '' && !(dialect.unsigned && inLoop && text !== '')) return []
  return [{ type, thinking: text, signature: textOf(signature) }]
}
