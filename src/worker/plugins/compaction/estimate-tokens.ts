// How many tokens a text or a message may be. An estimate: it decides when to act and what is worth it, and is never logged as usage.
import type { ContentBlock, Message } from '../../../storage/log/content.ts'
import type { RequestHeader } from '../../../storage/log/events.ts'

/**
 * What a picture costs is a matter of its area in pixels, not of its bytes: a 700 KB photo is not 200,000 tokens. The log does not know
 * the area, so this is what the vendor charges for about a megapixel, which is what the larger ones are scaled down to.
 */
const PICTURE: readonly { readonly of: RegExp; readonly tokens: number; readonly seen: string }[] = [
  { of: /claude|anthropic/i, tokens: 1_600, seen: 'Anthropic, vision guide: width × height / 750, about 1,600 at the largest' },
  { of: /gemini|google/i, tokens: 1_032, seen: 'Gemini, token guide: 258 for each tile of 768 × 768, four tiles for a megapixel' },
  { of: /./, tokens: 1_105, seen: 'OpenAI, vision guide: 85 and 170 for each tile of 512 × 512, six tiles for 1024 × 1536' },
]

/** Beside its content a message has a role and its separators; a call or a result has an id. */
const PER_MESSAGE = 4
const PER_CALL = 12

export const pictureTokens = (model: string): number => PICTURE.find(({ of }) => of.test(model))?.tokens ?? 0

/** Latin script has about four characters a token, most others between one and two. */
export const textTokens = (text: string): number => {
  let wide = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2ff) wide++
  return Math.ceil((text.length - wide) / 4 + wide / 1.5)
}

const blockTokens = (block: ContentBlock, picture: number): number => {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return textTokens(block.text)
    case 'image':
      return picture
    case 'tool-call':
      return PER_CALL + textTokens(block.name) + textTokens(block.arguments)
    case 'tool-result':
      return PER_CALL + contentTokens(block.content, picture)
  }
}

export const contentTokens = (content: readonly ContentBlock[], picture: number): number =>
  content.reduce((sum, block) => sum + blockTokens(block, picture), 0)

/** Each message is counted once: a message is frozen, and the same object in every request that holds it. */
const counted = new WeakMap<Message, { readonly picture: number; readonly tokens: number }>()

export const messageTokens = (message: Message, picture: number): number => {
  const known = counted.get(message)
  if (known?.picture === picture) return known.tokens
  const tokens = PER_MESSAGE + contentTokens(message.content, picture)
  counted.set(message, { picture, tokens })
  return tokens
}

export const messagesTokens = (messages: readonly Message[], picture: number): number =>
  messages.reduce((sum, message) => sum + messageTokens(message, picture), 0)

const headers = new WeakMap<RequestHeader, number>()

/** What a request holds besides the derived messages: system text, tools, prefix. */
export const headerTokens = (header: RequestHeader | undefined, picture: number): number => {
  if (header === undefined) return 0
  const { system = '', tools = [], messagePrefix = [] } = header
  const known = headers.get(header) ?? textTokens(system) + textTokens(JSON.stringify(tools))
  headers.set(header, known)
  return known + messagesTokens(messagePrefix, picture)
}
