// The adapter for Google's Gemini API (`streamGenerateContent`), over plain fetch. The key goes in a header, never in an address.
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { geminiReader } from '../wire/gemini/read-reply.ts'
import { writeGeminiRequest } from '../wire/gemini/write-request.ts'
import { baseUrlOf, modelCall, picturesOf, readerContext, refuseUnknownEffort } from './prepare-call.ts'
import { type ListedModel, readModels } from './read-models.ts'
import { fetchJson, type ModelCall, type WrittenCall } from './stream-response.ts'
import { vendorAdapter } from './vendor-adapter.ts'
import type { VendorOptions } from './vendor-options.ts'

export type GeminiOptions = VendorOptions & {
  /** Up to the version. Default `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseUrl?: string
}

const GOOGLE = 'https://generativelanguage.googleapis.com/v1beta'

/** Fails as `openaiChat` does. */
export const gemini = (options: GeminiOptions = {}): LlmAdapter => vendorAdapter(options, { write: writeCall, models: listModels })

const writeCall = async (options: GeminiOptions, request: LlmRequest, known: ModelInfo): Promise<WrittenCall> => {
  refuseUnknownEffort(request, known)
  const call = await callTo(options, 'POST', `/${modelPath(request.model)}:streamGenerateContent?alt=sse`)
  const picture = await picturesOf(options, request, known)
  const body = writeGeminiRequest(request, { info: known, picture, callIds: !isVertex(options) })
  const context = await readerContext(options, request, known)
  return { call: { ...call, body: JSON.stringify(body) }, reader: (emit) => geminiReader(context, emit) }
}

const listModels = async (options: GeminiOptions, signal: AbortSignal): Promise<readonly ListedModel[]> =>
  readModels(await fetchJson(await callTo(options, 'GET', '/models?pageSize=1000'), options, signal), options)

const base = ({ baseUrl = GOOGLE }: GeminiOptions): string => {
  const given = baseUrlOf(baseUrl, /\/models(\/[^/]*)?$/)
  return /\/v\d\w*(\/|$)/.test(given) ? given : `${given}/v1beta`
}

const isVertex = ({ baseUrl = '' }: GeminiOptions): boolean => /aiplatform\.googleapis\.com/.test(baseUrl)

/** `gemini-x` or a path of its own, such as `models/gemini-x` or `tunedModels/mine`. */
const modelPath = (model: string): string => {
  const path = model.includes('/') ? model : `models/${model}`
  return path.split('/').map(encodeURIComponent).join('/')
}

const callTo = (options: GeminiOptions, method: ModelCall['method'], path: string): Promise<ModelCall> =>
  modelCall(options, method, `${base(options)}${path}`, (key) => ({ 'x-goog-api-key': key }))
