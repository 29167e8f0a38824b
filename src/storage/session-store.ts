// The port for sessions: a row each, their events in order, and what waits in their inbox.
import type { AgentOptions } from './log/agent-options.ts'
import type { SessionId } from './log/content.ts'
import type { SessionEvent, SessionHeader } from './log/events.ts'
import type { SessionSummary } from './log/session-summary.ts'
import type { Waiting } from './log/waiting.ts'

export type SessionRow = SessionSummary & {
  readonly header: SessionHeader
  /** The seq of the next event: what is stored is 0 … nextSeq − 1. */
  readonly nextSeq: number
  /** Raised by each claim; a writer with an older one is refused. */
  readonly epoch: number
  /** The agent's options (provider, model …), so that a reopened session goes on with them. */
  readonly options?: AgentOptions
  /** What waits was held by a person: a reopened session must not run it by itself. */
  readonly held?: boolean
}

/** The parts of a row that a writer may change. */
export type SessionPatch = Partial<Pick<SessionRow, 'title' | 'updatedAt' | 'turns' | 'status' | 'cost' | 'options' | 'held'>>

/** All of it is stored in one transaction, or nothing. */
export type SessionCommit = {
  readonly sessionId: SessionId
  readonly epoch: number
  /** Contiguous, the first one at the row's `nextSeq`. May be empty. */
  readonly events: readonly SessionEvent[]
  /** The whole list of what waits from now on, in order; absent: unchanged. */
  readonly inbox?: readonly Waiting[]
  readonly patch?: SessionPatch
}

/**
 * Errors: `session/unknown`, `session/invalid` (an event or row this version cannot read; nothing is changed),
 * `storage/conflict` (another writer was here: the epoch or `nextSeq` differs), `storage/quota`, `storage/blocked`,
 * `storage/lost`, `storage/unavailable`.
 */
export interface SessionStore {
  create(row: Omit<SessionRow, 'nextSeq' | 'epoch'>): Promise<void>
  /** Newest first. `query` matches titles without regard to case. */
  list(options: { readonly query?: string; readonly limit?: number }): Promise<readonly SessionRow[]>
  get(id: SessionId): Promise<SessionRow | undefined>
  /** Makes the caller the writer: raises the epoch and gives the row as it is then. */
  claim(id: SessionId): Promise<SessionRow>
  /** `strict` is a barrier: it resolves when the operating system was told to put it on disk. */
  commit(commit: SessionCommit, durability: 'relaxed' | 'strict'): Promise<void>
  /**
   * Makes fuller pieces out of what was stored in small ones; what is read stays the same. Does one short transaction's worth, and
   * gives where to go on: at once if there is `more`, else after further commits. For the writer only.
   */
  merge(
    id: SessionId,
    options: { readonly epoch: number; readonly from: number },
  ): Promise<{ readonly from: number; readonly more: boolean }>
  /** Events with a seq above `after` (−1: all), in order and without gaps. */
  read(id: SessionId, options: { readonly after: number; readonly limit?: number }): Promise<readonly SessionEvent[]>
  waiting(id: SessionId): Promise<readonly Waiting[]>
  /** Removes the session, its segments and its inbox. Removing what is not there is no error. */
  remove(id: SessionId): Promise<void>
}
