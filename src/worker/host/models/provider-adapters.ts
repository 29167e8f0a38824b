// Which adapter speaks which protocol. Each is loaded with its first call: nobody pays for a vendor that they do not use.
import type { LlmAdapter } from '../../hooks/llm.ts'
import type { VendorOptions } from '../../llm/adapters/vendor-options.ts'
import { lazyAdapter } from '../../llm/lazy-adapter.ts'
import type { ProviderApi } from '../../protocol/providers.ts'

export type ServerOptions = VendorOptions & { readonly baseUrl: string }

/** To add one: a line here, its name in `PROVIDER_APIS`, and a preset in the page's `provider-presets.ts`. */
const ADAPTERS: { readonly [A in ProviderApi]: (options: ServerOptions) => Promise<LlmAdapter> } = {
  'openai-chat': async (options) => (await import('../../llm/adapters/openai-chat.ts')).openaiChat(options),
  'openai-responses': async (options) => (await import('../../llm/adapters/openai-responses.ts')).openaiResponses(options),
  anthropic: async (options) => (await import('../../llm/adapters/anthropic.ts')).anthropic(options),
  gemini: async (options) => (await import('../../llm/adapters/gemini.ts')).gemini(options),
  ollama: async (options) => (await import('../../llm/adapters/ollama.ts')).ollama(options),
}

/** `info` is known before the code of the adapter is there. */
export const providerAdapter = (api: ProviderApi, options: ServerOptions): LlmAdapter => ({
  ...lazyAdapter(() => ADAPTERS[api](options)),
  ...(options.info === undefined ? {} : { info: options.info }),
})
