// What is known by name of models and servers behind the Responses wire.
import type { IdAlphabet } from '../wire-ids.ts'

/** OpenAI: "string too long, maximum length 64" for a call id. */
export const CALL_IDS: IdAlphabet = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 }

/** Models that reason. Of any other OpenAI answers 400: "Encrypted content is not supported with this model". */
const REASONERS = /(^|\/)(o\d|gpt-[5-9](?!.*chat)|gpt-oss|codex|computer-use|grok-\d)/i

/** Whether its reasoning is asked for as encrypted content, so that it can go back to a server that stores nothing. */
export const isReasoner = (model: string): boolean => REASONERS.test(model)
