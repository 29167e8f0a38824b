// A small local HTTP server for files of weights: with CORS, ranges and versions as large hosts have them, and a place to wait. Node only.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ServedFile = {
  readonly bytes: Uint8Array
  /** Default: `application/octet-stream`. */
  readonly contentType?: string
  /** Of the whole file, which ends in zeros when that is more than `bytes`. */
  readonly size?: number
  /** An answer that comes to this byte waits there until the client leaves. */
  readonly holdsAt?: number
}

export interface WeightsServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string
  /** What was asked for, in order: `/tiny.gguf`, or `/tiny.gguf bytes=900000-`. */
  readonly requests: readonly string[]
  /** Gives its address. What is asked for and is not served is 404. */
  serve(path: string, file: ServedFile): string
  close(): Promise<void>
}

const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'content-length, content-range, etag' }
const PIECE = 256 * 1024

export const startWeightsServer = async (): Promise<WeightsServer> => {
  const files = new Map<string, ServedFile>()
  const requests: string[] = []
  const server = createServer((incoming, response) => {
    const { url = '', headers } = incoming
    requests.push(headers.range === undefined ? url : `${url} ${headers.range}`)
    const file = files.get(url)
    if (file !== undefined) return void answer(file, incoming, response)
    response.writeHead(404, CORS).end('There is no such file.')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    requests,
    serve(path, file) {
      files.set(path, file)
      return `${origin}${path}`
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const answer = async (file: ServedFile, { headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { bytes, contentType = 'application/octet-stream', size = bytes.length, holdsAt } = file
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
  const common = { ...CORS, 'content-type': contentType, etag: `"${size}"` }
  if (from >= size) return void response.writeHead(416, { ...common, 'content-range': `bytes */${size}` }).end()
  response.writeHead(from === 0 ? 200 : 206, {
    ...common,
    'content-length': size - from,
    ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
  })
  const holds = holdsAt !== undefined && from < holdsAt
  const end = holds ? holdsAt : size
  for (let at = from; at < end && !response.destroyed; at += PIECE) {
    const piece = new Uint8Array(Math.min(PIECE, end - at))
    piece.set(bytes.subarray(at, at + piece.length))
    if (!response.write(piece)) await drained(response)
  }
  if (!holds) response.end()
}

/** Or left. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
