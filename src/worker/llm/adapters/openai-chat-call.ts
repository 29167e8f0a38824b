// One call to an OpenAI-chat server: the request written, sent with the vendor's own headers only, the answer read as it streams.
import type { LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { chatDialect } from '../wire/openai-chat/dialects.ts'
import { openaiChatReader } from '../wire/openai-chat/read-reply.ts'
import { writeChatRequest } from '../wire/openai-chat/write-request.ts'
import type { OpenaiChatOptions } from './openai-chat.ts'
import { baseUrlOf, modelCall, picturesOf, readerContext, refuseUnknownEffort } from './prepare-call.ts'
import { type ListedModel, readModels } from './read-models.ts'
import { fetchJson, type ModelCall, type WrittenCall } from './stream-response.ts'

export const writeCall = async (options: OpenaiChatOptions, request: LlmRequest, known: ModelInfo): Promise<WrittenCall> => {
  refuseUnknownEffort(request, known)
  const call = await callTo(options, 'POST', '/chat/completions')
  const picture = await picturesOf(options, request, known)
  const body = writeChatRequest(request, { dialect: chatDialect(base(options), request.model), info: known, picture })
  const context = await readerContext(options, request, known)
  return { call: { ...call, body: JSON.stringify(body) }, reader: (emit) => openaiChatReader(context, emit) }
}

export const listModels = async (options: OpenaiChatOptions, signal: AbortSignal): Promise<readonly ListedModel[]> =>
  readModels(await fetchJson(await callTo(options, 'GET', '/models'), options, signal), options)

const base = ({ baseUrl }: OpenaiChatOptions): string => baseUrlOf(baseUrl, /\/chat\/completions$/)

const callTo = (options: OpenaiChatOptions, method: ModelCall['method'], path: string): Promise<ModelCall> =>
  modelCall(options, method, `${base(options)}${path}`, (key) => ({ authorization: `Bearer ${key}` }))
