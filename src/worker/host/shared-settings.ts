// Settings that every tab has to know at once: whoever changes one says so to the others, which read it anew.
import type { SettingsStore } from '../../storage/settings-store.ts'
import type { News } from './news.ts'

export type SharedSettings = SettingsStore & Pick<News, 'onNews'>

export const sharedSettings = (store: SettingsStore, { tell, onNews }: Pick<News, 'tell' | 'onNews'>): SharedSettings => ({
  get: (name) => store.get(name),
  async set(name, value) {
    await store.set(name, value)
    tell(name)
  },
  async remove(name) {
    await store.remove(name)
    tell(name)
  },
  onNews,
})
