// The models that can be chosen and the providers that a person added, put together. Loaded apart from the core.
import type { Stores } from '../../../storage/stores.ts'
import type { Scope } from '../../loop/scope.ts'
import type { AgentHost } from '../../protocol/agent-host.ts'
import type { LocalModelsOptions } from '../local-models/mount-local-models.ts'
import type { SharedSettings } from '../shared-settings.ts'
import { createAttempts } from './attempts.ts'
import { type BuiltIn, createBuiltIn } from './built-in-model.ts'
import { createLocalGroup, type LocalGroup } from './local-group.ts'
import { type Catalogue, modelFacts } from './model-facts.ts'
import { createModels, type ServedModels } from './models.ts'
import { createProviders } from './providers.ts'
import { browserSurroundings, type Surroundings } from './surroundings.ts'
import { createTryProvider } from './try-provider.ts'

export type ModelSettingsNeeds = {
  readonly llm: Scope['llm']
  readonly stores: Pick<Stores, 'secrets' | 'blobs'>
  readonly settings: SharedSettings
  readonly served: readonly ServedModels[]
  readonly now: () => number
  readonly catalogue?: Catalogue | undefined
  /** What runs models in this tab; without it there are none. */
  readonly local?: LocalModelsOptions | undefined
  /** Told that something about those changed. */
  readonly onLocalChange?: () => void
  /** Default: the browser's. */
  readonly surroundings?: Surroundings
}

/** Resolves when every stored provider has its adapter. */
export const mountModelSettings = async ({
  llm,
  stores,
  settings,
  served,
  now,
  catalogue,
  local: options,
  onLocalChange: onChange = () => {},
  surroundings = browserSurroundings(now),
}: ModelSettingsNeeds): Promise<{ readonly models: AgentHost['models']; readonly builtIn: BuiltIn; readonly local: LocalGroup }> => {
  const attempts = createAttempts()
  const facts = modelFacts(catalogue)
  const providers = createProviders({ llm, stores, settings, facts, surroundings })
  await providers.load()
  const builtIn = createBuiltIn(llm)
  const local = createLocalGroup(llm, options && { options, settings, surroundings, onChange })
  const tryProvider = createTryProvider({ providers, attempts, facts, surroundings })
  const models = createModels({ providers, settings, served, builtIn, local, facts, tryProvider, attempts, surroundings })
  return { models, builtIn, local }
}
