// The name of bytes is their content: the same bytes are the same blob.
import type { BlobId } from './log/content.ts'
import { SideloopError } from './log/errors.ts'

/** Errors: `storage/unavailable` where the browser has no WebCrypto. */
export const blobIdOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<BlobId> => {
  if (crypto.subtle === undefined) {
    throw new SideloopError(
      'storage/unavailable',
      'Files cannot be stored here, because the browser offers cryptography only to secure pages. Open this page over https or from localhost.',
    )
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
