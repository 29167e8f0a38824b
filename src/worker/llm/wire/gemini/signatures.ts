// Gemini's thought signatures as they are kept in the log: on a reasoning block, which says what kind of part it came with.
import type { Json, JsonObject } from '../../../../storage/log/content.ts'

/**
 * `thought`: the block is the part. `call`, `text`: the block is empty, and the signature belongs to the block right after it.
 * `empty`: the part had no text of its own.
 */
export type SignedPart = 'thought' | 'call' | 'text' | 'empty'

const PARTS: readonly string[] = ['thought', 'call', 'text', 'empty'] satisfies readonly SignedPart[]

export const signed = (part: SignedPart, thoughtSignature: string): JsonObject => ({ part, thoughtSignature })

/** `undefined` for replay data of another vendor. */
export const signatureOf = (replay: Json | undefined): { readonly part: SignedPart; readonly thoughtSignature: string } | undefined => {
  if (typeof replay !== 'object' || replay === null || !('thoughtSignature' in replay)) return undefined
  const { part, thoughtSignature } = replay
  if (typeof thoughtSignature !== 'string' || typeof part !== 'string' || !PARTS.includes(part)) return undefined
  return { part: part as SignedPart, thoughtSignature }
}
