// How many tokens a request is likely to be, for when the model did not say. An estimate: it is shown and decided on, never stored as usage.
import type { ContentBlock, Message } from './content.ts'
import type { RequestHeader } from './events.ts'

/** Of English prose and code; other scripts take more tokens a character. */
const CHARACTERS_PER_TOKEN = 4
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g
/** What vendors take for a picture of about a screen's size, whatever its bytes. */
const TOKENS_PER_IMAGE = 1_500
/** Role, marks between messages. */
const TOKENS_PER_MESSAGE = 4

const ofText = (text: string): number => {
  const wide = text.match(WIDE)?.length ?? 0
  return wide + (text.length - wide) / CHARACTERS_PER_TOKEN
}

const ofBlock = (block: ContentBlock): number => {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return ofText(block.text)
    case 'image':
      return TOKENS_PER_IMAGE
    case 'tool-call':
      return ofText(block.name) + ofText(block.arguments) + TOKENS_PER_MESSAGE
    case 'tool-result':
      return ofContent(block.content) + TOKENS_PER_MESSAGE
  }
}

const ofContent = (content: readonly ContentBlock[]): number => content.reduce((sum, block) => sum + ofBlock(block), 0)

/** Whole tokens. `header`: what the request holds besides the messages. */
export const estimateTokens = (messages: readonly Message[], header?: RequestHeader): number => {
  const said = [...(header?.messagePrefix ?? []), ...messages].reduce(
    (sum, { content }) => sum + ofContent(content) + TOKENS_PER_MESSAGE,
    0,
  )
  const system = ofText(header?.system ?? '')
  const tools = header?.tools === undefined ? 0 : ofText(JSON.stringify(header.tools))
  return Math.ceil(said + system + tools)
}
