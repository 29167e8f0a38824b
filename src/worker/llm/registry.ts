// Which adapter answers for which provider, and the one door through which every model call leaves.
import { SideloopError } from '../../storage/log/errors.ts'
import type { Chunk } from '../../storage/log/model-call.ts'
import type { Disposer } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../hooks/llm.ts'

export interface LlmRegistry {
  registerAdapter(providers: readonly string[], adapter: LlmAdapter): Disposer
  /** Errors: `command/invalid` when no adapter is registered for the provider. */
  stream(request: LlmRequest): AsyncIterable<Chunk>
  providers(): readonly string[]
  info(provider: string, model: string): ModelInfo
}

export const createLlmRegistry = (bus: HookBus): LlmRegistry => {
  const adapters = new Map<string, LlmAdapter>()

  const adapterFor = (provider: string): LlmAdapter => {
    const adapter = adapters.get(provider)
    if (adapter !== undefined) return adapter
    const known = [...adapters.keys()].join(', ') || 'none'
    throw new SideloopError(
      'command/invalid',
      `No model adapter is registered for the provider "${provider}" (registered: ${known}). Register one with llm.registerAdapter, or choose another provider.`,
    )
  }

  return {
    registerAdapter(providers, adapter) {
      const taken = providers.find((provider) => adapters.has(provider))
      if (taken !== undefined) throw new SideloopError('command/invalid', `The provider "${taken}" has an adapter already`)
      for (const provider of providers) adapters.set(provider, adapter)
      return () => {
        for (const provider of providers) if (adapters.get(provider) === adapter) adapters.delete(provider)
      }
    },
    stream: (request) => bus.waterfall('llm/stream', request, () => adapterFor(request.provider).stream(request)),
    providers: () => [...adapters.keys()],
    info: (provider, model) => adapters.get(provider)?.info?.(provider, model) ?? {},
  }
}
