// The adapter for Ollama's own API (`/api/chat`), for a server on this machine, in this network, or behind a proxy with a key.
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { ollamaChatReader } from '../wire/ollama-chat/read-reply.ts'
import { type OllamaWriteOptions, writeOllamaRequest } from '../wire/ollama-chat/write-request.ts'
import { listOllamaModels } from './ollama-models.ts'
import { baseUrlOf, modelCall, picturesOf, readerContext, refuseUnknownEffort } from './prepare-call.ts'
import type { ModelCall, WrittenCall } from './stream-response.ts'
import { vendorAdapter } from './vendor-adapter.ts'
import type { VendorOptions } from './vendor-options.ts'

export type OllamaOptions = VendorOptions &
  Pick<OllamaWriteOptions, 'contextTokens' | 'keepAlive'> & {
    /** Default `http://localhost:11434`. `/api` and `/v1` at its end are left out. */
    readonly baseUrl?: string
  }

const HERE = 'http://localhost:11434'

/** Fails as `openaiChat` does. A browser is refused until the server is told its origin by `OLLAMA_ORIGINS`. */
export const ollama = (options: OllamaOptions = {}): LlmAdapter =>
  vendorAdapter(options, {
    write: writeCall,
    models: (given, signal) => listOllamaModels((method, path) => callTo(given, method, path), given, signal),
  })

const writeCall = async (options: OllamaOptions, request: LlmRequest, known: ModelInfo): Promise<WrittenCall> => {
  refuseUnknownEffort(request, known)
  const call = await callTo(options, 'POST', '/api/chat')
  const picture = await picturesOf(options, request, known)
  const body = writeOllamaRequest(request, { ...options, info: known, picture })
  const context = await readerContext(options, request, known)
  return { call: { ...call, body: JSON.stringify(body) }, reader: (emit) => ollamaChatReader(context, emit) }
}

const callTo = (options: OllamaOptions, method: ModelCall['method'], path: string): Promise<ModelCall> =>
  modelCall(options, method, `${baseUrlOf(options.baseUrl ?? HERE, /\/(api(\/chat)?|v1)$/)}${path}`, (key) => ({
    authorization: `Bearer ${key}`,
  }))
