// The adapter for OpenAI chat completions and the many servers that speak it, over plain fetch with the vendor's own headers only.
import type { BlobId, ImageBlock, Message } from '../../../storage/log/content.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { lookUpModel } from '../catalogue.ts'
import { modelCallError } from '../model-call-error.ts'
import { chatDialect } from '../wire/openai-chat/dialects.ts'
import { openaiChatReader } from '../wire/openai-chat/read-reply.ts'
import { writeChatRequest } from '../wire/openai-chat/write-request.ts'
import type { ReaderContext } from '../wire/reply-reader.ts'
import { base64 } from './base64.ts'
import { fetchJson, type ModelCall, streamResponse, type Transport } from './stream-response.ts'

export type OpenaiChatOptions = Transport & {
  /** The part before `/chat/completions`, such as `https://api.openai.com/v1` or `http://localhost:11434/v1`. */
  readonly baseUrl: string
  /** Absent, empty or undefined: no `authorization` header, as local servers want it. Asked anew for each call. */
  readonly key?: string | (() => Promise<string | undefined>)
  /** What a model can do; goes before the catalogue. */
  readonly info?: (provider: string, model: string) => ModelInfo | undefined
  /** The bytes behind a picture. Without it a picture is replaced by a note that says so. */
  readonly readBlob?: (blob: BlobId) => Promise<Uint8Array | undefined>
  /** For calls that came without an id of their own. Default: random. */
  readonly newId?: () => string
}

/**
 * Streams chunks; fails by throwing a `ModelCallError` (the call did not get through, or broke) or by a finish of kind `error`
 * (the server said so inside its stream, or the stream stopped). An abort ends it at once with the signal's reason.
 */
export const openaiChat = (options: OpenaiChatOptions): LlmAdapter => {
  const baseUrl = options.baseUrl
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '')
  const newId = options.newId ?? (() => `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`)
  const info = (provider: string, model: string): ModelInfo | undefined => options.info?.(provider, model) ?? lookUpModel(model)

  const authorized = async (): Promise<{ readonly headers: Record<string, string>; readonly secret?: string }> => {
    const key = (typeof options.key === 'function' ? await options.key() : options.key)?.trim()
    if (key === undefined || key === '') return { headers: {} }
    // Checked here, because fetch would quote it in what it throws.
    if (!/^[\x21-\x7e]+$/.test(key)) throw modelCallError(BROKEN_KEY)
    return { headers: { authorization: `Bearer ${key}` }, secret: key }
  }

  return {
    info,
    async *stream(request) {
      const known = info(request.provider, request.model) ?? {}
      refuseUnknownEffort(request, known)
      const { headers, secret } = await authorized()
      const pictures = await readPictures(request.messages, known, options.readBlob)
      const dialect = chatDialect(baseUrl, request.model)
      const body = writeChatRequest(request, {
        dialect,
        info: known,
        picture: (block) => pictures.get(block.blob),
      })
      const call: ModelCall = {
        url: `${baseUrl}/chat/completions`,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        ...(secret === undefined ? {} : { secret }),
      }
      const context: ReaderContext = {
        newId,
        takenIds: callIds(request.messages),
        ...(request.tools === undefined ? {} : { tools: request.tools }),
        ...(dialect.taggedThinking ? { taggedThinking: true } : {}),
        ...(known.textCalls === true ? { textCalls: known.tools === false ? 'only' : 'beside-native' } : {}),
      }
      yield* streamResponse(call, (emit) => openaiChatReader(context, emit), options, request.signal)
    },
    async models(_provider, signal) {
      const { headers, secret } = await authorized()
      const call: ModelCall = { url: `${baseUrl}/models`, method: 'GET', headers, ...(secret === undefined ? {} : { secret }) }
      return readModels(await fetchJson(call, options, signal))
    },
  }
}

const BROKEN_KEY = {
  class: 'auth',
  transient: false,
  message:
    'The key holds characters that no key has, such as a blank or a line break. Copy it again and save it in the settings of this provider.',
} as const

const refuseUnknownEffort = ({ effort, model }: LlmRequest, { efforts }: ModelInfo): void => {
  if (effort === undefined || efforts === undefined || efforts.includes(effort)) return
  const known = efforts.length === 0 ? 'It has none: leave it out.' : `It has: ${efforts.join(', ')}.`
  throw modelCallError({ class: 'provider', transient: false, message: `The model ${model} has no effort level "${effort}". ${known}` })
}

const callIds = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))))

const imagesOf = (messages: readonly Message[]): readonly ImageBlock[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'image' ? [block] : block.type === 'tool-result' ? block.content.filter(isImage) : [])),
  )
const isImage = (block: Message['content'][number]): block is ImageBlock => block.type === 'image'

const readPictures = async (
  messages: readonly Message[],
  info: ModelInfo,
  readBlob: OpenaiChatOptions['readBlob'],
): Promise<ReadonlyMap<BlobId, string>> => {
  const pictures = new Map<BlobId, string>()
  if (readBlob === undefined || info.images === false) return pictures
  for (const { blob, mediaType } of imagesOf(messages)) {
    const bytes = pictures.has(blob) ? undefined : await readBlob(blob)
    if (bytes !== undefined) pictures.set(blob, `data:${mediaType};base64,${base64(bytes)}`)
  }
  return pictures
}

type Listed = { readonly id: string; readonly name?: string }

/** `{data: [{id}]}` as OpenAI has it, `{models: [{name}]}` or a bare list as others do. What is none of these is an error. */
const readModels = (answer: unknown): readonly Listed[] => {
  const list = Array.isArray(answer) ? answer : isFields(answer) ? (answer.data ?? answer.models) : undefined
  if (!Array.isArray(list)) {
    throw modelCallError({
      class: 'protocol',
      transient: false,
      message: 'The server has no list of models at this address. Check the base URL, or type the name of the model.',
    })
  }
  return list.flatMap((entry): readonly Listed[] => {
    if (typeof entry === 'string') return [{ id: entry }]
    if (!isFields(entry)) return []
    const id = entry.id ?? entry.name ?? entry.model
    if (typeof id !== 'string' || id === '') return []
    return [{ id, ...(typeof entry.name === 'string' && entry.name !== id ? { name: entry.name } : {}) }]
  })
}
const isFields = (value: unknown): value is { readonly [key: string]: unknown } => typeof value === 'object' && value !== null
