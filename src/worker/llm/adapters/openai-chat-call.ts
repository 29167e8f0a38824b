// One call to an OpenAI-chat server: the request written, sent with the vendor's own headers only, the answer read as it streams.
import type { Message } from '../../../storage/log/content.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'
import type { LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { modelCallError } from '../model-call-error.ts'
import { chatDialect } from '../wire/openai-chat/dialects.ts'
import { openaiChatReader } from '../wire/openai-chat/read-reply.ts'
import { writeChatRequest } from '../wire/openai-chat/write-request.ts'
import type { ReaderContext } from '../wire/reply-reader.ts'
import type { OpenaiChatOptions } from './openai-chat.ts'
import { readPictures } from './read-pictures.ts'
import { fetchJson, type ModelCall, streamResponse } from './stream-response.ts'

export async function* streamChat(options: OpenaiChatOptions, request: LlmRequest, known: ModelInfo): AsyncGenerator<Chunk> {
  refuseUnknownEffort(request, known)
  const { readBlob } = options
  const dialect = chatDialect(baseUrlOf(options), request.model)
  const call = await modelCall(options, 'POST', '/chat/completions')
  const pictures = await readPictures(request.messages, known.images === false ? undefined : readBlob)
  const body = writeChatRequest(request, { dialect, info: known, picture: (block) => pictures.get(block.blob) })
  const context: ReaderContext = {
    newId: options.newId ?? randomId,
    takenIds: callIds(request.messages),
    ...(request.tools === undefined ? {} : { tools: request.tools }),
    ...(dialect.taggedThinking ? { taggedThinking: true } : {}),
    ...(known.textCalls === true ? { textCalls: (await import('../wire/text-calls/find-calls.ts')).textCalls } : {}),
  }
  yield* streamResponse({ ...call, body: JSON.stringify(body) }, (emit) => openaiChatReader(context, emit), options, request.signal)
}

export type ListedModel = { readonly id: string; readonly name?: string }

export const listModels = async (options: OpenaiChatOptions, signal: AbortSignal): Promise<readonly ListedModel[]> =>
  readModels(await fetchJson(await modelCall(options, 'GET', '/models'), options, signal))

const baseUrlOf = ({ baseUrl }: OpenaiChatOptions): string =>
  baseUrl
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '')

const modelCall = async (options: OpenaiChatOptions, method: ModelCall['method'], path: string): Promise<ModelCall> => {
  const key = (typeof options.key === 'function' ? await options.key() : options.key)?.trim() ?? ''
  // Checked here, because fetch would quote it in what it throws.
  if (!/^[\x21-\x7e]*$/.test(key)) throw modelCallError(BROKEN_KEY)
  return {
    url: `${baseUrlOf(options)}${path}`,
    method,
    headers: {
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(key === '' ? {} : { secret: key }),
  }
}

const BROKEN_KEY = {
  class: 'auth',
  transient: false,
  message:
    'The key holds characters that no key has, such as a blank or a line break. Copy it again and save it in the settings of this provider.',
} as const

const randomId = (): string => `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`

const refuseUnknownEffort = ({ effort, model }: LlmRequest, { efforts }: ModelInfo): void => {
  if (effort === undefined || efforts === undefined || efforts.includes(effort)) return
  const has = efforts.length === 0 ? 'It has none: leave it out.' : `It has: ${efforts.join(', ')}.`
  throw modelCallError({ class: 'provider', transient: false, message: `The model ${model} has no effort level "${effort}". ${has}` })
}

const callIds = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))))

/** `{data: [{id}]}` as OpenAI has it, `{models: [{name}]}` or a bare list as others do. What is none of these is an error. */
const readModels = (answer: unknown): readonly ListedModel[] => {
  const list = Array.isArray(answer) ? answer : isFields(answer) ? (answer.data ?? answer.models) : undefined
  if (!Array.isArray(list)) {
    throw modelCallError({
      class: 'protocol',
      transient: false,
      message: 'The server has no list of models at this address. Check the base URL, or type the name of the model.',
    })
  }
  return list.flatMap((entry): readonly ListedModel[] => {
    if (typeof entry === 'string') return [{ id: entry }]
    if (!isFields(entry)) return []
    const id = entry.id ?? entry.name ?? entry.model
    if (typeof id !== 'string' || id === '') return []
    return [{ id, ...(typeof entry.name === 'string' && entry.name !== id ? { name: entry.name } : {}) }]
  })
}
const isFields = (value: unknown): value is { readonly [key: string]: unknown } => typeof value === 'object' && value !== null
