// The requests of a session rebuilt from its log alone (L6), as JSON to be compared with what was sent.
import type { Json } from '../../src/storage/log/content.ts'
import type { SessionEvent } from '../../src/storage/log/events.ts'
import { recordedCalls } from '../../src/worker/llm/adapters/replay/recorded-calls.ts'

export type RebuiltRequest = {
  readonly turn: number
  readonly step: number
  /** 1 for the first attempt of the step. */
  readonly attempt: number
  readonly json: string
}

/** A repeated attempt that left no chunk is not among them. */
export const rebuildRequests = (events: readonly SessionEvent[]): readonly RebuiltRequest[] =>
  recordedCalls(events).flatMap(({ turn, step, attempt, json }) => (json === undefined ? [] : [{ turn, step, attempt, json }]))

/** What `JSON.stringify` gives for a request, key by key, for a readable difference. */
export const parsed = (json: string): Json => JSON.parse(json)
