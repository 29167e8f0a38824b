// Gemini signs calls on its OpenAI-compatible endpoint too, and wants each signature back on its call. It is kept as decision 0124 says.
import type { Json, JsonObject } from '../../../../storage/log/content.ts'
import { type Fields, isFields } from '../fields.ts'

/** The signature that a call came with. */
export const signatureIn = ({ extra_content: extra }: Fields): string | undefined =>
  isFields(extra) && isFields(extra.google) ? signatureOf(extra.google) : undefined

/** What an empty reasoning block right before the call keeps. */
export const signedCall = (signature: string): JsonObject => ({ thought_signature: signature })

/** `undefined` for replay data of any other kind. */
export const signatureOf = (replay: Json | Fields | undefined): string | undefined => {
  const signature = isFields(replay) ? replay.thought_signature : undefined
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}
