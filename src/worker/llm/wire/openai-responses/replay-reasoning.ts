// Reasoning goes back as the items it came in, to the family of models it came from.
import type { JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { wellFormed } from '../well-formed.ts'

/** The blocks of one item, which are neighbours, as that item again; blocks of other wires are left out. */
export const reasoningItems = (blocks: readonly ReasoningBlock[], inLoop: boolean): readonly JsonObject[] => {
  const items: ReasoningBlock[][] = []
  for (const block of blocks) {
    const id = itemIdOf(block)
    if (id === undefined) continue
    const last = items.at(-1)?.at(-1)
    // The encrypted content is beside the last block of its item: what follows is another, also where servers give no ids.
    if (last !== undefined && itemIdOf(last) === id && encryptedOf(last) === '') items.at(-1)?.push(block)
    else items.push([block])
  }
  return items.flatMap((item) => reasoningItem(item, inLoop))
}

/**
 * An item without encrypted content goes back only if it is plain text of an open model (`content`), inside a tool loop: OpenAI looks
 * for the others in a store that they are not in. A summary that would have to be changed to be sent would not be verified: its item
 * stays away.
 */
const reasoningItem = (blocks: readonly ReasoningBlock[], inLoop: boolean): readonly JsonObject[] => {
  const [first] = blocks
  if (first === undefined) return []
  const { item } = fieldsOf(first.replay)
  const parts = blocks.filter(({ text }) => text !== '')
  const encrypted = encryptedOf(blocks.at(-1) ?? first)
  const isContent = parts.some(({ replay }) => fieldsOf(replay).form === 'content')
  const written = { type: 'reasoning', ...(textOf(item) === '' ? {} : { id: textOf(item) }) }
  const texts = (type: string) => parts.map(({ text }) => ({ type, text: wellFormed(text) }))
  if (encrypted !== '') {
    if (parts.some(({ text }) => wellFormed(text) !== text)) return []
    return [{ ...written, summary: isContent ? [] : texts('summary_text'), encrypted_content: encrypted }]
  }
  return isContent && inLoop ? [{ ...written, summary: [], content: texts('reasoning_text') }] : []
}

/** Which item of this wire a block belongs to; `undefined`: of no such item. */
const itemIdOf = ({ replay }: ReasoningBlock): string | undefined => {
  const { item, form } = fieldsOf(replay)
  return form === 'summary' || form === 'content' ? textOf(item) : undefined
}

const encryptedOf = ({ replay }: ReasoningBlock): string => textOf(fieldsOf(replay).encrypted_content)
