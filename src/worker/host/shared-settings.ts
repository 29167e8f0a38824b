// Settings that every tab has to know at once: whoever changes one says so to the others, which read it anew.
import type { SettingsStore } from '../../storage/settings-store.ts'
import type { Channels } from './tabs/channels.ts'

export type SharedSettings = SettingsStore & {
  /** Called when another tab has changed the setting of that name. */
  onNews(name: string, listener: () => void): void
}

const isNews = (message: unknown): message is { readonly name: string } =>
  typeof message === 'object' && message !== null && 'name' in message && typeof message.name === 'string'

/** Without channels no news comes: then each worker knows what it read when it started. */
export const sharedSettings = (store: SettingsStore, channels: Channels | undefined): SharedSettings => {
  const listeners = new Map<string, (() => void)[]>()
  const channel = channels?.('settings', (message) => {
    if (isNews(message)) for (const listener of listeners.get(message.name) ?? []) listener()
  })
  return {
    get: (name) => store.get(name),
    async set(name, value) {
      await store.set(name, value)
      channel?.post({ name })
    },
    async remove(name) {
      await store.remove(name)
      channel?.post({ name })
    },
    onNews: (name, listener) => void listeners.set(name, [...(listeners.get(name) ?? []), listener]),
  }
}
