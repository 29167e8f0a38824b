// The model providers that a person added: settings in plain, keys encrypted, one adapter each in the runtime.
import type { Json } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { Stores } from '../../../storage/stores.ts'
import type { Disposer } from '../../hooks/agent.ts'
import type { LlmAdapter } from '../../hooks/llm.ts'
import type { Scope } from '../../loop/scope.ts'
import { savedProvider } from '../../protocol/provider-shape.ts'
import type { ProviderDraft, ProviderView } from '../../protocol/providers.ts'
import type { SharedSettings } from '../shared-settings.ts'
import type { ModelFacts } from './model-facts.ts'
import { providerAdapter } from './provider-adapters.ts'
import type { Surroundings } from './surroundings.ts'

type Saved = Omit<ProviderView, 'hasKey'>

export type Providers = {
  /** Registers what is stored: once, before anything else. */
  load(): Promise<void>
  list(): Promise<readonly ProviderView[]>
  save(draft: ProviderDraft): Promise<void>
  remove(id: string): Promise<void>
  /** An adapter for settings that may not be saved yet. A draft without a key uses the stored one. */
  adapterFor(draft: ProviderDraft): LlmAdapter
}

const SETTING = 'providers'
const secretPrefix = (id: string): string => `provider-key/${id}/`
/** A key belongs to the server that it was given for: another address under the same name does not get it. */
const secretName = ({ id, baseUrl }: { readonly id: string; readonly baseUrl: string }): string =>
  secretPrefix(id) + new URL(baseUrl).origin

/** `undefined` for what this version cannot read. */
const readSaved = (value: Json): Saved | undefined => {
  try {
    return savedProvider(value, '')
  } catch {
    return undefined // of a newer version, or broken: it is kept as it is
  }
}

export type ProvidersNeeds = {
  readonly llm: Scope['llm']
  readonly stores: Pick<Stores, 'secrets' | 'blobs'>
  readonly settings: SharedSettings
  readonly facts: ModelFacts
  readonly surroundings: Surroundings
}

export const createProviders = ({ llm, stores, settings, facts, surroundings }: ProvidersNeeds): Providers => {
  const { secrets, blobs } = stores
  const registered = new Map<string, Disposer>()

  const stored = async (): Promise<readonly Json[]> => {
    const value = await settings.get(SETTING)
    return Array.isArray(value) ? value : []
  }
  const saved = async (): Promise<readonly Saved[]> => (await stored()).flatMap((value) => readSaved(value) ?? [])
  /** What cannot be read stays. */
  const othersThan = async (id: string): Promise<readonly Json[]> => (await stored()).filter((value) => readSaved(value)?.id !== id)

  const adapterFor = ({ key, ...provider }: ProviderDraft): LlmAdapter =>
    providerAdapter(provider.api, {
      baseUrl: provider.baseUrl,
      key: async () => (key === undefined ? secrets.get(secretName(provider)) : key),
      info: (_id, model) => facts(provider, model),
      readBlob: (blob) => blobs.get(blob),
      fetch: surroundings.fetch,
      now: surroundings.now,
      surroundings: () => ({ online: surroundings.online(), origin: surroundings.origin }),
    })

  const register = async (provider: Saved): Promise<void> => {
    await registered.get(provider.id)?.()
    registered.set(provider.id, llm.registerAdapter([provider.id], adapterFor(provider)))
  }

  const forgetKeys = async (id: string, isGone: (name: string) => boolean): Promise<void> => {
    for (const name of await secrets.names()) if (name.startsWith(secretPrefix(id)) && isGone(name)) await secrets.remove(name)
  }

  const unregister = async (id: string): Promise<void> => {
    await registered.get(id)?.()
    registered.delete(id)
  }
  const load = async (): Promise<void> => {
    const all = await saved()
    for (const id of [...registered.keys()]) if (!all.some((provider) => provider.id === id)) await unregister(id)
    for (const provider of all) await register(provider)
  }
  // What another tab saved is used here from then on: this worker may drive a session that is shown there.
  settings.onNews(SETTING, () => void load().catch(() => {})) // what cannot be read now is told by whoever asks for it

  return {
    adapterFor,
    load,
    async list() {
      const [all, names] = await Promise.all([saved(), secrets.names()])
      return all.map((provider) => ({ ...provider, hasKey: names.includes(secretName(provider)) }))
    },
    async save({ key, ...provider }) {
      if (!registered.has(provider.id) && llm.providers().includes(provider.id)) {
        throw new SideloopError('command/invalid', `"${provider.id}" is the name of a built-in provider: choose another id`)
      }
      const name = secretName(provider)
      if (key !== undefined && key !== '') await secrets.set(name, key)
      // What was stored for another address of this provider is of no use any more.
      await forgetKeys(provider.id, (each) => each !== name || key === '')
      await settings.set(SETTING, [...(await othersThan(provider.id)), provider])
      await register(provider)
    },
    async remove(id) {
      await unregister(id)
      await forgetKeys(id, () => true)
      await settings.set(SETTING, [...(await othersThan(id))])
    },
  }
}
