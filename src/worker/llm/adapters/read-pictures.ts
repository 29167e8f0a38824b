// The pictures of a conversation as data URLs, read from the blob store before a request is written.
import type { BlobId, ImageBlock, Message } from '../../../storage/log/content.ts'
import { base64 } from './base64.ts'

/** By blob; what is not stored any more is left out. Without a reader there are none. */
export const readPictures = async (
  messages: readonly Message[],
  readBlob: ((blob: BlobId) => Promise<Uint8Array | undefined>) | undefined,
): Promise<ReadonlyMap<BlobId, string>> => {
  const pictures = new Map<BlobId, string>()
  if (readBlob === undefined) return pictures
  for (const { blob, mediaType } of imagesOf(messages)) {
    const bytes = pictures.has(blob) ? undefined : await readBlob(blob)
    if (bytes !== undefined) pictures.set(blob, `data:${mediaType};base64,${base64(bytes)}`)
  }
  return pictures
}

const isImage = (block: Message['content'][number]): block is ImageBlock => block.type === 'image'

const imagesOf = (messages: readonly Message[]): readonly ImageBlock[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => (isImage(block) ? [block] : block.type === 'tool-result' ? block.content.filter(isImage) : [])),
  )
