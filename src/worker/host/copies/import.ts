// Session files read: everything is checked before anything is there, and then all of it is (S12).
import { type FileTree, readFileTree } from '../../../storage/file-tree.ts'
import type { AgentOptions } from '../../../storage/log/agent-options.ts'
import { blobsOf } from '../../../storage/log/blob-refs.ts'
import type { BlobId, SessionId } from '../../../storage/log/content.ts'
import { type PackedEvent, packEvents } from '../../../storage/log/delta-runs.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { SessionEvent, SessionHeader } from '../../../storage/log/events.ts'
import { importRefused } from '../../../storage/log/import-refused.ts'
import type { PricesOf } from '../../../storage/log/projections/account.ts'
import { createSessionFileReader, type FiledSession } from '../../../storage/log/session-file.ts'
import { idleEvents } from '../../../storage/log/session-file-idle.ts'
import type { Stores } from '../../../storage/stores.ts'
import type { SessionArrival } from '../../../storage/whole-sessions.ts'
import type { Leases } from '../tabs/lease.ts'
import { withHolder } from './holder.ts'
import { type Archive, type ArchivedSession, openArchive } from './open-archive.ts'
import { rowOf } from './row-of.ts'
import { partOf, type UnderWay } from './under-way.ts'

export type ImportParts = {
  readonly stores: Stores
  readonly leases: Leases
  readonly newId: () => string
  readonly pricesOf: PricesOf
  /** What the imported sessions go on with: which models there are is not the file's to say. */
  readonly chosen: () => Promise<AgentOptions>
}

/** A session of the file before it has its place here. `trees`: blobs that name further blobs. */
type Read = Omit<SessionArrival, 'row' | 'blobs'> & {
  readonly name: string
  readonly header: SessionHeader
  readonly named: ReadonlySet<BlobId>
  readonly trees: ReadonlySet<BlobId>
  row(header: SessionHeader, options: AgentOptions): SessionArrival['row']
}

const refused = (message: string, entry: string): SideloopError => importRefused(message, { entry })

/** Events of a part, and how many are worked on before others get their turn. */
const PART = 1000
const AT_ONCE = 5000
/** The share of the time that goes by before everything is read: of a long log it was two thirds. */
const READING = 0.7
/** Also whoever wants to stop it. */
const turnOfOthers = async (signal: AbortSignal): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve))
  signal.throwIfAborted()
}

const readLog = async ({ lines, name }: ArchivedSession, signal: AbortSignal): Promise<FiledSession> => {
  const reader = createSessionFileReader()
  let count = 0
  try {
    for await (const line of lines()) {
      reader.take(line)
      if (++count % AT_ONCE === 0) await turnOfOthers(signal)
    }
    return reader.end()
  } catch (error) {
    if (error instanceof SideloopError && error.code === 'import/refused') throw inEntry(error, name)
    throw error
  }
}

/** The same refusal, with the entry that it is about. */
const inEntry = ({ message, details }: SideloopError, entry: string): SideloopError =>
  importRefused(entry === 'the file' ? message : `${entry}: ${message}`, { ...(typeof details === 'object' ? details : {}), entry })

const packAll = async (events: readonly SessionEvent[], signal: AbortSignal): Promise<readonly (readonly PackedEvent[])[]> => {
  const parts: (readonly PackedEvent[])[] = []
  for (let at = 0; at < events.length; at += PART) {
    parts.push(packEvents(events.slice(at, at + PART)))
    if (at % AT_ONCE === 0) await turnOfOthers(signal)
  }
  return parts
}

const readTree = (name: string, bytes: Uint8Array): FileTree => {
  try {
    return readFileTree(bytes)
  } catch (error) {
    if (error instanceof SideloopError) throw refused(`${name} cannot be imported: ${error.message}`, name)
    throw error
  }
}

const readSession = async (archived: ArchivedSession, pricesOf: PricesOf, signal: AbortSignal): Promise<Read> => {
  const { name } = archived
  const { header, events: filed } = await readLog(archived, signal)
  const events = [...filed, ...idleEvents(filed)]
  const bytes = await archived.files()
  const files = bytes === undefined ? [] : readTree(`The list of files beside ${name}`, bytes)
  const trees = events.flatMap((event) => (event.type === 'files/snapshot' ? [event.data.tree] : []))
  // All that needs the events is asked now: of a long session only the packed ones stay in memory.
  const { header: _, id: _id, options: _options, ...summary } = rowOf(header, events, { options: undefined, pricesOf })
  return {
    name,
    header,
    parts: await packAll(events, signal),
    files,
    named: new Set(events.flatMap(blobsOf)),
    trees: new Set(trees),
    row: (given, options) => ({ ...summary, id: given.id, header: given, options }),
  }
}

/** Brings one blob in, held by the holder; gives its bytes. */
const bringIn = async (parts: ImportParts, archive: Archive, holder: string, id: BlobId, name: string): Promise<Uint8Array> => {
  const bytes = await archive.blob(id)
  if (bytes === undefined) throw refused(`${name} names the content ${id}, which is not in the file. Export the session again.`, name)
  if ((await parts.stores.blobs.put(bytes, holder)) !== id)
    throw refused(`The content ${id} was changed: it is not what its name says.`, id)
  return bytes
}

/** All blobs of the sessions; gives what each session claims of them. */
const bringAllIn = async (
  parts: ImportParts,
  archive: Archive,
  holder: string,
  sessions: readonly Read[],
): Promise<ReadonlyMap<Read, readonly BlobId[]>> => {
  const sizes = new Map<BlobId, number>()
  const need = async (id: BlobId, name: string): Promise<void> => {
    if (!sizes.has(id)) sizes.set(id, (await bringIn(parts, archive, holder, id, name)).byteLength)
  }
  const needFiles = async (tree: FileTree, name: string): Promise<void> => {
    for (const { path, blob, size } of tree) {
      await need(blob, name)
      if (sizes.get(blob) !== size) throw refused(`${name} says of ${path} that it holds ${size} bytes, which is not so.`, name)
    }
  }
  const claims = new Map<Read, readonly BlobId[]>()
  for (const session of sessions) {
    const { name, named, trees, files } = session
    const claimed = new Set(named)
    for (const id of trees) {
      const bytes = await bringIn(parts, archive, holder, id, name)
      sizes.set(id, bytes.byteLength)
      const tree = readTree(`A list of files in ${name}`, bytes)
      await needFiles(tree, name)
      for (const { blob } of tree) claimed.add(blob)
    }
    for (const id of named) await need(id, name)
    await needFiles(files, name)
    claims.set(session, [...claimed])
  }
  return claims
}

const GOOD_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** A session keeps its id where that is free; else it gets a new one, and so do the names by which others in the file know it. */
const settleIds = async (
  { stores: { sessions }, newId }: ImportParts,
  read: readonly Read[],
): Promise<ReadonlyMap<SessionId, SessionId>> => {
  const ids = new Map<SessionId, SessionId>()
  for (const { header, name } of read) {
    if (ids.has(header.id)) throw refused(`${name} is the session "${header.id}", which is in the file already.`, name)
    const isFree = GOOD_ID.test(header.id) && (await sessions.get(header.id).catch(() => header.id)) === undefined
    ids.set(header.id, isFree ? header.id : newId())
  }
  return ids
}

/** A helper's session is seen through its parent: one that comes without it stands for itself. */
const settledHeader = (header: SessionHeader, ids: ReadonlyMap<SessionId, SessionId>): SessionHeader => {
  const { parentSession, depth, ...rest } = header
  const parent = parentSession === undefined ? undefined : ids.get(parentSession)
  const known = parent ?? parentSession
  return {
    ...rest,
    id: ids.get(header.id) ?? header.id,
    ...(known !== undefined && { parentSession: known }),
    ...(depth !== undefined && parent !== undefined && { depth }),
  }
}

/**
 * All sessions of a file, or none. They are idle, go on with the model that is chosen here, and grant no permission. Errors:
 * `import/refused` with what is wrong where, the `storage/*` codes.
 */
export const importFile = async (
  parts: ImportParts,
  { file }: { readonly file: Blob },
  under: UnderWay,
): Promise<{ readonly sessions: readonly { readonly sessionId: SessionId; readonly title: string }[] }> => {
  const { signal } = under
  const archive = await openArchive(file, partOf(under, 0, READING))
  const read: Read[] = []
  for (const archived of archive.sessions) read.push(await readSession(archived, parts.pricesOf, signal))
  const ids = await settleIds(parts, read)
  const options = await parts.chosen()
  return withHolder(parts, async (holder) => {
    const claims = await bringAllIn(parts, archive, holder, read)
    const arrivals = read.map((session): SessionArrival => {
      const { parts: packed, files, header } = session
      return { row: session.row(settledHeader(header, ids), options), parts: packed, files, blobs: claims.get(session) ?? [] }
    })
    signal.throwIfAborted() // from here on it is all there, or fails by itself
    await parts.stores.whole.add(arrivals, holder)
    const shown = arrivals.filter(({ row }) => (row.header.depth ?? 0) === 0)
    return { sessions: shown.map(({ row }) => ({ sessionId: row.id, title: row.title })) }
  })
}
