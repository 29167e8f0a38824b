// One answer of a server of weights: asked for from where the file ends, and written behind it as it comes.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { WeightsWriter } from './weights.ts'

/** A connection that is silent for so long is given up. */
const QUIET_MS = 60_000
/** A longer one is no version of a file. */
const LONGEST_ETAG = 200

/** Fails in a way that another try may not. */
export class Broken extends Error {}
/** Not even an answer that may be read. */
export class Unreached extends Broken {}

/** The bytes that are here belong to another version of the file. */
export class FileChanged extends Broken {
  constructor() {
    super('the file changed while it was downloaded')
  }
}

/** What is known of the file that a part is here of. */
export type Known = { readonly etag: string | undefined; readonly bytes: number | undefined }
export const NOTHING: Known = { etag: undefined, bytes: undefined }

export type AttemptNeeds = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export type DownloadListener = {
  /** The server has answered: the file's size, where it says so, and its version. Again without a size, when that was not the file's. */
  begun(facts: { readonly bytes?: number; readonly etag?: string }): void
  /** Bytes of the file that are here. */
  received(bytes: number): void
  /** The first bytes of the file, at least 4 unless it is shorter. Throws when it is the wrong file; then nothing of it is kept. */
  check(start: Uint8Array): void
}

export const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return url.slice(0, 80)
  }
}

/** One answer, as far as it goes. True when the file is whole with it. */
export const attempt = async (
  url: string,
  writer: WeightsWriter,
  known: Known,
  { fetch, wait }: AttemptNeeds,
  on: DownloadListener,
  signal: AbortSignal,
  learn: (known: Known) => void,
): Promise<boolean> => {
  const connection = new AbortController()
  const ending = AbortSignal.any([signal, connection.signal])
  /** Waits no longer than a server may be silent. */
  const soon = async <T>(work: Promise<T>): Promise<T> => {
    const heard = new AbortController()
    const quiet = wait(QUIET_MS, AbortSignal.any([signal, heard.signal])).then(() => {
      signal.throwIfAborted()
      throw new Broken(`nothing came for ${QUIET_MS / 1000} s`)
    })
    quiet.catch(() => {}) // it was heard from, or the race is lost below
    try {
      const done = await Promise.race([work, quiet])
      signal.throwIfAborted()
      return done
    } finally {
      heard.abort()
    }
  }
  try {
    const response = await soon(request(url, writer.size, fetch, ending))
    const part = partOf(response, writer.size, known)
    if (part === 'whole') return true
    if (part.from === 0) writer.restart()
    const { etag } = part
    let { bytes } = part
    const tell = (): void => {
      learn({ etag, bytes })
      on.begun({ ...(bytes === undefined ? {} : { bytes }), ...(etag === undefined ? {} : { etag }) })
    }
    tell()
    await receive(response, writer, soon, {
      ...on,
      received(size) {
        // The length of an answer that was packed on its way is not that of the file, and a page is not shown that it was packed.
        if (bytes !== undefined && size > bytes) {
          bytes = undefined
          tell()
        }
        on.received(size)
      },
    })
    // A browser lets no answer end well that is shorter than it said, so the end of a whole answer is the end of the file.
    return response.status === 200 || bytes === undefined || writer.size === bytes
  } finally {
    connection.abort()
  }
}

/** A range of one part needs no preflight, other conditions would. */
const request = async (url: string, from: number, fetch: AttemptNeeds['fetch'], signal: AbortSignal): Promise<Response> => {
  let response: Response
  try {
    response = await fetch(url, {
      ...(from === 0 ? {} : { headers: { range: `bytes=${from}-` } }),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new Unreached('the connection failed', { cause: error })
  }
  const { status, ok } = response
  if ((ok && status !== 204) || status === 416) return response
  void response.body?.cancel()
  if (status === 408 || status === 429 || status >= 500) throw new Broken(`the site answered with status ${status}`)
  const why =
    status === 401 || status === 403
      ? 'the site wants a sign-in for this file'
      : status === 404 || status === 410
        ? 'there is no file at this address'
        : `the site answered with status ${status}`
  throw new SideloopError('model/failed', `The model could not be downloaded from ${hostOf(url)}: ${why}. Choose another address.`)
}

const lengthOf = (response: Response): number | undefined => {
  // With a content encoding the length is that of the packed bytes.
  const length = response.headers.has('content-encoding') ? null : response.headers.get('content-length')
  return length !== null && /^\d+$/.test(length) ? Number(length) : undefined
}

/** Where the answer goes on from, of how many bytes. A file that changed meanwhile begins anew. */
const partOf = (
  response: Response,
  have: number,
  known: Known,
): 'whole' | { readonly from: number; readonly bytes: number | undefined; readonly etag: string | undefined } => {
  const shown = response.headers.get('etag') ?? undefined
  const etag = shown !== undefined && shown.length <= LONGEST_ETAG ? shown : undefined
  const changed = known.etag !== undefined && etag !== undefined && etag !== known.etag
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '')
  const length = lengthOf(response)
  // A site that hides the range from pages shows the length of the part.
  const behind = response.status === 206 && length !== undefined ? have + length : undefined
  const total = range?.[2] === undefined || range[2] === '*' ? behind : Number(range[2])
  if (response.status === 200) return { from: 0, bytes: length, etag }
  const sameSize = known.bytes === undefined || total === undefined || total === known.bytes
  if (response.status === 416 && !changed && have > 0 && total === have) return 'whole'
  // A range that cannot be read, because the site does not show it, is the one that was asked for.
  const from = range?.[1] === undefined ? have : Number(range[1])
  if (response.status === 206 && !changed && sameSize && from === have)
    return { from: have, bytes: total ?? known.bytes, etag: etag ?? known.etag }
  void response.body?.cancel()
  throw new FileChanged()
}

const receive = async (
  response: Response,
  writer: WeightsWriter,
  soon: <T>(work: Promise<T>) => Promise<T>,
  on: DownloadListener,
): Promise<void> => {
  const body = response.body?.getReader()
  if (body === undefined) return
  let start = writer.size === 0 ? new Uint8Array() : undefined
  const keep = (bytes: Uint8Array) => {
    writer.append(bytes)
    on.received(writer.size)
  }
  try {
    while (true) {
      const { done, value } = await soon(readFrom(body))
      if (done) break
      if (start === undefined) keep(value)
      else {
        start = joined(start, value)
        if (start.length < 4) continue
        on.check(start)
        keep(start)
        start = undefined
      }
    }
    if (start === undefined || start.length === 0) return
    on.check(start)
    keep(start)
  } finally {
    body.cancel().catch(() => {}) // given up or at its end: how it ends concerns nobody
  }
}

const readFrom = async (body: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> => {
  try {
    return await body.read()
  } catch (error) {
    throw new Broken(`the connection broke (${messageOf(error)})`)
  }
}

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
