// Writes a zip entry by entry, with the browser's own compression. The whole is a Blob, which need not lie in memory.
import { SideloopError } from '../../../storage/log/errors.ts'
import { crc32 } from './crc32.ts'
import {
  CENTRAL_HEADER,
  DEFLATED,
  END_RECORD,
  LOCAL_HEADER,
  MOST_BYTES,
  MOST_ENTRIES,
  NO_DATE,
  STORED,
  UTF8_FLAG,
  VERSION,
} from './zip-format.ts'

export type ZipWriter = {
  /** Errors: `command/invalid` when the zip would become too large for its format. */
  add(name: string, content: Blob): Promise<void>
  end(): Blob
}

/** What both headers of an entry say, in their common order. */
type Described = {
  readonly name: Uint8Array<ArrayBuffer>
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly size: number
}

const putFacts = (view: DataView, at: number, { name, method, crc, packed, size }: Described): void => {
  view.setUint16(at, VERSION, true)
  view.setUint16(at + 2, UTF8_FLAG, true)
  view.setUint16(at + 4, method, true)
  view.setUint16(at + 8, NO_DATE, true)
  view.setUint32(at + 10, crc, true)
  view.setUint32(at + 14, packed, true)
  view.setUint32(at + 18, size, true)
  view.setUint16(at + 22, name.length, true)
}

const localHeader = (entry: Described): BlobPart[] => {
  const view = new DataView(new ArrayBuffer(LOCAL_HEADER.length))
  view.setUint32(0, LOCAL_HEADER.signature, true)
  putFacts(view, 4, entry)
  return [view.buffer, entry.name]
}

const centralHeader = (entry: Described, offset: number): BlobPart[] => {
  const view = new DataView(new ArrayBuffer(CENTRAL_HEADER.length))
  view.setUint32(0, CENTRAL_HEADER.signature, true)
  view.setUint16(4, VERSION, true)
  putFacts(view, 6, entry)
  view.setUint32(42, offset, true)
  return [view.buffer, entry.name]
}

const endRecord = (entries: number, length: number, offset: number): BlobPart => {
  const view = new DataView(new ArrayBuffer(END_RECORD.length))
  view.setUint32(0, END_RECORD.signature, true)
  view.setUint16(8, entries, true)
  view.setUint16(10, entries, true)
  view.setUint32(12, length, true)
  view.setUint32(16, offset, true)
  return view.buffer
}

const pack = async (content: Blob, signal: AbortSignal | undefined): Promise<{ readonly data: Blob; readonly crc: number }> => {
  let crc = 0
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      crc = crc32(piece, crc)
      controller.enqueue(piece)
    },
  })
  const packed = content
    .stream()
    .pipeThrough(counted, signal && { signal })
    .pipeThrough(new CompressionStream('deflate-raw'))
  return { data: await new Response(packed).blob(), crc }
}

/** What is being added ends with the signal. */
export const createZip = (signal?: AbortSignal): ZipWriter => {
  const parts: BlobPart[] = []
  const directory: BlobPart[] = []
  let entries = 0
  let offset = 0
  let directoryLength = 0

  return {
    async add(name, content) {
      const { data, crc } = await pack(content, signal)
      const small = data.size < content.size
      const stored = small ? data : content
      const bytes = new TextEncoder().encode(name)
      const entry = { name: bytes, method: small ? DEFLATED : STORED, crc, packed: stored.size, size: content.size }
      const next = offset + LOCAL_HEADER.length + bytes.length + stored.size
      const length = directoryLength + CENTRAL_HEADER.length + bytes.length
      if (entries + 1 >= MOST_ENTRIES || content.size >= MOST_BYTES || next + length >= MOST_BYTES)
        throw new SideloopError('command/invalid', 'This is too much for one file. Export the sessions one by one, or fewer of them.')
      parts.push(...localHeader(entry), stored)
      directory.push(...centralHeader(entry, offset))
      entries += 1
      offset = next
      directoryLength = length
    },
    end: () => new Blob([...parts, ...directory, endRecord(entries, directoryLength, offset)], { type: 'application/zip' }),
  }
}
