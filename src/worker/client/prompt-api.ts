// The page's end of the bridge to the browser's built-in model (Prompt API), which workers do not have. No DOM beyond that object.
import type { BuiltInAsk, BuiltInTell } from '../protocol/built-in-model.ts'

/** One conversation with the model. Older browsers have the names in brackets. */
export interface LanguageModelSession {
  promptStreaming(
    input: readonly { readonly role: string; readonly content: string }[],
    options: { readonly signal: AbortSignal },
  ): ReadableStream<string>
  measureContextUsage?(input: readonly { readonly role: string; readonly content: string }[]): Promise<number>
  measureInputUsage?(input: readonly { readonly role: string; readonly content: string }[]): Promise<number>
  readonly contextUsage?: number
  readonly contextWindow?: number
  readonly inputUsage?: number
  readonly inputQuota?: number
  destroy(): void
}

type Monitor = { addEventListener(type: 'downloadprogress', listener: (event: { readonly loaded: number }) => void): void }

/** `LanguageModel` as the browser has it on the page. */
export interface LanguageModelApi {
  availability(options?: object): Promise<Extract<BuiltInTell, { kind: 'about' }>['availability']>
  create(options: {
    readonly initialPrompts?: readonly { readonly role: string; readonly content: string }[]
    readonly temperature?: number
    readonly topK?: number
    readonly monitor: (monitor: Monitor) => void
    readonly signal: AbortSignal
  }): Promise<LanguageModelSession>
  /** Only where temperature may be set. */
  params?(): Promise<{ readonly defaultTopK: number; readonly maxTemperature: number } | null>
}

export type PromptApiPageOptions = {
  /** Of the download that the first use may start, from 0 to 1. */
  readonly onDownload?: (loaded: number) => void
  /** Languages of the conversation, as the browser wants to know them: `[{ type: 'text', languages: ['en'] }]`. */
  readonly expected?: { readonly expectedInputs?: readonly object[]; readonly expectedOutputs?: readonly object[] }
}

/** `undefined` where the browser has none, or not here. Give it `globalThis`. */
export const findLanguageModel = (scope: object): LanguageModelApi | undefined => {
  const found: unknown = 'LanguageModel' in scope ? scope.LanguageModel : undefined
  return isApi(found) ? found : undefined
}

const isApi = (value: unknown): value is LanguageModelApi =>
  (typeof value === 'function' || (typeof value === 'object' && value !== null)) &&
  'create' in value &&
  typeof value.create === 'function' &&
  'availability' in value &&
  typeof value.availability === 'function'

/** Answers what comes over the port until it is closed or the function that it gives is called, which stops what is under way. */
export const servePromptApi = (port: MessagePort, api: LanguageModelApi, options: PromptApiPageOptions = {}): (() => void) => {
  const running = new Map<number, AbortController>()
  const tell = (told: BuiltInTell) => port.postMessage(told)
  const fail = (id: number, error: unknown) =>
    tell({
      kind: 'failed',
      id,
      name: error instanceof Error ? error.name : 'Error',
      message: error instanceof Error ? error.message : String(error),
    })

  const answer = async ({ id, system, messages, temperature }: Extract<BuiltInAsk, { kind: 'ask' }>, signal: AbortSignal) => {
    const before = messages.slice(0, -1)
    const last = messages.slice(-1)
    const session = await api.create({
      initialPrompts: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...before],
      ...(await samplingOf(api, temperature)),
      ...options.expected,
      monitor: (monitor) =>
        monitor.addEventListener('downloadprogress', ({ loaded }) => {
          options.onDownload?.(loaded)
          tell({ kind: 'progress', id, loaded })
        }),
      signal,
    })
    try {
      const used = await usageBefore(session, last)
      const reader = session.promptStreaming(last, { signal }).getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        tell({ kind: 'chunk', id, text: value })
      }
      const after = session.contextUsage ?? session.inputUsage
      const contextWindow = session.contextWindow ?? session.inputQuota
      tell({
        kind: 'end',
        id,
        ...(used === undefined || after === undefined ? {} : { usage: { before: used, after } }),
        ...(contextWindow === undefined || !Number.isFinite(contextWindow) ? {} : { contextWindow }),
      })
    } finally {
      session.destroy()
    }
  }

  const take = async (ask: BuiltInAsk) => {
    if (ask.kind === 'cancel') return running.get(ask.id)?.abort()
    const controller = new AbortController()
    running.set(ask.id, controller)
    try {
      if (ask.kind === 'ask') await answer(ask, controller.signal)
      else {
        const availability = await api.availability(options.expected)
        tell({ kind: 'about', id: ask.id, availability })
      }
    } catch (error) {
      fail(ask.id, error)
    } finally {
      running.delete(ask.id)
    }
  }
  port.onmessage = ({ data }: MessageEvent<BuiltInAsk>) => void take(data)

  return () => {
    port.onmessage = null
    for (const controller of running.values()) controller.abort()
    port.close()
  }
}

/** Has the browser load its model now. From a click, which it may insist on. */
export const downloadLanguageModel = async (
  api: LanguageModelApi,
  options: PromptApiPageOptions & { readonly signal: AbortSignal },
): Promise<void> => {
  const session = await api.create({
    ...options.expected,
    monitor: (monitor) => monitor.addEventListener('downloadprogress', ({ loaded }) => options.onDownload?.(loaded)),
    signal: options.signal,
  })
  session.destroy()
}

/** The two go together or not at all, and not everywhere: where they may not be set, the model's own hold. */
const samplingOf = async (api: LanguageModelApi, temperature: number | undefined): Promise<{ temperature?: number; topK?: number }> => {
  const params = temperature === undefined ? undefined : await api.params?.()
  if (temperature === undefined || params === undefined || params === null) return {}
  return { temperature: Math.min(temperature, params.maxTemperature), topK: params.defaultTopK }
}

const usageBefore = async (
  session: LanguageModelSession,
  input: readonly { role: string; content: string }[],
): Promise<number | undefined> => {
  const held = session.contextUsage ?? session.inputUsage
  const measure = session.measureContextUsage ?? session.measureInputUsage
  if (held === undefined || measure === undefined) return undefined
  return held + (await measure.call(session, input))
}
