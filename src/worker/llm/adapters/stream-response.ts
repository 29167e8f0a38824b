// One streamed model call over plain fetch: send, read bytes as they come, hand them to a reader, yield its chunks. Ends settled.
import { messageOf } from '../../../storage/log/errors.ts'
import type { Chunk, ModelFailure } from '../../../storage/log/model-call.ts'
import { orAborted } from '../../hooks/or-aborted.ts'
import { explainBrokenStream, explainFetchFailure, type Surroundings } from '../explain-fetch-failure.ts'
import { classifyFailure } from '../failures.ts'
import { modelCallError } from '../model-call-error.ts'
import type { ReplyReader } from '../wire/reply-reader.ts'
import { type StallWatch, stallWatch, type Timers } from './stall-watch.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type Transport = {
  /** Default: the platform's. */
  readonly fetch?: Fetch
  /** How long a stream may be quiet after its first byte. Default 90,000 ms; `Infinity` for never. Before that nothing is limited. */
  readonly stallMs?: number
  /** Where the call is made from, for the explanation of a failure that a browser keeps to itself. */
  readonly surroundings?: () => Surroundings
  readonly timers?: Timers
  /** Epoch milliseconds, to read dates in headers. Default: the platform's. */
  readonly now?: () => number
}

export type ModelCall = {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Taken out of every message before it is shown. */
  readonly secret?: string
}

/** A request that was written, and the reader of its reply. */
export type WrittenCall = { readonly call: ModelCall; readonly reader: (emit: (chunk: Chunk) => void) => ReplyReader }

const DEFAULT_STALL_MS = 90_000
const PLATFORM_TIMERS: Timers = {
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (id) => clearTimeout(id as Parameters<typeof clearTimeout>[0]),
}

/** Begins with the first pull. Fails with a `ModelCallError`, or with the signal's reason as soon as it is aborted. */
export async function* streamResponse(
  write: () => Promise<WrittenCall>,
  transport: Transport,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk, void, undefined> {
  const { call, reader: makeReader } = await write()
  const connection = new AbortController()
  const response = await openResponse(call, transport, signal, connection)
  const body = response.body?.getReader()
  let stalled = false
  const stopReading = () => {
    connection.abort()
    // Ends a read that is waiting, also where the transport does not listen to its signal.
    body?.cancel().catch(() => {}) // the stream is given up: how its end went concerns nobody
  }
  const watch = watchFor(transport, () => {
    stalled = true
    stopReading()
  })
  signal?.addEventListener('abort', stopReading, { once: true })
  try {
    let chunks: Chunk[] = []
    const reader = makeReader((chunk) => chunks.push(chunk))
    throwIfAborted(signal)
    while (!reader.finished) {
      let bytes: Uint8Array | undefined
      try {
        bytes = (await body?.read())?.value // in no function of its own: a stream of small pieces would wait for that, too, at each
      } catch (error) {
        throwIfAborted(signal)
        if (!stalled) throw modelCallError(redacted(explainBrokenStream(call.url), call.secret), messageOf(error))
      }
      throwIfAborted(signal)
      if (stalled) throw modelCallError(stallFailure(transport))
      watch?.heard()
      if (bytes === undefined) reader.end()
      else reader.push(bytes)
      if (chunks.length === 0) continue
      const ready = chunks
      chunks = []
      for (const chunk of ready) {
        yield withoutSecret(chunk, call.secret)
        throwIfAborted(signal)
      }
    }
  } finally {
    signal?.removeEventListener('abort', stopReading)
    watch?.stop()
    stopReading()
  }
}

/** A whole JSON answer; `undefined` when it is something else. Fails as `streamResponse` does. */
export const fetchJson = async (call: ModelCall, transport: Transport, signal: AbortSignal): Promise<unknown> => {
  const connection = new AbortController()
  const abort = () => connection.abort()
  const response = await openResponse(call, transport, signal, connection)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await orAborted(response.json(), signal)
  } catch (error) {
    throwIfAborted(signal)
    if (error instanceof SyntaxError) return undefined
    throw modelCallError(redacted(explainBrokenStream(call.url), call.secret), messageOf(error))
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** A 2xx answer, or a `ModelCallError` that says what went wrong. */
const openResponse = async (
  call: ModelCall,
  transport: Transport,
  signal: AbortSignal | undefined,
  connection: AbortController,
): Promise<Response> => {
  throwIfAborted(signal)
  const { url, method, headers, body } = call
  const abort = () => connection.abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const response = await orAborted(
      (transport.fetch ?? fetch)(url, {
        method,
        headers: { ...headers },
        ...(body === undefined ? {} : { body }),
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        // A redirect would take the conversation to a host that nobody chose.
        redirect: 'error',
        signal: connection.signal,
      }),
      signal,
    )
    if (response.ok) return response
    const answer = await orAborted(response.text(), signal)
    const failure = classifyFailure({
      status: response.status,
      headers: response.headers,
      body: parsedOrText(answer),
      now: (transport.now ?? Date.now)(),
    })
    throw modelCallError(redacted(failure, call.secret))
  } catch (error) {
    throwIfAborted(signal)
    if (error instanceof Error && 'failure' in error) throw error
    throw modelCallError(redacted(explainFetchFailure(url, error, transport.surroundings?.()), call.secret))
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

const watchFor = ({ stallMs = DEFAULT_STALL_MS, timers = PLATFORM_TIMERS }: Transport, onStall: () => void): StallWatch | undefined =>
  Number.isFinite(stallMs) ? stallWatch(stallMs, timers, onStall) : undefined

const stallFailure = ({ stallMs = DEFAULT_STALL_MS }: Transport): ModelFailure => ({
  class: 'transport',
  code: 'stalled',
  transient: true,
  message: `The reply stalled: nothing came for ${Math.round(stallMs / 1000)} s. What had arrived is kept; try again.`,
})

const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted === true) throw signal.reason
}

const parsedOrText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text // a page or plain words, which are classified too
  }
}

const redacted = (failure: ModelFailure, secret: string | undefined): ModelFailure => {
  if (secret === undefined || secret === '' || !failure.message.includes(secret)) return failure
  return { ...failure, message: failure.message.replaceAll(secret, '[key]') }
}

/** An error inside the stream may quote the key, too. */
const withoutSecret = (chunk: Chunk, secret: string | undefined): Chunk => {
  if (secret === undefined || chunk.type !== 'finish' || chunk.reason.kind !== 'error') return chunk
  const { failure } = chunk.reason
  const message = secret === '' ? chunk.reason.message : chunk.reason.message.replaceAll(secret, '[key]')
  return { ...chunk, reason: { ...chunk.reason, message, ...(failure === undefined ? {} : { failure: redacted(failure, secret) }) } }
}
