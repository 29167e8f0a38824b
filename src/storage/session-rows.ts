// What the session adapters share: reading a row, and the rules of claiming and committing. Pure.
import type { SessionId } from './log/content.ts'
import { SideloopError } from './log/errors.ts'
import type { SessionEvent } from './log/events.ts'
import { freezeJson } from './log/lossless-json.ts'
import { readSessionHeader } from './log/session-header.ts'
import type { SessionStatus } from './log/session-summary.ts'
import type { Waiting } from './log/waiting.ts'
import type { SessionCommit, SessionRow, SessionStore } from './session-store.ts'

const STATUS: { readonly [S in SessionStatus]: true } = { idle: true, running: true, waiting: true, failed: true, interrupted: true }

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const SUMMARY: { readonly [field: string]: (value: unknown) => boolean } = {
  id: (value) => typeof value === 'string',
  title: (value) => typeof value === 'string',
  createdAt: Number.isFinite,
  updatedAt: Number.isFinite,
  turns: isCount,
  status: (value) => typeof value === 'string' && Object.hasOwn(STATUS, value),
  cost: (value) => value === null || Number.isFinite(value),
}
const ROW: typeof SUMMARY = {
  ...SUMMARY,
  nextSeq: isCount,
  epoch: isCount,
  options: (value) => value === undefined || (typeof value === 'object' && value !== null),
  held: (value) => value === undefined || typeof value === 'boolean',
}

const misfit = (value: object, fields: typeof SUMMARY): string | undefined =>
  Object.keys(fields).find((field) => !fields[field]!((value as Readonly<Record<string, unknown>>)[field]))

const invalid = (why: string): never => {
  throw new SideloopError('session/invalid', `This session cannot be opened: ${why}. Nothing was changed.`)
}

export const unknownSession = (id: SessionId): SideloopError =>
  new SideloopError(
    'session/unknown',
    `There is no session "${id}" here. It was deleted, or the browser has removed its data; open another one or start a new one.`,
  )

const conflict = (why: string): SideloopError =>
  new SideloopError('storage/conflict', `${why}, so nothing was saved here. Reload the session to go on from what is stored.`)

/** The row, deep-frozen. Errors: `session/unknown` for none, `session/invalid` for one this version cannot read. */
export const readRow = (value: unknown, id: SessionId): SessionRow => {
  if (value === undefined) throw unknownSession(id)
  if (typeof value !== 'object' || value === null) return invalid('its row is damaged')
  const header = readSessionHeader((value as { readonly header?: unknown }).header)
  if (header.id !== id) return invalid(`its header names another session, "${header.id}"`)
  const field = misfit(value, ROW)
  if (field !== undefined) return invalid(`its row has no valid "${field}"`)
  return freezeJson(value as SessionRow, 'row')
}

/**
 * Newest change first. A row whose header this version cannot read is listed all the same, and refused with a clear error when it is
 * opened; what has not even a title is left out.
 */
export const listRows = (values: readonly unknown[], options: Parameters<SessionStore['list']>[0]): readonly SessionRow[] => {
  const query = options.query?.trim().toLowerCase() ?? ''
  const rows = values.filter(
    (value): value is SessionRow => typeof value === 'object' && value !== null && misfit(value, SUMMARY) === undefined,
  )
  const found = query === '' ? rows : rows.filter((row) => row.title.toLowerCase().includes(query))
  found.sort((a, b) => b.updatedAt - a.updatedAt || b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
  return found.slice(0, options.limit).map((row) => freezeJson(row, 'row'))
}

export const newRow = (row: Omit<SessionRow, 'nextSeq' | 'epoch'>): SessionRow => readRow({ ...row, nextSeq: 0, epoch: 0 }, row.id)

export const sessionExists = (id: SessionId): SideloopError => conflict(`A session "${id}" exists already`)

/** `newest`: the last events that are stored. Errors: `session/invalid` when they do not end where the row says. */
export const checkEnd = (row: SessionRow, newest: readonly SessionEvent[]): void => {
  const end = (newest.at(-1)?.seq ?? -1) + 1
  if (end !== row.nextSeq) invalid(`its row says that event ${row.nextSeq} is next, but ${end} is`)
}

export const claimedRow = (row: SessionRow): SessionRow => freezeJson({ ...row, epoch: row.epoch + 1 })

/** The commit as plain frozen data. Errors: `session/invalid` if it is not JSON or its events do not follow each other. */
export const readCommit = (commit: SessionCommit): SessionCommit => {
  const first = commit.events[0]?.seq ?? 0
  const events = commit.events.map((event, i) => {
    if (event.seq !== first + i) return invalid(`event ${first + i} is missing from what was to be saved`)
    // A log's own events are frozen: they were checked when they were appended, and a copy of each would be most of the work here.
    return Object.isFrozen(event) ? event : freezeJson(event)
  })
  return { ...commit, events, ...(commit.inbox !== undefined && { inbox: freezeJson(commit.inbox) }) }
}

/** Errors: `storage/conflict` if another writer has claimed the session since. */
export const checkWriter = (row: SessionRow, epoch: number): SessionRow => {
  if (row.epoch !== epoch) throw conflict('Another tab has taken over this session')
  return row
}

/** Would this row take the commit? */
export const follows = ({ epoch, nextSeq }: SessionRow, commit: SessionCommit): boolean =>
  epoch === commit.epoch && nextSeq === (commit.events[0]?.seq ?? nextSeq)

/** The row after this commit. Errors: `storage/conflict` if another writer was here. */
export const committedRow = (row: SessionRow, commit: SessionCommit): SessionRow => {
  checkWriter(row, commit.epoch)
  const first = commit.events[0]
  if (first !== undefined && first.seq !== row.nextSeq) {
    throw conflict(`Another tab has written to this session (event ${row.nextSeq} is next, not ${first.seq})`)
  }
  const { id, header, epoch } = row
  return freezeJson({ ...row, ...commit.patch, id, header, epoch, nextSeq: row.nextSeq + commit.events.length })
}

/** Was exactly this commit stored already? For repeating one whose outcome is unknown: an epoch has one writer. */
export const isCommitted = (row: SessionRow, { epoch, events }: SessionCommit): boolean => {
  const first = events[0]
  return first !== undefined && row.epoch === epoch && row.nextSeq === first.seq + events.length
}

/** Which seqs a read is about: from (inclusive) to (exclusive). */
export const readRange = (
  row: SessionRow,
  options: Parameters<SessionStore['read']>[1],
): { readonly from: number; readonly to: number } => {
  const from = Math.max(0, options.after + 1)
  return { from, to: Math.max(from, Math.min(row.nextSeq, options.limit === undefined ? row.nextSeq : from + options.limit)) }
}

/** The part of what was stored that was asked for. Errors: `session/invalid` if it is not all there. */
export const takeRange = (events: readonly SessionEvent[], from: number, to: number): readonly SessionEvent[] => {
  if (from >= to) return []
  const start = from - (events[0]?.seq ?? from)
  // The whole list as it is: whoever reads it again knows it.
  const taken = start === 0 && events.length === to - from ? events : events.slice(start, start + to - from)
  if (taken.length !== to - from) invalid(`events ${from + taken.length} to ${to - 1} are missing`)
  return taken
}

const isWaiting = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const { id, content, source, target } = value as Readonly<Record<string, unknown>>
  return (
    typeof id === 'string' &&
    Array.isArray(content) &&
    typeof source === 'object' &&
    source !== null &&
    (target === 'turn' || target === 'step')
  )
}

/** What waits, deep-frozen. Errors: `session/invalid`. */
export const readWaiting = (value: unknown): readonly Waiting[] => {
  if (value === undefined) return freezeJson([])
  if (!Array.isArray(value) || !value.every(isWaiting)) return invalid('its waiting messages are damaged')
  return freezeJson(value as readonly Waiting[], 'inbox')
}
