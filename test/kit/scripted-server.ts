// A small local HTTP server that plays a list of behaviours as a model's endpoint, over real chunked HTTP, with CORS. Node only.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Gate, gate } from './gate.ts'

export type RecordedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as JSON; `undefined` when there was none or it was not JSON. */
  readonly body: unknown
  readonly text: string
  /** Settles when the exchange is over: answered to the end, or given up by either side. */
  readonly closed: Promise<'answered' | 'abandoned'>
}

/** One answer under way. Everything waits for the network; nothing throws because the client left. */
export interface Exchange {
  readonly request: RecordedRequest
  /** True once the client is gone; behaviours stop then. */
  readonly gone: boolean
  head(status: number, headers?: Readonly<Record<string, string>>): void
  /** Leaves out the CORS headers, as a server that does not know of browsers would. Before `head`. */
  withoutCors(): void
  write(bytes: string | Uint8Array): Promise<void>
  end(bytes?: string | Uint8Array): void
  /** Drops the connection without an end. */
  destroy(): void
  /** Waits for the gate, or for the client to leave. */
  wait(at: Gate): Promise<void>
  waitUntilGone(): Promise<void>
}
export type Behaviour = (exchange: Exchange) => void | Promise<void>

export type ScriptedServerOptions = {
  /** Default: any free port. */
  readonly port?: number
  readonly models?: readonly string[]
  /** Answers what comes after the list; without it that is a 400 which says so. */
  readonly fallback?: Behaviour
}

export interface ScriptedServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string
  /** `origin` and `/v1`: what goes into a provider's settings. */
  readonly baseUrl: string
  /** Model requests as they came, of every vendor; CORS preflights and `/models` are not among them. */
  readonly requests: readonly RecordedRequest[]
  readonly preflights: readonly RecordedRequest[]
  readonly modelRequests: readonly RecordedRequest[]
  readonly remaining: number
  add(...behaviours: readonly Behaviour[]): void
  /** Settles with the model request of this number, counted from 1. */
  request(number: number): Promise<RecordedRequest>
  /** `refuse`: no answer has CORS headers from now on, preflights neither. */
  cors(mode: 'allow' | 'refuse'): void
  /** What `GET /models` does from now on. */
  answerModels(behaviour: Behaviour): void
  /** Breaks every connection off, whatever was under way. */
  dropConnections(): void
  close(): Promise<void>
}

/** Where each vendor is asked, and exactly the headers it allows: a client that adds its own fails its preflight here, as it does elsewhere. */
const ENDPOINTS: readonly { readonly path: RegExp; readonly headers: string }[] = [
  { path: /\/chat\/completions$/, headers: 'authorization, content-type' },
  { path: /\/responses$/, headers: 'authorization, content-type' },
  { path: /\/messages$/, headers: 'x-api-key, anthropic-version, anthropic-dangerous-direct-browser-access, content-type' },
  { path: /:streamGenerateContent$/, headers: 'x-goog-api-key, content-type' },
  { path: /\/api\/chat$/, headers: 'authorization, content-type' },
]
const MODELS = {
  path: /\/(models|api\/tags)$/,
  headers: 'authorization, x-goog-api-key, x-api-key, anthropic-version, anthropic-dangerous-direct-browser-access',
}

const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after, x-request-id' }
const preflight = (path: string) => ({
  ...CORS,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': [...ENDPOINTS, MODELS].find((endpoint) => endpoint.path.test(path))?.headers ?? 'content-type',
  'access-control-allow-private-network': 'true',
})

export const startScriptedServer = async (
  behaviours: readonly Behaviour[] = [],
  options: ScriptedServerOptions = {},
): Promise<ScriptedServer> => {
  const script = [...behaviours]
  const requests: RecordedRequest[] = []
  const preflights: RecordedRequest[] = []
  const modelRequests: RecordedRequest[] = []
  const arrivals = new Map<number, { promise: Promise<RecordedRequest>; arrive: (request: RecordedRequest) => void }>()
  let allowCors = true
  let played = 0
  let listModels: Behaviour = (exchange) => {
    exchange.head(200, { 'content-type': 'application/json' })
    exchange.end(JSON.stringify({ object: 'list', data: (options.models ?? ['scripted-1']).map((id) => ({ id, object: 'model' })) }))
  }

  const arrival = (number: number) => {
    const known = arrivals.get(number)
    if (known !== undefined) return known
    let arrive = (_: RecordedRequest) => {}
    const promise = new Promise<RecordedRequest>((resolve) => {
      arrive = resolve
    })
    const made = { promise, arrive }
    arrivals.set(number, made)
    return made
  }

  const choose = (path: string, method: string, request: RecordedRequest): Behaviour => {
    if (method === 'OPTIONS') {
      preflights.push(request)
      return (exchange) => {
        exchange.withoutCors()
        exchange.head(204, allowCors ? preflight(path) : {})
        exchange.end()
      }
    }
    if (method === 'GET' && MODELS.path.test(path)) {
      modelRequests.push(request)
      return listModels
    }
    if (method !== 'POST' || !ENDPOINTS.some((endpoint) => endpoint.path.test(path))) return missing
    const number = requests.push(request)
    arrival(number).arrive(request)
    const behaviour = script[played]
    if (behaviour === undefined) return options.fallback ?? exhausted(number, script.length)
    played += 1
    return behaviour
  }

  const server = createServer((incoming, response) => {
    void answer(incoming, response, () => allowCors, choose)
  })
  // Slow and stalled answers are what this server is for.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`

  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    preflights,
    modelRequests,
    get remaining() {
      return script.length - played
    },
    add(...more) {
      script.push(...more)
    },
    request: (number) => arrival(number).promise,
    cors(mode) {
      allowCors = mode === 'allow'
    },
    answerModels(behaviour) {
      listModels = behaviour
    },
    dropConnections: () => server.closeAllConnections(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const missing: Behaviour = (exchange) => {
  exchange.head(404, { 'content-type': 'application/json' })
  exchange.end(JSON.stringify({ error: { message: `Not found: ${exchange.request.method} ${exchange.request.path}` } }))
}

const exhausted =
  (number: number, scripted: number): Behaviour =>
  (exchange) => {
    exchange.head(400, { 'content-type': 'application/json' })
    const message = `The script is exhausted: request ${number} came, but only ${scripted} behaviours were scripted.`
    exchange.end(JSON.stringify({ error: { message, type: 'script_exhausted' } }))
  }

const answer = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  corsAllowed: () => boolean,
  choose: (path: string, method: string, request: RecordedRequest) => Behaviour,
): Promise<void> => {
  const pieces: Buffer[] = []
  try {
    for await (const piece of incoming) pieces.push(piece as Buffer)
  } catch {
    return // the client left before it had asked
  }
  const text = Buffer.concat(pieces).toString('utf8')
  const closed = new Promise<'answered' | 'abandoned'>((resolve) => {
    response.once('close', () => resolve(response.writableFinished ? 'answered' : 'abandoned'))
  })
  const method = incoming.method ?? 'GET'
  const path = new URL(incoming.url ?? '/', 'http://localhost').pathname
  const request: RecordedRequest = { method, path, headers: headersOf(incoming), body: parsed(text), text, closed }
  response.socket?.setNoDelay(true)
  const exchange = exchangeOf(request, response, corsAllowed)
  try {
    await choose(path, method, request)(exchange)
    if (!response.writableEnded && !response.destroyed) response.end()
  } catch (error) {
    // A behaviour that throws is a fault of the test: it is shown to the client, which is where the test looks.
    if (!response.headersSent) response.writeHead(500, { ...CORS, 'content-type': 'text/plain' })
    response.end(`scripted behaviour failed: ${String(error)}`)
  }
}

const exchangeOf = (request: RecordedRequest, response: ServerResponse, corsAllowed: () => boolean): Exchange => {
  let withCors = corsAllowed()
  const gone = gate()
  void request.closed.then(() => gone.open())
  return {
    request,
    get gone() {
      return gone.isOpen || response.destroyed
    },
    head(status, headers = {}) {
      response.writeHead(status, withCors ? { ...CORS, ...headers } : headers)
      response.flushHeaders()
    },
    withoutCors() {
      withCors = false
    },
    async write(bytes) {
      if (response.destroyed || bytes.length === 0) return
      const room = response.write(bytes)
      if (!room) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone.opened])
    },
    end(bytes) {
      if (!response.destroyed) response.end(bytes)
    },
    destroy() {
      response.socket?.destroy()
      response.destroy()
    },
    async wait(at) {
      at.arrive()
      await Promise.race([at.opened, gone.opened])
    },
    waitUntilGone: () => gone.opened,
  }
}

const headersOf = (incoming: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: the text is kept beside it
  }
}
