// The line to the other tabs, as those who drive sessions use it.
import type { SessionId } from '../../../storage/log/content.ts'

export interface Room {
  /** Who drives this session? The answer comes to the hand-over. */
  ask(id: SessionId): void
  /** It is driven here now. */
  announce(id: SessionId, tenure: string): void
  /** Asks whoever drives it to store and stop, and resolves when that is done. Never when nobody answers. */
  askToStop(id: SessionId): Promise<void>
}
