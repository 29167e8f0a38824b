// A bridge to any model of the AI SDK: an object with `doStream`, of version 2, 3 or 4 of its specification. Nothing of the SDK is imported.
import type { BlobId } from '../../../storage/log/content.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { orAborted } from '../../hooks/or-aborted.ts'
import { lookUpModel } from '../catalogue.ts'
import { modelCallError } from '../model-call-error.ts'
import { failureOfThrown } from './ai-sdk/failure-of-thrown.ts'
import type { AiSdkModel } from './ai-sdk/language-model.ts'
import { aiSdkReader } from './ai-sdk/read-parts.ts'
import { writeCallOptions } from './ai-sdk/write-prompt.ts'
import { picturesOf, readerContext, refuseUnknownEffort } from './prepare-call.ts'

export type AiSdkOptions = {
  /** The model, or what gives it by name: `(model) => provider.languageModel(model)`. Asked at each call. */
  readonly model: AiSdkModel | ((model: string) => AiSdkModel)
  /** What a model can do; goes before the catalogue. */
  readonly info?: (provider: string, model: string) => ModelInfo | undefined
  readonly readBlob?: (blob: BlobId) => Promise<Uint8Array | undefined>
  /**
   * `providerOptions` of a call, such as `{ openai: { reasoningEffort: request.effort } }`. Versions 2 and 3 have no other way to
   * say the effort: without this, a request with one is refused.
   */
  readonly providerOptions?: (request: LlmRequest) => Readonly<Record<string, object>> | undefined
  readonly newId?: () => string
}

const VERSIONS: readonly string[] = ['v2', 'v3', 'v4']

/** Fails as `openaiChat` does. How long a silent stream is waited for is the provider's own business. */
export const aiSdk = (options: AiSdkOptions): LlmAdapter => {
  const info = (provider: string, model: string): ModelInfo | undefined => options.info?.(provider, model) ?? lookUpModel(model)
  return { info, stream: (request) => streamAiSdk(options, request, info(request.provider, request.model) ?? {}) }
}

async function* streamAiSdk(options: AiSdkOptions, request: LlmRequest, known: ModelInfo): AsyncGenerator<Chunk> {
  const { signal } = request
  const model = typeof options.model === 'function' ? options.model(request.model) : options.model
  refuse(model, options, request, known)
  const context = await readerContext(options, request, known)
  const picture = await picturesOf(options, request, known)
  const providerOptions = options.providerOptions?.(request)
  const dropped = new AbortController()
  const abortSignal = signal === undefined ? dropped.signal : AbortSignal.any([signal, dropped.signal])
  const call = {
    ...writeCallOptions(request, known, picture, model.specificationVersion),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    abortSignal,
  }
  let chunks: Chunk[] = []
  const reader = aiSdkReader(context, (chunk) => chunks.push(chunk))
  let opening: PromiseLike<{ readonly stream: ReadableStream<unknown> }> | undefined
  let parts: ReadableStreamDefaultReader<unknown> | undefined
  // Given up, also when it is only being opened: how its end goes concerns nobody.
  const stop = () => {
    if (parts !== undefined) parts.cancel().catch(() => {})
    else
      opening?.then(
        ({ stream }) => stream.cancel().catch(() => {}),
        () => {},
      )
  }
  try {
    signal?.throwIfAborted()
    // The options were written for the version that the model says it has, which types cannot follow.
    opening = model.doStream(call as never)
    const { stream } = await orAborted(opening, signal) // a provider may not listen to its signal
    parts = stream.getReader()
    signal?.addEventListener('abort', stop, { once: true })
    while (!reader.finished) {
      const { done, value } = await orAborted(parts.read(), signal)
      if (done) reader.end()
      else reader.push(value)
      const ready = chunks
      chunks = []
      yield* ready
      signal?.throwIfAborted()
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw modelCallError(failureOfThrown(error), error)
  } finally {
    signal?.removeEventListener('abort', stop)
    dropped.abort()
    stop()
  }
}

const refuse = (model: AiSdkModel, options: AiSdkOptions, request: LlmRequest, known: ModelInfo): void => {
  const version: string = model.specificationVersion
  if (!VERSIONS.includes(version)) {
    const message = `The AI SDK model ${model.provider}/${model.modelId} has the specification ${version}. Known are ${VERSIONS.join(', ')}: use a version of its package that has one of these.`
    throw modelCallError({ class: 'provider', transient: false, message })
  }
  refuseUnknownEffort(request, known)
  if (request.effort !== undefined && version !== 'v4' && options.providerOptions === undefined) {
    const message = 'This AI SDK model has no common way to be told an effort level. Leave it out, or give the adapter `providerOptions`.'
    throw modelCallError({ class: 'provider', transient: false, message })
  }
}
