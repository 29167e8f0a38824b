// Reads a zip that may be anything: its directory first, then single entries, never more of one than it said it holds.
import type { SideloopError } from '../../../storage/log/errors.ts'
import { importRefused } from '../../../storage/log/import-refused.ts'
import { crc32 } from './crc32.ts'
import { CENTRAL_HEADER, DEFLATED, ENCRYPTED_FLAG, END_RECORD, LOCAL_HEADER, MOST_BYTES, MOST_ENTRIES, STORED } from './zip-format.ts'

/** `size` in bytes, unpacked: what the directory says, and what reading holds it to. */
export type ZipEntry = {
  readonly name: string
  readonly size: number
  readonly packed: number
  readonly method: number
  readonly crc: number
  readonly offset: number
}

export type ZipReader = {
  readonly entries: readonly ZipEntry[]
  /** The entry piece by piece. Errors: `import/refused` if it is damaged or holds more than it said. */
  read(entry: ZipEntry): AsyncGenerator<Uint8Array<ArrayBuffer>>
}

/** One piece of packed bytes becomes at most a thousand times as many: so a lie about a size costs little before it is found out. */
const PIECE_BYTES = 16 * 1024

const refused = (why: string, entry?: string): SideloopError =>
  importRefused(`The file cannot be imported: ${why}.`, entry === undefined ? undefined : { entry })
const damaged = (): SideloopError => refused('its list of contents is damaged, or it was cut short')

const viewOf = async (part: Blob): Promise<DataView<ArrayBuffer>> => new DataView(await part.arrayBuffer())

/** The end record is the last thing in a zip, before a comment. */
const findEnd = async (file: Blob): Promise<{ readonly view: DataView; readonly at: number }> => {
  const start = Math.max(0, file.size - END_RECORD.length - END_RECORD.longestComment)
  const tail = await viewOf(file.slice(start))
  for (let at = tail.byteLength - END_RECORD.length; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END_RECORD.signature) continue
    const comment = tail.getUint16(at + 20, true)
    if (at + END_RECORD.length + comment === tail.byteLength) return { view: new DataView(tail.buffer, at), at: start + at }
  }
  throw damaged()
}

const readName = (bytes: Uint8Array<ArrayBuffer>): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused('it has an entry whose name is not UTF-8')
  }
}

const readDirectory = (directory: DataView<ArrayBuffer>, count: number): readonly ZipEntry[] => {
  const entries: ZipEntry[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL_HEADER.length > directory.byteLength || directory.getUint32(at, true) !== CENTRAL_HEADER.signature) throw damaged()
    const nameLength = directory.getUint16(at + 28, true)
    const end = at + CENTRAL_HEADER.length + nameLength + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
    if (end > directory.byteLength) throw damaged()
    const name = readName(new Uint8Array(directory.buffer, at + CENTRAL_HEADER.length, nameLength))
    const method = directory.getUint16(at + 10, true)
    if (directory.getUint16(at + 8, true) & ENCRYPTED_FLAG) throw refused(`its entry ${JSON.stringify(name)} is encrypted`, name)
    if (method !== STORED && method !== DEFLATED)
      throw refused(`its entry ${JSON.stringify(name)} is packed in a way that is not known`, name)
    entries.push({
      name,
      method,
      crc: directory.getUint32(at + 16, true),
      packed: directory.getUint32(at + 20, true),
      size: directory.getUint32(at + 24, true),
      offset: directory.getUint32(at + 42, true),
    })
    at = end
  }
  if (at !== directory.byteLength) throw damaged()
  return entries
}

const checkEntries = (entries: readonly ZipEntry[], room: number): void => {
  const names = new Set(entries.map(({ name }) => name))
  if (names.size !== entries.length) throw refused('two of its entries have the same name')
  // Entries that lie over each other are how a small file pretends to be a huge one.
  const taken = entries.reduce((sum, { packed, name }) => sum + LOCAL_HEADER.length + name.length + packed, 0)
  if (taken > room) throw damaged()
}

const dataOf = async (file: Blob, { name, offset, packed }: ZipEntry): Promise<Blob> => {
  const header = await viewOf(file.slice(offset, offset + LOCAL_HEADER.length))
  if (header.byteLength < LOCAL_HEADER.length || header.getUint32(0, true) !== LOCAL_HEADER.signature)
    throw refused(`its entry ${JSON.stringify(name)} is not where it is said to be`, name)
  const start = offset + LOCAL_HEADER.length + header.getUint16(26, true) + header.getUint16(28, true)
  const data = file.slice(start, start + packed)
  if (data.size !== packed) throw damaged()
  return data
}

const piecesOf = (data: Blob): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let at = 0
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = data.slice(at, at + PIECE_BYTES)
        at += PIECE_BYTES
        if (piece.size === 0) controller.close()
        else controller.enqueue(new Uint8Array(await piece.arrayBuffer()))
      },
    },
    { highWaterMark: 0 },
  )
}

async function* readEntry(file: Blob, entry: ZipEntry): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { name, method, size } = entry
  const broken = (): SideloopError => refused(`its entry ${JSON.stringify(name)} is damaged`, name)
  const pieces = piecesOf(await dataOf(file, entry))
  const reader = (method === DEFLATED ? pieces.pipeThrough(new DecompressionStream('deflate-raw')) : pieces).getReader()
  let crc = 0
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw broken()
      })
      if (done) break
      length += value.length
      if (length > size) throw broken()
      crc = crc32(value, crc)
      yield value
    }
    if (length !== size || crc !== entry.crc) throw broken()
  } finally {
    reader.cancel().catch(() => {}) // told by what was thrown above
  }
}

/** Errors: `import/refused` for what is no zip, or one that this reader does not understand. */
export const openZip = async (file: Blob): Promise<ZipReader> => {
  const { view, at } = await findEnd(file)
  const [disk, start, onDisk, count] = [4, 6, 8, 10].map((offset) => view.getUint16(offset, true))
  const [length, offset] = [view.getUint32(12, true), view.getUint32(16, true)]
  if (disk !== 0 || start !== 0 || count === undefined || onDisk !== count) throw refused('it is one part of several')
  if (count === MOST_ENTRIES || length === MOST_BYTES || offset === MOST_BYTES) throw refused('it is larger than can be read here')
  if (offset + length > at) throw damaged()
  const entries = readDirectory(await viewOf(file.slice(offset, offset + length)), count)
  checkEntries(entries, offset)
  return { entries, read: (entry) => readEntry(file, entry) }
}
