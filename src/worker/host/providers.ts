// The model providers that a person added: settings in plain, keys encrypted, one adapter each in the runtime.
import type { Json } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { Stores } from '../../storage/stores.ts'
import type { Disposer } from '../hooks/agent.ts'
import type { LlmAdapter } from '../hooks/llm.ts'
import { lazyAdapter } from '../llm/lazy-adapter.ts'
import type { Scope } from '../loop/scope.ts'
import type { ProviderDraft, ProviderView } from '../protocol/providers.ts'

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

const isSaved = (value: unknown): value is Saved => {
  if (typeof value !== 'object' || value === null) return false
  const { id, label, api, baseUrl, models } = value as Readonly<Record<string, unknown>>
  return (
    typeof id === 'string' && typeof label === 'string' && api === 'openai-chat' && typeof baseUrl === 'string' && Array.isArray(models)
  )
}

/** What this version cannot read is left out, and left as it is until the person saves again. */
const readSaved = (value: Json | undefined): readonly Saved[] => (Array.isArray(value) ? value.filter(isSaved) : [])

export const createProviders = (
  llm: Scope['llm'],
  { settings, secrets, blobs }: Pick<Stores, 'settings' | 'secrets' | 'blobs'>,
): Providers => {
  const registered = new Map<string, Disposer>()

  const saved = async (): Promise<readonly Saved[]> => readSaved(await settings.get(SETTING))
  const adapterFor = ({ key, ...provider }: ProviderDraft): LlmAdapter =>
    lazyAdapter(async () => {
      const { openaiChat } = await import('../llm/adapters/openai-chat.ts')
      return openaiChat({
        baseUrl: provider.baseUrl,
        key: async () => (key === undefined ? secrets.get(secretName(provider)) : key),
        readBlob: (blob) => blobs.get(blob),
        surroundings: () => ({ online: navigator.onLine, origin: location.origin }),
      })
    })

  const register = async (provider: Saved): Promise<void> => {
    await registered.get(provider.id)?.()
    registered.set(provider.id, llm.registerAdapter([provider.id], adapterFor(provider)))
  }

  const forgetKeys = async (id: string, isGone: (name: string) => boolean): Promise<void> => {
    for (const name of await secrets.names()) if (name.startsWith(secretPrefix(id)) && isGone(name)) await secrets.remove(name)
  }

  return {
    adapterFor,
    async load() {
      for (const provider of await saved()) await register(provider)
    },
    async list() {
      const names = new Set(await secrets.names())
      return (await saved()).map((provider) => ({ ...provider, hasKey: names.has(secretName(provider)) }))
    },
    async save({ key, ...provider }) {
      if (!registered.has(provider.id) && llm.providers().includes(provider.id)) {
        throw new SideloopError('command/invalid', `"${provider.id}" is the name of a built-in provider: choose another id`)
      }
      const name = secretName(provider)
      if (key !== undefined && key !== '') await secrets.set(name, key)
      // What was stored for another address of this provider is of no use any more.
      await forgetKeys(provider.id, (each) => each !== name || key === '')
      const others = (await saved()).filter(({ id }) => id !== provider.id)
      await settings.set(SETTING, [...others, provider])
      await register(provider)
    },
    async remove(id) {
      await registered.get(id)?.()
      registered.delete(id)
      await forgetKeys(id, () => true)
      await settings.set(
        SETTING,
        (await saved()).filter((provider) => provider.id !== id),
      )
    },
  }
}
