// Settings in IndexedDB.
import { readSetting } from '../setting-value.ts'
import type { SettingsStore } from '../settings-store.ts'
import type { Database } from './open-database.ts'

export const idbSettingsStore = (db: Database): SettingsStore => ({
  async get(name) {
    const row = await db.read(['settings'], (tx) => tx.objectStore('settings').get(name))
    return row && readSetting(name, row.value)
  },
  async set(name, given) {
    const value = readSetting(name, given)
    await db.write(['settings'], 'strict', (tx) => tx.objectStore('settings').put({ name, value }))
  },
  async remove(name) {
    await db.write(['settings'], 'strict', (tx) => tx.objectStore('settings').delete(name))
  },
})
