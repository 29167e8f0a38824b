// What a provider of the AI SDK said about a part of its reply and wants to hear again, as it is kept in the log.
import type { Json, JsonObject } from '../../../../storage/log/content.ts'

/** `own`: of the reasoning block itself. `next`: the block is empty, and it belongs to the text or call right after it. */
export type Metadata = { readonly part: 'own' | 'next'; readonly providerMetadata: Json }

export const metadata = (part: Metadata['part'], providerMetadata: unknown): JsonObject => ({
  part,
  providerMetadata: providerMetadata as Json,
})

/** `undefined` for replay data of another adapter. */
export const metadataOf = (replay: Json | undefined): Metadata | undefined => {
  if (typeof replay !== 'object' || replay === null || !('providerMetadata' in replay)) return undefined
  const { part, providerMetadata } = replay
  return providerMetadata !== undefined && (part === 'own' || part === 'next') ? { part, providerMetadata } : undefined
}
