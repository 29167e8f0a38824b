// What a scripted server can do: stream a reply, send any bytes, wait, stall, break off, refuse. Node only.
import { readFile } from 'node:fs/promises'
import { chatStream, type StreamStep, wholeCompletion } from './chat-stream.ts'
import type { Gate } from './gate.ts'
import type { Part } from './replies.ts'
import type { Behaviour, Exchange } from './scripted-server.ts'

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** Writes the parts of a reply as a vendor streams them. */
export type WriteStream = (parts: readonly Part[]) => Iterable<StreamStep>

/**
 * Streams a reply made of parts as OpenAI chat does: `streams(text('hello'))`. Gates among the pieces hold it there; `hang()`
 * stalls it, `disconnect()` drops the connection in the middle, `finishError(…)` puts an error object into the stream.
 */
export const streams = (...parts: readonly Part[]): Behaviour => streamsAs(chatStream, ...parts)

/** The same for another vendor: `streamsAs(anthropicStream, text('hello'))`. */
export const streamsAs =
  (write: WriteStream, ...parts: readonly Part[]): Behaviour =>
  async (exchange) => {
    exchange.head(200, EVENT_STREAM)
    for (const step of write(parts)) {
      if (exchange.gone) return
      if (step === 'hang') return exchange.waitUntilGone()
      if (step === 'disconnect') {
        await pause()
        return exchange.destroy()
      }
      if (typeof step === 'string') await exchange.write(step)
      else await exchange.wait(step)
    }
    exchange.end()
  }

export type BytesPlan = {
  readonly status?: number
  readonly contentType?: string
  /** Offsets at which the body is cut into network writes; `every-byte` for the worst of them. Default: one piece. */
  readonly cuts?: readonly number[] | 'every-byte'
  /** Gates at offsets: what comes after waits. */
  readonly gates?: readonly { readonly at: number; readonly gate: Gate }[]
  /** `drop`: the connection breaks after the last byte. Default: a normal end. */
  readonly ending?: 'close' | 'drop'
}

/** Any body: a wire case, garbage, a stream that just stops. */
export const sendsBytes =
  (bytes: Uint8Array | string, plan: BytesPlan = {}): Behaviour =>
  async (exchange) => {
    const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    exchange.head(plan.status ?? 200, plan.contentType === undefined ? EVENT_STREAM : { 'content-type': plan.contentType })
    const gates = plan.gates ?? []
    const cuts = plan.cuts === 'every-byte' ? [...body.keys()] : (plan.cuts ?? [])
    const edges = [...new Set([...cuts, ...gates.map(({ at }) => at), body.length])].filter((edge) => edge > 0).sort((a, b) => a - b)
    let from = 0
    for (const held of gates.filter(({ at }) => at === 0)) await exchange.wait(held.gate)
    for (const edge of edges) {
      if (exchange.gone) return
      await exchange.write(body.subarray(from, edge))
      await pause()
      from = edge
      for (const held of gates.filter(({ at }) => at === edge)) await exchange.wait(held.gate)
    }
    if (plan.ending === 'drop') exchange.destroy()
    else exchange.end()
  }

/** A file's bytes, such as a wire case. */
export const sendsFile =
  (path: string | URL, plan: BytesPlan = {}): Behaviour =>
  async (exchange) =>
    sendsBytes(await readFile(path), plan)(exchange)

/** Not a byte, not even the status, before the gate is open. */
export const after =
  (gate: Gate, behaviour: Behaviour): Behaviour =>
  async (exchange) => {
    await exchange.wait(gate)
    if (!exchange.gone) await behaviour(exchange)
  }

/** A 200 with one whole JSON completion, although a stream was asked for. */
export const answersWhole = (...parts: readonly Part[]): Behaviour => sendsJson(200, wholeCompletion(parts))

export const failsWith = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  sendsJson(status, typeof body === 'string' ? body : JSON.stringify(body), headers)

const error = (message: string, type: string, code: string | null = null) => ({ error: { message, type, param: null, code } })

export const rateLimited = (retryAfter: string | number = 1): Behaviour =>
  failsWith(429, error('Rate limit reached for requests.', 'requests', 'rate_limit_exceeded'), { 'retry-after': String(retryAfter) })
export const outOfQuota = (): Behaviour =>
  failsWith(
    429,
    error('You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota', 'insufficient_quota'),
  )
export const overloaded = (): Behaviour => failsWith(503, error('The engine is currently overloaded.', 'server_error'))
export const serverError = (status = 500): Behaviour => failsWith(status, error('The server had an error.', 'server_error'))
export const wrongKey = (): Behaviour => failsWith(401, error('Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key'))
export const overflow = (limit = 8192): Behaviour =>
  failsWith(400, error(`This model's maximum context length is ${limit} tokens.`, 'invalid_request_error', 'context_length_exceeded'))
export const badHistory = (): Behaviour =>
  failsWith(400, error("An assistant message with 'tool_calls' must be followed by tool messages.", 'invalid_request_error'))

/** The answer has no CORS headers: a browser hides all of it, and Node does not notice. */
export const corsRefused = (): Behaviour => (exchange) => {
  exchange.withoutCors()
  exchange.head(403, { 'content-type': 'text/plain' })
  exchange.end('Forbidden')
}

/** The connection is dropped before any answer. */
export const dropsAtOnce = (): Behaviour => (exchange) => exchange.destroy()

/** A page where a stream was expected, as a captive portal or a wrong address gives. */
export const answersHtml = (status = 200, html = '<!doctype html><title>Welcome</title><p>Please sign in.'): Behaviour =>
  sendsBytes(html, { status, contentType: 'text/html' })

/** An event stream whose events are not JSON. */
export const sendsGarbage = (): Behaviour => sendsBytes('data: {"choices":[{"delta":{"content":"so fa\n\ndata: }{ !\n\n')

const sendsJson =
  (status: number, json: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (exchange: Exchange) => {
    exchange.head(status, { ...JSON_TYPE, ...headers })
    exchange.end(json)
  }

// Lets the bytes leave as a piece of their own before the next ones are written.
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
