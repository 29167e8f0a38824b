// The adapter for the browser's built-in model (Prompt API). That lives on the page only: what it is asked goes over a bridge.

import { messageOf } from '../../../storage/log/errors.ts'
import type { Chunk, ModelFailure, Usage } from '../../../storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { modelCallError } from '../model-call-error.ts'
import { type ChunkForm, promptApiReader } from '../wire/prompt-api/read-chunks.ts'
import { type WrittenPrompts, writePrompts } from '../wire/prompt-api/write-prompts.ts'
import { callStream } from './call-stream.ts'
import { readerContext, refuseUnknownEffort } from './prepare-call.ts'

export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

/** All in tokens, as the browser counts them, where it does. */
export type BuiltInEnd = { readonly usage?: { readonly before: number; readonly after: number }; readonly contextWindow?: number }

/** The page's end of the bridge, as the adapter needs it. */
export interface BuiltInModel {
  availability(signal: AbortSignal): Promise<Availability>
  /**
   * Errors carry the name that the browser gave them (`QuotaExceededError`, `NotAllowedError`, …). An aborted signal ends it at once,
   * with the signal's reason. `progress`: of the download, from 0 to 1.
   */
  ask(
    prompts: WrittenPrompts & { readonly temperature?: number },
    on: { chunk(text: string): void; progress(loaded: number): void },
    signal: AbortSignal | undefined,
  ): Promise<BuiltInEnd>
}

export type PromptApiOptions = {
  /** Asked at each call: the page may offer its model late, or anew. */
  readonly model: () => BuiltInModel | undefined
  /** `cumulative`: for Chrome before version 138. Default `delta`. */
  readonly chunks?: ChunkForm
  /** The model is told of the tools and writes its calls as text. Default false: it has no tools, and its window is small. */
  readonly textCalls?: boolean
  readonly onDownload?: (loaded: number) => void
  readonly newId?: () => string
}

export const BUILT_IN = { id: 'built-in', name: 'Built-in model of this browser' } as const

export const promptApi = (options: PromptApiOptions): LlmAdapter => {
  let contextWindow: number | undefined
  const info = (): ModelInfo => ({
    tools: false,
    images: false,
    efforts: [],
    ...(options.textCalls === true ? { textCalls: true } : {}),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  })
  return {
    info,
    async *stream(request) {
      refuseUnknownEffort(request, info())
      const model = options.model()
      if (model === undefined) throw modelCallError(failureOf('NotSupportedError', ''))
      yield* streamBuiltIn(model, options, request, (tokens) => {
        contextWindow = tokens
      })
    },
    async models(_provider, signal) {
      const availability = await options.model()?.availability(signal)
      return availability === undefined || availability === 'unavailable' ? [] : [BUILT_IN]
    },
  }
}

const streamBuiltIn = (
  model: BuiltInModel,
  options: PromptApiOptions,
  request: LlmRequest,
  onWindow: (tokens: number) => void,
): AsyncGenerator<Chunk> =>
  callStream(async (emit, signal) => {
    const { temperature } = request
    const textCalls = options.textCalls === true
    const context = await readerContext(
      options.newId === undefined ? {} : { newId: options.newId },
      request,
      textCalls ? { textCalls } : {},
    )
    const reader = promptApiReader(context, emit, options.chunks ?? 'delta')
    try {
      const { usage, contextWindow } = await model.ask(
        { ...writePrompts(request, textCalls), ...(temperature === undefined ? {} : { temperature }) },
        { chunk: (text) => reader.push(text), progress: (loaded) => options.onDownload?.(loaded) },
        signal,
      )
      if (contextWindow !== undefined) onWindow(contextWindow)
      reader.end(usage === undefined ? undefined : countedOf(usage))
    } catch (error) {
      signal.throwIfAborted()
      reader.fail(failureOf(nameOf(error), messageOf(error)))
    }
  }, request.signal)

const countedOf = ({ before, after }: NonNullable<BuiltInEnd['usage']>): Usage => ({
  inputTokens: before,
  outputTokens: Math.max(0, after - before),
})

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error')

/** By the name of the browser's error, with who says so. */
const FAILURES: Readonly<Record<string, Omit<ModelFailure, 'code'>>> = {
  // Prompt API: the input is larger than what is left of the context window.
  QuotaExceededError: {
    class: 'context_overflow',
    transient: false,
    message: 'The conversation is longer than the built-in model can read at once. Shorten it, start a new one, or choose another model.',
  },
  // Prompt API: a download is only begun after a click or a key; also a page or frame that may not use the model.
  NotAllowedError: {
    class: 'provider',
    transient: false,
    message:
      'The browser wants a click on this page before it loads its model, or does not allow this page to use it. Click, then try again.',
  },
  // Prompt API: no model for these languages or on this device; here also: the page offered none.
  NotSupportedError: {
    class: 'provider',
    transient: false,
    message: 'This browser has no built-in model that can be used here. Choose another model in the settings.',
  },
  // The browser's process for the model ended, or the download broke off.
  NetworkError: {
    class: 'transport',
    transient: true,
    message: 'The built-in model could not be loaded. Check the connection, then try again.',
  },
  InvalidStateError: { class: 'transport', transient: true, message: 'The built-in model was taken away by the browser. Try again.' },
  // The model answered, and its safety check or its output was not acceptable to the browser.
  NotReadableError: {
    class: 'provider',
    transient: false,
    message: 'The browser held back what its model wrote. Rephrase the request, or choose another model.',
  },
}

const failureOf = (name: string, said: string): ModelFailure => {
  const known = Object.hasOwn(FAILURES, name) ? FAILURES[name] : undefined
  const base = known ?? {
    class: 'provider' as const,
    transient: true,
    message: 'The built-in model failed. Try again, or choose another model.',
  }
  return { ...base, code: name, message: said === '' ? base.message : `${base.message} The browser said: ${said}` }
}
