// What the platform-neutral core may use besides the language: the part that browsers, Node and edge workers share.
// Only tsconfig.core.json includes this file; elsewhere the real libraries describe the same names.

interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean; readonly signal?: AbortSignal }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
declare var AbortSignal: {
  abort(reason?: unknown): AbortSignal
  any(signals: Iterable<AbortSignal>): AbortSignal
  timeout(ms: number): AbortSignal
}
interface AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare var AbortController: { new (): AbortController }

interface ReadableStreamReadResult<T> {
  readonly done: boolean
  readonly value?: T
}
interface ReadableStreamDefaultReader<T> {
  read(): Promise<{ done: false; value: T } | { done: true; value: undefined }>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}
interface ReadableStream<T = unknown> {
  getReader(): ReadableStreamDefaultReader<T>
  cancel(reason?: unknown): Promise<void>
}
interface Headers {
  get(name: string): string | null
  forEach(callback: (value: string, name: string) => void): void
}
interface Response {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly body: ReadableStream<Uint8Array> | null
  text(): Promise<string>
  json(): Promise<unknown>
}
interface RequestInit {
  method?: string
  headers?: Record<string, string>
  body?: string
  credentials?: 'omit' | 'same-origin' | 'include'
  mode?: 'cors' | 'same-origin' | 'no-cors'
  redirect?: 'follow' | 'error' | 'manual'
  cache?: 'default' | 'no-store'
  referrerPolicy?: 'no-referrer'
  signal?: AbortSignal | null
}
declare function fetch(url: string, init?: RequestInit): Promise<Response>

interface TextDecoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}
declare var TextDecoder: { new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder }
interface TextEncoder {
  encode(text: string): Uint8Array
}
declare var TextEncoder: { new (): TextEncoder }

interface URL {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly hostname: string
  readonly host: string
  readonly pathname: string
  readonly search: string
}
declare var URL: { new (url: string, base?: string): URL }

declare function setTimeout(callback: () => void, ms?: number): number
declare function clearTimeout(id: number | undefined): void
declare function queueMicrotask(callback: () => void): void
declare function structuredClone<T>(value: T): T
declare var performance: { now(): number }
declare var crypto: {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`
  /** Only in secure contexts: https, localhost, files of an application. */
  readonly subtle?: { digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer> }
}
declare var console: { error(...data: unknown[]): void }
