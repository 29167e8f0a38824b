// Reasoning goes back as the items it came in, to the family of models it came from.
import type { JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { wellFormed } from '../well-formed.ts'

/**
 * Neighbouring blocks of one item as one item again. An item without encrypted content goes back only if it is plain text of an
 * open model (`content`), inside a tool loop: OpenAI looks for the others in a store that they are not in. A summary that would have
 * to be changed to be sent would not be verified: its item stays away.
 */
export const reasoningItem = (blocks: readonly ReasoningBlock[], inLoop: boolean): readonly JsonObject[] => {
  const [first] = blocks
  if (first === undefined) return []
  const { item } = fieldsOf(first.replay)
  const parts = blocks.filter(({ text }) => text !== '')
  const encrypted = blocks.map(({ replay }) => textOf(fieldsOf(replay).encrypted_content)).findLast((content) => content !== '')
  const isContent = parts.some(({ replay }) => fieldsOf(replay).form === 'content')
  const written = { type: 'reasoning', ...(textOf(item) === '' ? {} : { id: textOf(item) }) }
  const texts = (type: string) => parts.map(({ text }) => ({ type, text: wellFormed(text) }))
  if (encrypted !== undefined) {
    if (parts.some(({ text }) => wellFormed(text) !== text)) return []
    return [{ ...written, summary: isContent ? [] : texts('summary_text'), encrypted_content: encrypted }]
  }
  return isContent && inLoop ? [{ ...written, summary: [], content: texts('reasoning_text') }] : []
}

/** Which item of this wire a block belongs to; `undefined`: of no such item. */
export const itemIdOf = ({ replay }: ReasoningBlock): string | undefined => {
  const { item, form } = fieldsOf(replay)
  return form === 'summary' || form === 'content' ? textOf(item) : undefined
}
