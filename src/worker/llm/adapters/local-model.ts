// The adapter for models whose weights are in this tab: their engines speak OpenAI chat, so the same writer and reader serve them.
import type { LlmAdapter, ModelInfo } from '../../hooks/llm.ts'
import { chatDialect } from '../wire/openai-chat/dialects.ts'
import { openaiChatReader } from '../wire/openai-chat/read-reply.ts'
import { writeChatRequest } from '../wire/openai-chat/write-request.ts'
import { callStream } from './call-stream.ts'
import { readerContext, refuseUnknownEffort } from './prepare-call.ts'

/** A model that is loaded, as the adapter needs it. */
export interface AnsweringModel {
  /** `event`: one event of OpenAI chat, as JSON. An aborted signal ends it, with the signal's reason. */
  answer(body: object, on: { event(json: string): void }, signal: AbortSignal): Promise<void>
}

export type LocalModelOptions = {
  /**
   * Has the model ready, downloaded and loaded if need be, for as long as `run` takes; one at a time, others wait. Errors: a
   * `SideloopError` that says what to do, a `ModelCallError` where another try may help, the signal's reason.
   */
  use(model: string, run: (loaded: AnsweringModel) => Promise<void>, signal: AbortSignal): Promise<void>
  info?(model: string): ModelInfo | undefined
  readonly newId?: () => string
}

/** Sees no pictures. Calls of tools are read from the engine's own, and from the text where `info` says so. */
export const localModel = (options: LocalModelOptions): LlmAdapter => {
  const info = (_provider: string, model: string): ModelInfo => ({ images: false, efforts: [], ...options.info?.(model) })
  return {
    info,
    stream: (request) =>
      callStream(async (emit, signal) => {
        refuseUnknownEffort(request, info(request.provider, request.model))
        await options.use(
          request.model,
          async (loaded) => {
            // Only now: what a model can do may be known since it is loaded.
            const known = info(request.provider, request.model)
            const body = writeChatRequest(request, { dialect: chatDialect('', request.model), info: known })
            const context = await readerContext(options.newId === undefined ? {} : { newId: options.newId }, request, known)
            const reader = openaiChatReader(context, emit)
            const encoder = new TextEncoder()
            await loaded.answer(body, { event: (json) => reader.push(encoder.encode(`data: ${json}\n\n`)) }, signal)
            reader.end()
          },
          signal,
        )
      }, request.signal),
  }
}
