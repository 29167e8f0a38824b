// Session files written: one session or all of them, page by page, so that a long one keeps nobody waiting (S12).
import { readFileTree, type TreeEntry, writeFileTree } from '../../../storage/file-tree.ts'
import { blobsOf } from '../../../storage/log/blob-refs.ts'
import type { BlobId, SessionId } from '../../../storage/log/content.ts'
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import { eventLine, headerLine } from '../../../storage/log/session-file.ts'
import { unknownSession } from '../../../storage/session-rows.ts'
import type { SessionRow } from '../../../storage/session-store.ts'
import type { Stores } from '../../../storage/stores.ts'
import type { SessionsFile } from '../../protocol/agent-host.ts'
import { blobName, filesName, logName } from './archive-names.ts'
import { partOf, type UnderWay } from './under-way.ts'
import { createZip, type ZipWriter } from './write-zip.ts'

export type ExportParts = {
  readonly stores: Stores
  readonly now: () => number
  /** Resolves when what this worker holds of the session is stored. */
  readonly settle: (id: SessionId) => Promise<void>
}

/** `blobs`: what the log, the trees that it names and the files need. */
type Gathered = { readonly log: Blob; readonly files: readonly TreeEntry[]; readonly blobs: ReadonlySet<BlobId> }

const PAGE = 1000
/** The share of a session's time that goes by before its log is read. */
const READING = 0.5

const lost = (id: BlobId): SideloopError =>
  new SideloopError('storage/lost', `The content ${id} is missing from the browser's database, so this session cannot be exported whole.`)

const gather = async (
  { stores: { sessions, files, blobs }, settle }: ExportParts,
  id: SessionId,
  { signal, reached }: UnderWay,
): Promise<Gathered> => {
  await settle(id)
  const row = await sessions.get(id)
  if (row === undefined) throw unknownSession(id)
  const needed = new Set<BlobId>()
  const lines = [`${headerLine(row.header, row.nextSeq)}\n`]
  for (let after = -1; after + 1 < row.nextSeq; after += PAGE) {
    signal.throwIfAborted()
    reached((after + 1) / row.nextSeq)
    const events = await sessions.read(id, { after, limit: Math.min(PAGE, row.nextSeq - after - 1) })
    lines.push(events.map((event) => `${eventLine(event)}\n`).join(''))
    for (const event of events) {
      for (const blob of blobsOf(event)) needed.add(blob)
      if (event.type !== 'files/snapshot') continue
      const tree = await blobs.get(event.data.tree)
      if (tree === undefined) throw lost(event.data.tree)
      for (const { blob } of readFileTree(tree)) needed.add(blob)
    }
  }
  const present = await files.list(id, '/')
  for (const { blob } of present) needed.add(blob)
  return { log: new Blob(lines), files: present, blobs: needed }
}

const blobOfBytes = (bytes: Uint8Array): Blob => new Blob([bytes.slice()])

/** A file that is changed between the reading of the list and that of its content makes another reading necessary. */
const MOST_READINGS = 3

/** A zip in the making. `added`: the blobs that it has. */
type Packing = { readonly parts: ExportParts; readonly zip: ZipWriter; readonly added: Set<BlobId>; readonly under: UnderWay }

/** Adds the blobs that the zip does not have yet, and gives what else there is to add. */
const addBlobs = async ({ parts, zip, added, under }: Packing, id: SessionId, first: Gathered): Promise<Gathered> => {
  const add = async (blob: BlobId): Promise<void> => {
    const bytes = await parts.stores.blobs.get(blob)
    if (bytes === undefined) throw lost(blob)
    await zip.add(blobName(blob), blobOfBytes(bytes))
    added.add(blob)
  }
  for (let gathered = first, readings = 1; ; readings++) {
    try {
      const missing = [...gathered.blobs].filter((blob) => !added.has(blob))
      for (const [at, blob] of missing.entries()) {
        under.signal.throwIfAborted()
        under.reached(at / missing.length)
        await add(blob)
      }
      return gathered
    } catch (error) {
      if (readings === MOST_READINGS || !(error instanceof SideloopError && error.code === 'storage/lost')) throw error
      gathered = await gather(parts, id, { ...under, reached: () => {} })
    }
  }
}

const addSession = async (packing: Packing, number: number, id: SessionId, first: Gathered): Promise<void> => {
  const { log, files } = await addBlobs(packing, id, first)
  await packing.zip.add(logName(number), log)
  if (files.length > 0) await packing.zip.add(filesName(number), blobOfBytes(writeFileTree(files)))
}

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** Letters and digits of every script, and hyphens: safe in every file system. */
const fileName = (title: string, now: number): string => {
  const words =
    title
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-')
      .toLowerCase() ?? ''
  return `${Array.from(words).slice(0, 40).join('') || 'session'}-${dayOf(now)}`
}

const titleOf = async ({ stores: { sessions } }: ExportParts, id: SessionId): Promise<string> => (await sessions.get(id))?.title ?? ''

/** Errors: `session/unknown`, `session/invalid` for one that this version cannot read, the `storage/*` codes. */
export const exportSession = async (
  parts: ExportParts,
  { sessionId }: { readonly sessionId: SessionId },
  under: UnderWay,
): Promise<SessionsFile> => {
  const gathered = await gather(parts, sessionId, partOf(under, 0, READING))
  const name = fileName(await titleOf(parts, sessionId), parts.now())
  if (gathered.blobs.size === 0) return { name: `${name}.jsonl`, file: new Blob([gathered.log], { type: 'application/jsonl' }) }
  const zip = createZip(under.signal)
  await addSession({ parts, zip, added: new Set(), under: partOf(under, READING, 1) }, 1, sessionId, gathered)
  return { name: `${name}.sideloop.zip`, file: zip.end() }
}

type Everything = SessionsFile & {
  readonly skipped: readonly { readonly sessionId: SessionId; readonly title: string; readonly message: string }[]
}

/** A session that cannot be read keeps no other from being saved: it is named in `skipped`. */
const isOfOne = (error: unknown): boolean =>
  error instanceof SideloopError && ['session/invalid', 'session/unknown', 'storage/lost'].includes(error.code)

/** Every session, those of helpers too. Settings and keys are never in it. */
export const exportAll = async (parts: ExportParts, under: UnderWay): Promise<Everything> => {
  const zip = createZip(under.signal)
  const added = new Set<BlobId>()
  const skipped: { sessionId: SessionId; title: string; message: string }[] = []
  let number = 0
  const rows: readonly SessionRow[] = await parts.stores.sessions.list({})
  for (const [at, { id, title }] of rows.entries()) {
    try {
      const own = partOf(under, at / rows.length, (at + 1) / rows.length)
      const gathered = await gather(parts, id, partOf(own, 0, READING))
      await addSession({ parts, zip, added, under: partOf(own, READING, 1) }, number + 1, id, gathered)
      number += 1
    } catch (error) {
      if (!isOfOne(error)) throw error
      skipped.push({ sessionId: id, title, message: messageOf(error) })
    }
  }
  return { name: `sideloop-${dayOf(parts.now())}.sideloop.zip`, file: zip.end(), skipped }
}
