// The models that can be chosen: the served ones first, then those of the providers that a person added; and a test for each.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import { messageOf } from '../../storage/log/errors.ts'
import type { ModelFailure } from '../../storage/log/model-call.ts'
import type { SettingsStore } from '../../storage/settings-store.ts'
import type { LlmAdapter } from '../hooks/llm.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import type { ModelChoice, ModelProbe, ProviderDraft } from '../protocol/providers.ts'
import type { BuiltIn } from './built-in-model.ts'
import type { Providers } from './providers.ts'

/** A provider that the application itself brings. The first model of the first one is what new sessions start with. */
export type ServedModels = {
  readonly provider: string
  readonly label: string
  readonly detail?: string
  readonly models: readonly string[]
  readonly adapter: LlmAdapter
}

const CHOSEN = 'chosen-model'
/** A local server may have to load its model first. */
const PROBE_MS = 60_000
const DISCOVER_MS = 20_000

const failureOf = (thrown: unknown): ModelFailure => {
  if (thrown instanceof Error && 'failure' in thrown && thrown.failure) return thrown.failure as ModelFailure
  return { class: 'provider', message: messageOf(thrown), transient: false }
}

const ask = async (adapter: LlmAdapter, provider: string, model: string): Promise<void> => {
  const request = {
    provider,
    model,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with one word: ready.' }] }],
    signal: AbortSignal.timeout(PROBE_MS),
  }
  for await (const chunk of adapter.stream(request)) {
    if (chunk.type !== 'finish') continue
    if (chunk.reason.kind === 'error')
      throw Object.assign(new Error(chunk.reason.message), chunk.reason.failure && { failure: chunk.reason.failure })
    return
  }
}

export const createModels = (
  providers: Providers,
  settings: SettingsStore,
  served: readonly ServedModels[],
  builtIn: Pick<BuiltIn, 'choices'>,
): AgentHost['models'] => {
  const byDefault: AgentOptions = served[0]?.models[0] === undefined ? {} : { provider: served[0].provider, model: served[0].models[0] }

  const test = async (draft: ProviderDraft): Promise<ModelProbe> => {
    const started = performance.now()
    try {
      const adapter = providers.adapterFor(draft)
      const model = draft.models[0] ?? (await adapter.models?.(draft.id, AbortSignal.timeout(DISCOVER_MS)))?.[0]?.id
      if (model === undefined)
        return { ok: false, class: 'provider', message: 'The server lists no models. Add the name of a model, then test again.' }
      await ask(adapter, draft.id, model)
      const ms = Math.round(performance.now() - started)
      return { ok: true, ms, message: `${model} answered in ${ms} ms.` }
    } catch (thrown) {
      const { class: kind, message } = failureOf(thrown)
      return { ok: false, class: kind, message }
    }
  }

  return {
    async list() {
      const own = served.flatMap(({ provider, label, detail, models }) =>
        models.map((model): ModelChoice => ({ provider, model, label: `${label}`, ...(detail === undefined ? {} : { detail }) })),
      )
      const added = (await providers.list()).flatMap(({ id, label, models }) =>
        models.map((model): ModelChoice => ({ provider: id, model, label: model, detail: label })),
      )
      return [...own, ...builtIn.choices(), ...added]
    },
    providers: () => providers.list(),
    save: ({ provider }) => providers.save(provider),
    remove: ({ providerId }) => providers.remove(providerId),
    test: ({ provider }) => test(provider),
    async discover({ provider }) {
      const models = await providers.adapterFor(provider).models?.(provider.id, AbortSignal.timeout(DISCOVER_MS))
      return (models ?? []).map(({ id }) => id)
    },
    choose: ({ options }) => settings.set(CHOSEN, options),
    async chosen() {
      const stored = await settings.get(CHOSEN)
      const known = typeof stored === 'object' && stored !== null && !Array.isArray(stored) ? (stored as AgentOptions) : {}
      // A provider that was removed meanwhile must not be the start of every new session.
      const exists = (await this.list({})).some(({ provider, model }) => provider === known.provider && model === known.model)
      return exists ? known : byDefault
    },
  }
}
