// The models that can be chosen: the served ones first, then those of the providers that a person added; and a test for each.
import type { AgentOptions } from '../../../storage/log/agent-options.ts'
import type { SettingsStore } from '../../../storage/settings-store.ts'
import type { LlmAdapter } from '../../hooks/llm.ts'
import type { AgentHost } from '../../protocol/agent-host.ts'
import type { ModelChoice } from '../../protocol/providers.ts'
import type { Attempts } from './attempts.ts'
import type { BuiltIn } from './built-in-model.ts'
import { findLocalServers } from './find-local-servers.ts'
import type { LocalGroup } from './local-group.ts'
import type { ModelFacts } from './model-facts.ts'
import type { Providers } from './providers.ts'
import type { Surroundings } from './surroundings.ts'
import type { TryProvider } from './try-provider.ts'

/** A provider that the application itself brings. The first model of the first one is what new sessions start with. */
export type ServedModels = {
  readonly provider: string
  readonly label: string
  readonly detail?: string
  readonly models: readonly string[]
  readonly adapter: LlmAdapter
}

export type ModelsNeeds = {
  readonly providers: Providers
  readonly settings: SettingsStore
  readonly served: readonly ServedModels[]
  readonly builtIn: Pick<BuiltIn, 'choices'>
  readonly local: Pick<LocalGroup, 'choices'>
  readonly facts: ModelFacts
  readonly tryProvider: TryProvider
  readonly attempts: Attempts
  readonly surroundings: Surroundings
}

const CHOSEN = 'chosen-model'
/** Longer than the browser's own question to the person is waited for. */
const SEARCH_MS = 70_000

export const createModels = (needs: ModelsNeeds): AgentHost['models'] => {
  const { providers, settings, served, builtIn, local, facts, tryProvider, attempts, surroundings } = needs
  const byDefault: AgentOptions = served[0]?.models[0] === undefined ? {} : { provider: served[0].provider, model: served[0].models[0] }

  return {
    async list() {
      const own = served.flatMap(({ provider, label, detail, models, adapter }) =>
        models.map((model): ModelChoice => {
          const info = adapter.info?.(provider, model)
          return { provider, model, label, ...(detail === undefined ? {} : { detail }), ...(info === undefined ? {} : { info }) }
        }),
      )
      const [all, inTab] = await Promise.all([providers.list(), local.choices()])
      const added = all.flatMap((provider) =>
        provider.models.map((model): ModelChoice => {
          const info = facts(provider, model)
          return { provider: provider.id, model, label: model, detail: provider.label, ...(info === undefined ? {} : { info }) }
        }),
      )
      return [...own, ...builtIn.choices(), ...inTab, ...added]
    },
    providers: () => providers.list(),
    save: ({ provider }) => providers.save(provider),
    remove: ({ providerId }) => providers.remove(providerId),
    test: ({ provider, attempt }) => tryProvider.test(provider, attempt),
    discover: ({ provider, attempt }) => tryProvider.discover(provider, attempt),
    findLocal: ({ attempt }) => attempts.run(attempt, SEARCH_MS, (signal) => findLocalServers(surroundings, signal)),
    stop: async ({ attempt }) => attempts.stop(attempt),
    choose: ({ options }) => settings.set(CHOSEN, options),
    async chosen() {
      const [stored, all] = await Promise.all([settings.get(CHOSEN), this.list({})])
      const known = typeof stored === 'object' && stored !== null && !Array.isArray(stored) ? (stored as AgentOptions) : {}
      // A provider that was removed meanwhile must not be the start of every new session.
      const exists = all.some(({ provider, model }) => provider === known.provider && model === known.model)
      return exists ? known : byDefault
    },
  }
}
