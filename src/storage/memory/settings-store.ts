// Settings over a Map.
import type { Json } from '../log/content.ts'
import { readSetting } from '../setting-value.ts'
import type { SettingsStore } from '../settings-store.ts'
import type { Room } from './room.ts'

export const memorySettingsStore = (room: Room): SettingsStore => {
  const settings = new Map<string, Json>()
  return {
    async get(name) {
      return settings.get(name)
    },
    async set(name, value) {
      const setting = readSetting(name, value)
      room.take(setting)
      settings.set(name, setting)
    },
    async remove(name) {
      settings.delete(name)
    },
  }
}
