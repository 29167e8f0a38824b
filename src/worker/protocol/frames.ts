// What flows on a watch port. The worker sends a frame, the page acknowledges it, and only then comes the next: a page that does
// not read makes nothing grow, because what it has not seen is still in the log.

import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { CallId, Json } from '../../storage/log/content.ts'
import type { ErrorCode } from '../../storage/log/errors.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import type { Waiting } from '../../storage/log/waiting.ts'

/** What is alive beside the log. Sent whole, and only when it changed. */
export type LiveState = {
  readonly status: 'idle' | 'running' | 'disposed'
  readonly options: AgentOptions
  readonly waiting: readonly Waiting[]
  readonly held: boolean
  /** Is it driven by this page's worker, or by that of another tab? */
  readonly driver: 'here' | 'elsewhere'
  readonly storage: { readonly kind: 'ok' } | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
}

export type WatchFrame = {
  /** In order, without gaps, the first one after the last that was sent. */
  readonly events: readonly SessionEvent[]
  /** Events with a seq below this are on disk. */
  readonly stored: number
  readonly live?: LiveState
  readonly progress?: readonly { readonly callId: CallId; readonly data: Json }[]
  /** Another tab drives the session now, and what was seen beyond `stored` may not be in its log: watch again. No frame follows. */
  readonly again?: true
  /** The session is gone; no frame follows. */
  readonly closed?: { readonly code: ErrorCode; readonly message: string }
}

/** From the page: the last frame was applied, or the page looks no longer. */
export type WatchReply = { readonly kind: 'ack' } | { readonly kind: 'close' }
