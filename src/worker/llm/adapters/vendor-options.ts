// What every adapter over HTTP can be made with, whatever its vendor.
import type { BlobId } from '../../../storage/log/content.ts'
import type { ModelInfo } from '../../hooks/llm.ts'
import type { Transport } from './stream-response.ts'

export type VendorOptions = Transport & {
  /** Absent, empty or undefined: no header for it, as local servers want it. Asked anew for each call. */
  readonly key?: string | (() => Promise<string | undefined>)
  /** What a model can do; goes before the catalogue. */
  readonly info?: (provider: string, model: string) => ModelInfo | undefined
  /** The bytes behind a picture. Without it a picture is replaced by a note that says so. */
  readonly readBlob?: (blob: BlobId) => Promise<Uint8Array | undefined>
  /** For calls that came without an id of their own. Default: random. */
  readonly newId?: () => string
}
