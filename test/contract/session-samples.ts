// Rows and events for the storage suites.
import type { EventOf, EventType, SessionEvent, SessionEventData, SurfacePlace } from '../../src/storage/log/events.ts'
import type { Waiting } from '../../src/storage/log/waiting.ts'
import type { SessionRow } from '../../src/storage/session-store.ts'

export const START = 1_700_000_000_000

export const rowOf = (id: string, part: Partial<SessionRow> = {}): Omit<SessionRow, 'nextSeq' | 'epoch'> => ({
  id,
  title: `Session ${id}`,
  createdAt: START,
  updatedAt: START,
  turns: 0,
  status: 'idle',
  cost: null,
  header: { version: 1, id, createdAt: START, cwd: '/' },
  ...part,
})

export const eventOf = <T extends EventType>(seq: number, type: T, data: SessionEventData[T], place?: SurfacePlace): SessionEvent =>
  ({ type, seq, time: START + seq, data, ...place }) as EventOf<T> as SessionEvent

export const delta = (seq: number, text: string, index = 0): SessionEvent =>
  eventOf(seq, 'assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index, text } })

/** `turn/start`, a prompt, `step/start`, then deltas up to `length` events in all. */
export const logOf = (length: number, from = 0): readonly SessionEvent[] => {
  const source = { kind: 'user' } as const
  const start: readonly SessionEvent[] = [
    eventOf(0, 'turn/start', { turn: 1, trigger: { kind: 'message', source } }),
    eventOf(1, 'user/message', { id: 'message-1', content: [{ type: 'text', text: 'Hello' }], source }, { surfaceOp: 'append' }),
    eventOf(2, 'step/start', { turn: 1, step: 1 }),
  ]
  return Array.from({ length }, (_, seq) => start[seq] ?? delta(seq, `word ${seq} `)).slice(from)
}

export const waitingOf = (id: string, target: Waiting['target'] = 'turn'): Waiting => ({
  id,
  content: [{ type: 'text', text: `Later: ${id}` }],
  source: { kind: 'user' },
  target,
})

/** What another version or a damaged database may hold, passed off as ours. */
export const foreign = <T>(value: object): T => JSON.parse(JSON.stringify(value))
