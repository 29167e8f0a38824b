// Where servers of the OpenAI-chat wire differ in what they accept, with the reason beside each line.
import type { IdAlphabet } from '../wire-ids.ts'

export type ChatDialect = {
  /** The name of the limit for one reply. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens'
  readonly ids: IdAlphabet
}

/** OpenAI: "string too long, maximum length 40" for a call id; its own are `call_` and letters. */
const PLAIN_IDS: IdAlphabet = { pattern: /^[a-zA-Z0-9_-]{1,40}$/, length: 24 }
/** Mistral: "Tool call id … must be a-z, A-Z, 0-9, with a length of 9". */
const MISTRAL_IDS: IdAlphabet = { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 }

/** OpenAI's reasoning models refuse `max_tokens`; nearly every other server knows only that. */
export const chatDialect = (baseUrl: string, model: string): ChatDialect => ({
  maxTokens: /^https:\/\/([\w-]+\.)*openai\.(com|azure\.com)(\/|$|:)/.test(baseUrl) ? 'max_completion_tokens' : 'max_tokens',
  ids:
    /(^|[/.-])(open-)?(mi[sx]tral|magistral|ministral|devstral|codestral|pixtral)/i.test(model) || /\bmistral\.ai\b/.test(baseUrl)
      ? MISTRAL_IDS
      : PLAIN_IDS,
})
