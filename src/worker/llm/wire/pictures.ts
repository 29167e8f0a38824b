// The pictures of a history as the URLs that a writer puts into a request, or a note where there can be none (W13).
import type { ImageBlock } from '../../../storage/log/content.ts'
import type { ModelInfo } from '../../hooks/llm.ts'
import { wellFormed } from './well-formed.ts'

/** The picture as a URL (`data:` as a rule); `undefined` when it is not stored any more. */
export type FindPicture = (block: ImageBlock) => string | undefined

/** Gives the URL, or a note that says why there is none. */
export type Pictures = (block: ImageBlock) => { readonly url: string } | { readonly note: string }

export const picturesFor =
  ({ images }: ModelInfo, find: FindPicture | undefined): Pictures =>
  (block) => {
    const named = block.name === undefined ? 'picture' : `picture "${wellFormed(block.name)}"`
    if (images === false) return { note: `(A ${named} was withheld. This model cannot see pictures.)` }
    const url = find?.(block)
    return url === undefined ? { note: `(A ${named} was withheld. It is not stored any more.)` } : { url }
  }

/** The two halves of a `data:` URL; `undefined` for any other address. */
export const inlineData = (url: string): { readonly mediaType: string; readonly base64: string } | undefined => {
  const found = /^data:([^;,]*)(?:;[^;,]*)*;base64,(.*)$/s.exec(url)
  return found === null ? undefined : { mediaType: found[1] || 'image/png', base64: found[2]! }
}
