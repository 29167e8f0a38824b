// A fork: a new session that begins with another one's first events, and has the files that were there at that point (S11).
import { type FileTree, readFileTree } from '../../../storage/file-tree.ts'
import type { SessionId } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { SessionEvent, SessionHeader } from '../../../storage/log/events.ts'
import { freezeJson } from '../../../storage/log/lossless-json.ts'
import type { PricesOf } from '../../../storage/log/projections/account.ts'
import { repairEvents } from '../../../storage/log/repair.ts'
import type { SessionRow } from '../../../storage/session-store.ts'
import type { Stores } from '../../../storage/stores.ts'
import { rowOf, summaryOf } from './row-of.ts'

export type ForkParts = {
  readonly stores: Stores
  readonly newId: () => string
  readonly now: () => number
  readonly pricesOf: PricesOf
  /** Resolves when what this worker holds of the session is stored. */
  readonly settle: (id: SessionId) => Promise<void>
}

/** The tab that drives a session is ahead of what is stored by a tenth of a second at most. In milliseconds. */
const WAITS = [50, 100, 200]

/** The row, once it has so many events. Errors: `session/unknown`, `command/invalid`. */
const rowWith = async ({ stores: { sessions }, settle }: ForkParts, id: SessionId, length: number): Promise<SessionRow> => {
  await settle(id)
  for (const wait of [...WAITS, 0]) {
    const row = await sessions.get(id)
    if (row === undefined) throw new SideloopError('session/unknown', `There is no session "${id}" here. It may have been deleted.`)
    if (row.nextSeq >= length) return row
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
  throw new SideloopError('command/invalid', `The session "${id}" has no ${length} events yet, so it cannot be forked there.`)
}

/** A turn, or a task run, in which nothing was said yet was not begun: what is left of it would only be closed as interrupted. */
const cutOf = (outline: readonly SessionEvent[], beforeSeq: number): number => {
  const begun = outline.filter(({ type }) => type !== 'files/snapshot')
  const turn = begun.at(-1)
  const run = begun.at(-2)
  if (turn?.type !== 'turn/start') return beforeSeq
  return run?.type === 'task/started' ? run.seq : turn.seq
}

/** What closes the prefix, if it ends in the middle of a turn, or of a task run between two of its turns. */
const closersOf = async (
  { sessions }: Stores,
  id: SessionId,
  prefix: readonly SessionEvent[],
  length: number,
): Promise<readonly SessionEvent[]> => {
  const edge = prefix.findLast(({ type }) => type === 'turn/start' || type === 'turn/end')
  if (edge?.type !== 'turn/start') return repairEvents(prefix)
  const turn = await sessions.read(id, { after: edge.seq - 1, limit: length - edge.seq })
  return repairEvents([...prefix.filter(({ seq }) => seq < edge.seq), ...turn])
}

const FORK = / \(fork(?: \d+)?\)$/

/** A fork of a fork is one more of the same: the first number that no session has. */
const nameOf = async ({ sessions }: Stores, title: string): Promise<string> => {
  const original = title.replace(FORK, '')
  const taken = new Set((await sessions.list({ query: original })).map((row) => row.title))
  let name = `${original} (fork)`
  for (let number = 2; taken.has(name); number++) name = `${original} (fork ${number})`
  return name
}

/** A session without a title gets one from its first message, as any other. */
const titleEvent = async (
  stores: Stores,
  header: SessionHeader,
  events: readonly SessionEvent[],
  seq: number,
): Promise<readonly SessionEvent[]> => {
  const { title, titleBy } = summaryOf(header, events)
  if (title === '') return []
  const data = { title: await nameOf(stores, title), by: titleBy === 'user' ? 'user' : 'plugin' } as const
  return [freezeJson({ type: 'session/title', seq, time: header.createdAt, data })]
}

/** The newest tree that the log names there; the present one of a session whose log has never named any. */
const treeOf = async ({ whole, blobs, files }: Stores, row: SessionRow, outline: readonly SessionEvent[]): Promise<FileTree> => {
  const newest = outline.findLast(({ type }) => type === 'files/snapshot')
  if (newest?.type === 'files/snapshot') {
    const bytes = await blobs.get(newest.data.tree)
    if (bytes !== undefined) return readFileTree(bytes)
    throw new SideloopError('storage/lost', 'The files as they were at that point are missing here, so the session cannot be forked there.')
  }
  const present = await files.list(row.id, '/')
  if (present.length === 0) return []
  const later = await whole.outline(row.id, { before: row.nextSeq })
  if (later.some(({ type }) => type === 'files/snapshot')) return []
  // A fork shares what the session claims; that a file has it is no claim of the session.
  await blobs.claim(
    present.map(({ blob }) => blob),
    row.id,
  )
  return present
}

/**
 * The parent need not be driven by anybody, and may be at work. The options are the parent's; what waits in its inbox stays there.
 * Errors: `session/unknown`, `session/invalid`, `command/invalid` for a point that is not in the log, the `storage/*` codes.
 */
export const forkSession = async (
  parts: ForkParts,
  { sessionId, beforeSeq }: { readonly sessionId: SessionId; readonly beforeSeq: number },
): Promise<{ readonly sessionId: SessionId }> => {
  const { stores, newId, now } = parts
  const parent = await rowWith(parts, sessionId, beforeSeq)
  const outline = await stores.whole.outline(sessionId, { before: beforeSeq })
  const length = cutOf(outline, beforeSeq)
  const prefix = outline.filter(({ seq }) => seq < length)
  const closers = await closersOf(stores, sessionId, prefix, length)
  const { cwd } = parent.header
  const header: SessionHeader = {
    version: 1,
    id: newId(),
    createdAt: now(),
    ...(cwd !== undefined && { cwd }),
    parentSession: sessionId,
    seedLength: length,
  }
  const closed = [...prefix, ...closers]
  const more = [...closers, ...(await titleEvent(stores, header, closed, length + closers.length))]
  await stores.whole.fork({
    from: sessionId,
    length,
    row: rowOf(header, [...prefix, ...more], { options: parent.options, pricesOf: parts.pricesOf }),
    more,
    files: await treeOf(stores, parent, outline),
  })
  return { sessionId: header.id }
}
