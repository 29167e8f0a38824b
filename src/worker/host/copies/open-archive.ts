// A session file of either form, opened: which sessions it holds and how to read them. Nothing is unpacked yet.
import type { BlobId } from '../../../storage/log/content.ts'
import type { SideloopError } from '../../../storage/log/errors.ts'
import { importRefused } from '../../../storage/log/import-refused.ts'
import { readEntryName } from './archive-names.ts'
import { bytesOf, linesOf, type Pieces } from './read-text.ts'
import { openZip, type ZipEntry } from './read-zip.ts'
import type { UnderWay } from './under-way.ts'

/** `name`: what the file calls it, for messages. */
export type ArchivedSession = {
  readonly name: string
  lines(): AsyncGenerator<string>
  /** The tree of its files; undefined when it has none. */
  files(): Promise<Uint8Array | undefined>
}
export type Archive = {
  readonly sessions: readonly ArchivedSession[]
  /** Undefined when the file does not hold it. Errors: `import/refused` if it is damaged or too large. */
  blob(id: BlobId): Promise<Uint8Array<ArrayBuffer> | undefined>
}

const MB = 1024 * 1024
/** Unpacked: one session's log, one list of files, one blob, and everything together. */
export const LIMITS = { log: 512 * MB, files: 16 * MB, blob: 256 * MB, all: 4096 * MB }

const refused = (why: string, entry?: string): SideloopError =>
  importRefused(`The file cannot be imported: ${why}.`, entry === undefined ? undefined : { entry })

const isZip = async (file: Blob): Promise<boolean> => {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  return start[0] === 0x50 && start[1] === 0x4b && (start[2] === 3 || start[2] === 5)
}

async function* piecesOf(file: Blob): Pieces {
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/** Tells with each piece how much of so many bytes is read by now. */
const counted = (total: number, { signal, reached }: UnderWay): ((pieces: Pieces) => Pieces) => {
  let read = 0
  return async function* (pieces) {
    for await (const piece of pieces) {
      signal.throwIfAborted()
      yield piece
      read += piece.length
      reached(read / total)
    }
  }
}

const openPlain = (file: Blob, under: UnderWay): Archive => {
  if (file.size > LIMITS.log) throw refused(`it is larger than ${LIMITS.log / MB} MB`)
  return {
    sessions: [
      { name: 'the file', lines: () => linesOf('the file', counted(file.size, under)(piecesOf(file))), files: async () => undefined },
    ],
    blob: async () => undefined,
  }
}

type Found = { readonly log: Map<number, ZipEntry>; readonly files: Map<number, ZipEntry>; readonly blob: Map<BlobId, ZipEntry> }

const sortEntries = (entries: readonly ZipEntry[]): Found => {
  const found: Found = { log: new Map(), files: new Map(), blob: new Map() }
  for (const entry of entries) {
    const named = readEntryName(entry.name)
    if (named === undefined) throw refused(`${JSON.stringify(entry.name)} does not belong in a session file`, entry.name)
    if (named.kind === 'folder') continue
    if (entry.size > LIMITS[named.kind]) throw refused(`${entry.name} is larger than ${LIMITS[named.kind] / MB} MB`, entry.name)
    if (named.kind === 'blob') found.blob.set(named.id, entry)
    else found[named.kind].set(named.number, entry)
  }
  if (entries.reduce((sum, { size }) => sum + size, 0) > LIMITS.all) throw refused(`it holds more than ${LIMITS.all / MB} MB`)
  for (const [number, { name }] of found.files) if (!found.log.has(number)) throw refused(`${name} has no session beside it`, name)
  return found
}

const openZipped = async (file: Blob, under: UnderWay): Promise<Archive> => {
  const zip = await openZip(file)
  const { log, files, blob } = sortEntries(zip.entries)
  const count = counted(
    zip.entries.reduce((sum, { size }) => sum + size, 0),
    under,
  )
  const read = (entry: ZipEntry): Pieces => count(zip.read(entry))
  const bytes = (entry: ZipEntry): Promise<Uint8Array<ArrayBuffer>> => bytesOf(entry.name, read(entry), entry.size)
  const numbers = [...log.keys()].sort((a, b) => a - b)
  return {
    sessions: numbers.map((number) => {
      const entry = log.get(number)!
      const tree = files.get(number)
      return {
        name: entry.name,
        lines: () => linesOf(entry.name, read(entry)),
        files: async () => tree && bytes(tree),
      }
    }),
    async blob(id) {
      const entry = blob.get(id)
      return entry && bytes(entry)
    },
  }
}

/** Errors: `import/refused`, with the entry that is wrong. */
export const openArchive = async (file: Blob, under: UnderWay): Promise<Archive> => {
  const archive = (await isZip(file)) ? await openZipped(file, under) : openPlain(file, under)
  if (archive.sessions.length === 0) throw refused('it holds no session')
  return archive
}
