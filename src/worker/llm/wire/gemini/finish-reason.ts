// The finish reasons and block reasons of Gemini in our words.
import type { EndKind } from '../reply-writer.ts'

/** `error`: the model or the server failed, nothing was refused, and asking again may help. */
const WORDS: Readonly<Record<string, EndKind | 'error'>> = {
  STOP: 'stop',
  MAX_TOKENS: 'max-tokens',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  JAILBREAK: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'error',
  MALFORMED_RESPONSE: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MISSING_THOUGHT_SIGNATURE: 'error',
}

/**
 * An unknown word, `OTHER` among them, becomes `x-WORD`, which counts as success; but as the reason for which a prompt was
 * `blocked` it is a filter's, since there is no reply.
 */
export const finishKind = (raw: string, blocked: boolean): EndKind | 'error' => {
  if (Object.hasOwn(WORDS, raw)) return WORDS[raw] ?? 'stop'
  return blocked ? 'content-filter' : `x-${raw}`
}
