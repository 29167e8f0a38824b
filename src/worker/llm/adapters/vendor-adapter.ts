// What every adapter over HTTP is: what is known of a model, one call, one list.
import type { Chunk } from '../../../storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../hooks/llm.ts'
import { lookUpModel } from '../catalogue.ts'
import type { ListedModel } from './read-models.ts'
import type { VendorOptions } from './vendor-options.ts'

export type VendorCalls<Options> = {
  stream(options: Options, request: LlmRequest, known: ModelInfo): AsyncIterable<Chunk>
  models(options: Options, signal: AbortSignal): Promise<readonly ListedModel[]>
}

/** What the application says of a model goes before the catalogue. */
export const vendorAdapter = <Options extends VendorOptions>(options: Options, { stream, models }: VendorCalls<Options>): LlmAdapter => {
  const info = (provider: string, model: string): ModelInfo | undefined => options.info?.(provider, model) ?? lookUpModel(model)
  return {
    info,
    stream: (request) => stream(options, request, info(request.provider, request.model) ?? {}),
    models: (_provider, signal) => models(options, signal),
  }
}
