// What every adapter over HTTP is: what is known of a model, one call, one list.
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { lookUpModel } from '../catalogue.ts'
import type { ListedModel } from './read-models.ts'
import { streamResponse, type WrittenCall } from './stream-response.ts'
import type { VendorOptions } from './vendor-options.ts'

export type VendorCalls<Options> = {
  write(options: Options, request: LlmRequest, known: ModelInfo): Promise<WrittenCall>
  models(options: Options, signal: AbortSignal): Promise<readonly ListedModel[]>
}

/** What the application says of a model goes before the catalogue. */
export const vendorAdapter = <Options extends VendorOptions>(options: Options, { write, models }: VendorCalls<Options>): LlmAdapter => {
  const info = (provider: string, model: string): ModelInfo | undefined => options.info?.(provider, model) ?? lookUpModel(model)
  return {
    info,
    stream: (request) =>
      streamResponse(() => write(options, request, info(request.provider, request.model) ?? {}), options, request.signal),
    models: (_provider, signal) => models(options, signal),
  }
}
