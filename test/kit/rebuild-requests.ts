// Rebuilds the requests of a session from its log alone (L6). Pure: what it gives is JSON, to be compared with what was sent.
import type { Json, Message } from '../../src/storage/log/content.ts'
import type { RequestHeader, SessionEvent } from '../../src/storage/log/events.ts'
import { deriveFrom } from './check-log.ts'

export type RebuiltRequest = {
  readonly turn: number
  readonly step: number
  /** 1 for the first attempt of the step. */
  readonly attempt: number
  readonly json: string
}

const sent = ({ config, system, tools, messagePrefix }: RequestHeader, derived: readonly Message[]): string => {
  const messages = [...(messagePrefix ?? []), ...derived]
  return JSON.stringify({ ...config, messages, ...(system === undefined ? {} : { system }), ...(tools === undefined ? {} : { tools }) })
}

/** A policy that repeats a call says so; without a word of it and without a chunk of the failed attempt, a log cannot tell of it. */
const tellsOfRetry = (event: SessionEvent): boolean =>
  event.type === 'model/retry' || (event.type === 'task/noted' && event.data.name === 'error_continue')

/**
 * The first attempt of a step derived its messages before `step/start`. A later one derived them again before its own first chunk: until
 * that chunk the loop holds back what is injected. A repeated attempt that left no chunk is not among them.
 */
export const rebuildRequests = (events: readonly SessionEvent[]): readonly RebuiltRequest[] => {
  const rebuilt: RebuiltRequest[] = []
  /** Where the chunks of an answer begin: those before them in the same step are of an attempt that failed. */
  const answeredFrom = new Set(
    events.flatMap((event) => (event.type === 'assistant/message' ? (event.sourceEventSeqs?.slice(0, 1) ?? []) : [])),
  )
  let header: RequestHeader | undefined
  let open:
    | { readonly turn: number; readonly step: number; readonly start: number; attempts: number; inAttempt: boolean; announced: boolean }
    | undefined

  const add = (boundary: number): void => {
    if (open === undefined || header === undefined) return
    open.attempts++
    const { turn, step, attempts: attempt } = open
    rebuilt.push({ turn, step, attempt, json: sent(header, deriveFrom(events.slice(0, boundary))) })
  }
  const addFirst = (): void => {
    if (open?.attempts === 0) add(open.start)
  }

  for (const event of events) {
    if (event.type === 'request/header') header = event.data.header
    if (event.type === 'step/start') open = { ...event.data, start: event.seq, attempts: 0, inAttempt: false, announced: false }
    if (open === undefined) continue
    if (tellsOfRetry(event)) {
      addFirst()
      if (open.announced) open.attempts++ // the one announced before has left nothing
      open.announced = true
      open.inAttempt = false
    }
    if (event.type === 'assistant/chunk') {
      if (open.attempts === 0) addFirst()
      else if (!open.inAttempt || answeredFrom.has(event.seq)) add(event.seq)
      open.inAttempt = event.data.chunk.type !== 'finish'
      open.announced = false
    }
    if (event.type === 'step/end') {
      addFirst()
      open = undefined
    }
  }
  return rebuilt
}

/** What `JSON.stringify` gives for a request, key by key, for a readable difference. */
export const parsed = (json: string): Json => JSON.parse(json)
