// Rows that lists on the page show.
import type { SessionId } from '../../storage/log/content.ts'
import type { SessionSummary } from '../../storage/log/session-summary.ts'

/** `forkOf`: the session whose first `length` events it began with. That one may be deleted by now. */
export type SessionListed = SessionSummary & { readonly forkOf?: { readonly sessionId: SessionId; readonly length: number } }

/** `size` in bytes, `modifiedAt` in epoch milliseconds; `version` rises by one with each write. */
export type FileView = { readonly path: string; readonly size: number; readonly version: number; readonly modifiedAt: number }
