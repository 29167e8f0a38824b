// One call to a Responses server: the request written, sent with the vendor's own headers only, the answer read as it streams.
import type { LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { modelCallError } from '../model-call-error.ts'
import { responsesReader } from '../wire/openai-responses/read-reply.ts'
import { writeResponsesRequest } from '../wire/openai-responses/write-request.ts'
import type { OpenaiResponsesOptions } from './openai-responses.ts'
import { baseUrlOf, modelCall, picturesOf, readerContext, refuseUnknownEffort } from './prepare-call.ts'
import { type ListedModel, readModels } from './read-models.ts'
import { fetchJson, type ModelCall, type WrittenCall } from './stream-response.ts'

export const writeCall = async (options: OpenaiResponsesOptions, request: LlmRequest, known: ModelInfo): Promise<WrittenCall> => {
  refuseUnknownEffort(request, known)
  if (request.stop !== undefined && request.stop.length > 0) throw modelCallError(NO_STOP)
  const call = await callTo(options, 'POST', '/responses')
  const picture = await picturesOf(options, request, known)
  const { summary } = options
  const body = writeResponsesRequest(request, { info: known, picture, ...(summary === undefined ? {} : { summary }) })
  const context = await readerContext(options, request, known)
  return { call: { ...call, body: JSON.stringify(body) }, reader: (emit) => responsesReader(context, emit) }
}

const NO_STOP = {
  class: 'provider',
  transient: false,
  message: 'OpenAI Responses has no stop sequences: leave them out, or use the same model through chat completions.',
} as const

export const listModels = async (options: OpenaiResponsesOptions, signal: AbortSignal): Promise<readonly ListedModel[]> =>
  readModels(await fetchJson(await callTo(options, 'GET', '/models'), options, signal))

const callTo = (options: OpenaiResponsesOptions, method: ModelCall['method'], path: string): Promise<ModelCall> => {
  const base = baseUrlOf(options.baseUrl ?? 'https://api.openai.com/v1', /\/responses$/)
  return modelCall(options, method, `${base}${path}`, (key) => ({ authorization: `Bearer ${key}` }))
}
