// A bare log with a clock that ticks, and what its observer saw.
import type { Source } from '../../../src/storage/log/content.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { createSessionLog, type SessionLog } from '../../../src/storage/log/session-log.ts'

export type WatchedLog = { readonly log: SessionLog; readonly seen: readonly SessionEvent[] }

export const newLog = (
  options: { readonly seed?: Iterable<SessionEvent>; readonly now?: () => number; readonly onEvent?: (event: SessionEvent) => void } = {},
): WatchedLog => {
  const seen: SessionEvent[] = []
  let time = 1000
  const log = createSessionLog({
    header: { version: 1, id: 'session-1', createdAt: 1 },
    now: () => time++,
    onEvent: (event) => void seen.push(event),
    ...options,
  })
  return { log, seen }
}

export const user: Source = { kind: 'user' }
export const words = (text: string) => [{ type: 'text', text }] as const

/** What a caller without types may pass. */
export const wrong = (value: unknown): never => value as never

export const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen))
