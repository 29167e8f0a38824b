// Downloads one file of weights, piece by piece into the place where it is kept: what is there stays, and the next try goes on from it.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { Weights, WeightsWriter } from './weights.ts'

/** `etag`, `bytes`: what an earlier part of it came with. Then it is gone on with only if they are still the same. */
export type WeightsAddress = { readonly name: string; readonly url: string; readonly etag?: string; readonly bytes?: number }

export type DownloadNeeds = {
  readonly weights: Weights
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Resolves after so many milliseconds, or rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export type DownloadListener = {
  /** The server has answered: the file's size, where it says so, and its version. */
  begun(facts: { readonly bytes?: number; readonly etag?: string }): void
  /** Bytes of the file that are here. */
  received(bytes: number): void
  /** The first bytes of the file, at least 4 unless it is shorter. Throws when it is the wrong file; then nothing of it is kept. */
  check(start: Uint8Array): void
}

/** Tries in a row in which nothing came, before it is given up. */
const MOST_TRIES = 5
const FIRST_WAIT_MS = 500
const MOST_WAIT_MS = 10_000

/** Fails in a way that another try may not. */
class Broken extends Error {}

/** Gives the size of the whole file. Errors: `model/failed` with what to do, those of the store, the signal's reason; what came is kept. */
export const downloadWeights = async (
  address: WeightsAddress,
  { weights, fetch, wait }: DownloadNeeds,
  on: DownloadListener,
  signal: AbortSignal,
): Promise<number> => {
  const writer = await weights.write(address.name)
  let known: Known = { etag: address.etag, bytes: address.bytes }
  try {
    for (let tries = 1; ; tries++) {
      const before = writer.size
      try {
        const response = await request(address.url, writer.size, fetch, signal)
        const part = partOf(response, writer.size, known)
        if (part === 'whole') return writer.size
        if (part.from === 0) writer.restart()
        known = { etag: part.etag, bytes: part.bytes }
        on.begun({ ...(part.bytes === undefined ? {} : { bytes: part.bytes }), ...(part.etag === undefined ? {} : { etag: part.etag }) })
        await receive(response, writer, on, signal)
        if (part.bytes === undefined || writer.size === part.bytes) return writer.size
        if (writer.size > part.bytes) writer.restart()
        throw new Broken('it ended before the file was whole')
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof Broken)) throw error
        if (error instanceof FileChanged) {
          writer.restart()
          known = NOTHING
        } else if (writer.size > before) tries = 0
        if (tries >= MOST_TRIES) throw refused(address.url, error.message)
        await wait(Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, tries - 1)), signal)
      }
    }
  } finally {
    writer.close()
  }
}

const NOTHING: Known = { etag: undefined, bytes: undefined }
type Known = { readonly etag: string | undefined; readonly bytes: number | undefined }

const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return url.slice(0, 80)
  }
}

const refused = (url: string, why: string): SideloopError =>
  new SideloopError('model/failed', `The model could not be downloaded from ${hostOf(url)}: ${why}. What has arrived is kept; try again.`)

/** A range of one part needs no preflight, other conditions would. */
const request = async (url: string, from: number, fetch: DownloadNeeds['fetch'], signal: AbortSignal): Promise<Response> => {
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
    throw new Broken(`the connection failed, or the site does not let this page read it (${messageOf(error)})`)
  }
  const { status, ok } = response
  if (ok || status === 416) return response
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
  const etag = response.headers.get('etag') ?? undefined
  const changed = known.etag !== undefined && etag !== undefined && etag !== known.etag
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '')
  const total = range?.[2] === undefined || range[2] === '*' ? undefined : Number(range[2])
  if (response.status === 200) return { from: 0, bytes: lengthOf(response), etag }
  const sameSize = known.bytes === undefined || total === undefined || total === known.bytes
  if (response.status === 416 && !changed && have > 0 && total === have) return 'whole'
  // A range that cannot be read, because the site does not show it, is the one that was asked for.
  const from = range?.[1] === undefined ? have : Number(range[1])
  if (response.status === 206 && !changed && sameSize && from === have)
    return { from: have, bytes: total ?? known.bytes, etag: etag ?? known.etag }
  void response.body?.cancel()
  throw new FileChanged()
}

/** The bytes that are here belong to another version of the file. */
class FileChanged extends Broken {
  constructor() {
    super('the file changed while it was downloaded')
  }
}

const receive = async (response: Response, writer: WeightsWriter, on: DownloadListener, signal: AbortSignal): Promise<void> => {
  const body = response.body?.getReader()
  if (body === undefined) return
  let start = writer.size === 0 ? new Uint8Array() : undefined
  const keep = (bytes: Uint8Array) => {
    writer.append(bytes)
    on.received(writer.size)
  }
  try {
    while (true) {
      const { done, value } = await readFrom(body)
      signal.throwIfAborted()
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
