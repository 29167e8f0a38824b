// The models that can be chosen and the providers that a person added, put together. Loaded apart from the core.
import type { Stores } from '../../storage/stores.ts'
import type { Scope } from '../loop/scope.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import { type BuiltIn, createBuiltIn } from './built-in-model.ts'
import { createModels, type ServedModels } from './models.ts'
import { createProviders } from './providers.ts'

/** Resolves when every stored provider has its adapter. */
export const mountModelSettings = async (
  llm: Scope['llm'],
  stores: Stores,
  served: readonly ServedModels[],
): Promise<{ readonly models: AgentHost['models']; readonly builtIn: BuiltIn }> => {
  const providers = createProviders(llm, stores)
  await providers.load()
  const builtIn = createBuiltIn(llm)
  return { models: createModels(providers, stores.settings, served, builtIn), builtIn }
}
