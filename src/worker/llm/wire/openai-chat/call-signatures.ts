// Gemini signs calls on its OpenAI-compatible endpoints too, and wants each signature back on its call. It is kept as decision 0124 says.
import type { Json, JsonObject } from '../../../../storage/log/content.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'

/** The name that Google's own endpoint gives the place, and Vertex's. */
const PLACES = ['google', 'vertex'] as const

/** What an empty reasoning block right before a signed call keeps. */
export const signatureIn = ({ extra_content: extra }: Fields): JsonObject | undefined => {
  for (const place of PLACES) {
    const signature = textOf(fieldsOf(fieldsOf(extra)[place]).thought_signature)
    if (signature !== '') return { thought_signature: signature, ...(place === 'google' ? {} : { place }) }
  }
  return undefined
}

/** The same where it came from; `undefined` for replay data of any other kind. */
export const signedContent = (replay: Json | undefined): JsonObject | undefined => {
  const { thought_signature: given, place } = fieldsOf(replay)
  const signature = textOf(given)
  return signature === '' ? undefined : { [place === 'vertex' ? place : 'google']: { thought_signature: signature } }
}
