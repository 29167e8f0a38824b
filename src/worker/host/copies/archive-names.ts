// What a zipped session file holds, by name. Nothing else is in one, so no name of a zip is ever used as a path.
import type { BlobId } from '../../../storage/log/content.ts'

/** `number`: from 1. The log of a session: JSON Lines. */
export const logName = (number: number): string => `sessions/${number}.jsonl`
/** Its files: a tree, see `storage/file-tree.ts`. Absent: it has none. */
export const filesName = (number: number): string => `sessions/${number}.files.json`
export const blobName = (id: BlobId): string => `blobs/${id}`

export type Named =
  | { readonly kind: 'log' | 'files'; readonly number: number }
  | { readonly kind: 'blob'; readonly id: BlobId }
  | { readonly kind: 'folder' }

const NAME = /^sessions\/([1-9]\d{0,6})\.(jsonl|files\.json)$|^blobs\/(sha256-[0-9a-f]{64})$|^(?:sessions|blobs)\/$/

/** Undefined for what does not belong there. */
export const readEntryName = (name: string): Named | undefined => {
  const match = NAME.exec(name)
  if (match === null) return undefined
  const [, number, what, id] = match
  if (id !== undefined) return { kind: 'blob', id }
  return number === undefined ? { kind: 'folder' } : { kind: what === 'jsonl' ? 'log' : 'files', number: Number(number) }
}
