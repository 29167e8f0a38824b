// One call to an Anthropic server: the request written, sent with the headers that it asks of browsers, the answer read as it streams.
import type { LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { anthropicDialect } from '../wire/anthropic/dialects.ts'
import { effortsOf } from '../wire/anthropic/effort.ts'
import { anthropicReader } from '../wire/anthropic/read-reply.ts'
import { writeAnthropicRequest } from '../wire/anthropic/write-request.ts'
import type { AnthropicOptions } from './anthropic.ts'
import { baseUrlOf, modelCall, picturesOf, readerContext, refuseUnknownEffort } from './prepare-call.ts'
import { type ListedModel, readModels } from './read-models.ts'
import { fetchJson, type ModelCall, type WrittenCall } from './stream-response.ts'

export const writeCall = async (options: AnthropicOptions, request: LlmRequest, known: ModelInfo): Promise<WrittenCall> => {
  const efforts = known.efforts ?? effortsOf(anthropicDialect(request.model))
  refuseUnknownEffort(request, { ...known, ...(efforts === undefined ? {} : { efforts }) })
  const call = await callTo(options, 'POST', '/v1/messages')
  const picture = await picturesOf(options, request, known)
  const body = writeAnthropicRequest(request, { info: known, picture })
  const context = await readerContext(options, request, known)
  return { call: { ...call, body: JSON.stringify(body) }, reader: (emit) => anthropicReader(context, emit) }
}

export const listModels = async (options: AnthropicOptions, signal: AbortSignal): Promise<readonly ListedModel[]> =>
  readModels(await fetchJson(await callTo(options, 'GET', '/v1/models?limit=1000'), options, signal), options)

/** The server answers a browser only with the last of these: without it there is no CORS header, and the page sees no reason at all. */
const HEADERS = { 'anthropic-version': '2023-06-01', 'anthropic-dangerous-direct-browser-access': 'true' }

const callTo = (options: AnthropicOptions, method: ModelCall['method'], path: string): Promise<ModelCall> => {
  const base = baseUrlOf(options.baseUrl ?? 'https://api.anthropic.com', /\/v1(\/messages)?$/)
  return modelCall(options, method, `${base}${path}`, (key) => ({ 'x-api-key': key }), HEADERS)
}
