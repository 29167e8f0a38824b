// Which adapter answers for which provider, and the one door through which every model call leaves.
import { SideloopError } from '../../storage/log/errors.ts'
import type { Chunk } from '../../storage/log/model-call.ts'
import type { Disposer } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../hooks/llm.ts'

export interface LlmRegistry {
  /** Errors: `command/invalid` when a provider is taken, or when the adapter cannot stream. */
  registerAdapter(providers: readonly string[], adapter: LlmAdapter): Disposer
  /** Errors: `command/invalid` when no adapter is registered for the provider; a `TypeError` when what comes is no stream. */
  stream(request: LlmRequest): AsyncIterable<Chunk>
  providers(): readonly string[]
  info(provider: string, model: string): ModelInfo
}

const isStream = (value: unknown): value is AsyncIterable<Chunk> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function'

export const createLlmRegistry = (bus: HookBus): LlmRegistry => {
  const adapters = new Map<string, LlmAdapter>()

  const adapterFor = (provider: string): LlmAdapter => {
    const adapter = adapters.get(provider)
    if (adapter !== undefined) return adapter
    const known = [...adapters.keys()].join(', ') || 'none'
    throw new SideloopError(
      'command/invalid',
      `The provider "${provider}" is not here, or not any more (here: ${known}). Choose another model. In code: register one with llm.registerAdapter.`,
    )
  }

  return {
    registerAdapter(providers, adapter) {
      if (typeof adapter?.stream !== 'function') throw new SideloopError('command/invalid', 'A model adapter needs a function "stream"')
      const taken = providers.find((provider) => adapters.has(provider))
      if (taken !== undefined) throw new SideloopError('command/invalid', `The provider "${taken}" has an adapter already`)
      for (const provider of providers) adapters.set(provider, adapter)
      return () => {
        for (const provider of providers) if (adapters.get(provider) === adapter) adapters.delete(provider)
      }
    },
    stream(request) {
      const stream = bus.waterfall('llm/stream', request, () => adapterFor(request.provider).stream(request))
      if (!isStream(stream))
        throw new TypeError(`The model adapter of "${request.provider}" gave no stream: it must return an async iterable`)
      return stream
    },
    providers: () => [...adapters.keys()],
    info: (provider, model) => adapters.get(provider)?.info?.(provider, model) ?? {},
  }
}
