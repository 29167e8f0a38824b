// What a list of sessions shows, kept beside the log so that a list never reads one.
import type { SessionId } from './content.ts'

/** `waiting`: for the person. `failed`, `interrupted`: how the last turn ended. */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'failed' | 'interrupted'

/** Times in epoch milliseconds, cost in US dollars (null: no price is known). */
export type SessionSummary = {
  readonly id: SessionId
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly turns: number
  readonly status: SessionStatus
  readonly cost: number | null
}
