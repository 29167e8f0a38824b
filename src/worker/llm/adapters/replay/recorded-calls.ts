// The model calls of a session, out of its log alone: what was asked, what came, how it ended. A log is a cassette (K3).
import type { Message } from '../../../../storage/log/content.ts'
import type { RequestHeader, SessionEvent } from '../../../../storage/log/events.ts'
import type { Chunk, ModelFailure } from '../../../../storage/log/model-call.ts'
import { createSessionLog } from '../../../../storage/log/session-log.ts'

export type RecordedCall = {
  readonly turn: number
  readonly step: number
  /** 1 for the first attempt of the step. */
  readonly attempt: number
  /** What `JSON.stringify` gave for the request; `undefined` for a repeated attempt that left nothing in the log but its failure. */
  readonly json: string | undefined
  readonly chunks: readonly Chunk[]
  /** Absent for a reply that came to its finish. `stopped`: the turn was ended while it streamed. */
  readonly ending?: { readonly kind: 'failed'; readonly failure: ModelFailure } | { readonly kind: 'stopped' }
}

type Open = {
  readonly turn: number
  readonly step: number
  readonly start: number
  attempts: number
  inAttempt: boolean
  announced: boolean
}
type Growing = Omit<RecordedCall, 'chunks' | 'ending'> & { readonly chunks: Chunk[]; ending?: NonNullable<RecordedCall['ending']> }

/** The messages that a log with these events derives. */
const deriveFrom = (events: readonly SessionEvent[]): readonly Message[] =>
  createSessionLog({ header: { version: 1, id: 'rebuilt', createdAt: 0 }, now: () => 0, seed: events }).deriveMessages()

const sent = ({ config, system, tools, messagePrefix }: RequestHeader, derived: readonly Message[]): string => {
  const messages = [...(messagePrefix ?? []), ...derived]
  return JSON.stringify({ ...config, messages, ...(system === undefined ? {} : { system }), ...(tools === undefined ? {} : { tools }) })
}

/** A policy that repeats a call says so; without a word of it and without a chunk of the failed attempt, a log cannot tell of it. */
const tellsOfRetry = (event: SessionEvent): boolean =>
  event.type === 'model/retry' || (event.type === 'task/noted' && event.data.name === 'error_continue')

/**
 * The first attempt of a step derived its messages before `step/start`. A later one derived them again before its own first chunk: until
 * that chunk the loop holds back what is injected.
 */
export const recordedCalls = (events: readonly SessionEvent[]): readonly RecordedCall[] => {
  const calls: Growing[] = []
  /** Where the chunks of an answer begin: those before them in the same step are of an attempt that failed. */
  const answeredFrom = new Set(
    events.flatMap((event) => (event.type === 'assistant/message' ? (event.sourceEventSeqs?.slice(0, 1) ?? []) : [])),
  )
  let header: RequestHeader | undefined
  let open: Open | undefined
  let last: Open | undefined

  const add = (boundary: number | undefined): void => {
    if (open === undefined || header === undefined) return
    open.attempts++
    const { turn, step, attempts: attempt } = open
    const json = boundary === undefined ? undefined : sent(header, deriveFrom(events.slice(0, boundary)))
    calls.push({ turn, step, attempt, json, chunks: [] })
  }
  const addFirst = (): void => {
    if (open?.attempts === 0) add(open.start)
  }
  const endAs = (turn: number, ending: NonNullable<RecordedCall['ending']>): void => {
    const latest = calls.at(-1)
    if (latest?.turn === turn && latest.chunks.at(-1)?.type !== 'finish') latest.ending ??= ending
  }

  for (const event of events) {
    if (event.type === 'request/header') header = event.data.header
    if (event.type === 'step/start') last = open = { ...event.data, start: event.seq, attempts: 0, inAttempt: false, announced: false }
    if (event.type === 'turn/end') {
      addFirst()
      const { turn, reason } = event.data
      // A last attempt that left nothing: that it was made is only known from the turn's failing.
      if (reason.kind === 'error' && last?.announced === true && last.turn === turn) {
        calls.push({ turn, step: last.step, attempt: last.attempts + 1, json: undefined, chunks: [] })
      }
      endAs(turn, reason.kind === 'error' ? { kind: 'failed', failure: failureOf(reason) } : { kind: 'stopped' })
      open = undefined
    }
    if (open === undefined) continue
    if (tellsOfRetry(event)) {
      addFirst()
      if (open.announced) add(undefined)
      open.announced = true
      open.inAttempt = false
      endAs(open.turn, { kind: 'failed', failure: event.type === 'model/retry' ? event.data.failure : failureOf(saidIn(event)) })
    }
    if (event.type === 'assistant/chunk') {
      if (open.attempts === 0) addFirst()
      else if (!open.inAttempt || answeredFrom.has(event.seq)) add(event.seq)
      open.inAttempt = event.data.chunk.type !== 'finish'
      open.announced = false
      calls.at(-1)?.chunks.push(event.data.chunk)
    }
    if (event.type === 'step/end') {
      addFirst()
      open = undefined
    }
  }
  return calls
}

const saidIn = ({ data }: SessionEvent): { readonly message: string } => {
  const said = 'data' in data && typeof data.data === 'object' && data.data !== null && 'message' in data.data ? data.data.message : ''
  return { message: String(said) }
}

/** The log says only the words of a failure that ended its turn, or that a person went on after. */
const failureOf = ({ message, code }: { readonly message: string; readonly code?: string }): ModelFailure => ({
  class: 'provider',
  message,
  transient: false,
  ...(code === undefined ? {} : { code }),
})
