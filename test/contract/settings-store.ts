// The suite of the settings port: every adapter runs it.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/storage/log/content.ts'
import type { SettingsStore } from '../../src/storage/settings-store.ts'
import { expectCode } from './expect-code.ts'
import type { StorageHarness } from './storage-harness.ts'
import { withStorage } from './with-storage.ts'

export const settingsStoreSuite = (harness: StorageHarness): void => {
  describe(`settings store: ${harness.name}`, () => {
    const storage = withStorage(harness)
    const here = (): SettingsStore => storage().here.settings
    const there = (): SettingsStore => storage().there.settings

    it('S1 any JSON is read back as it was, frozen; one never set is undefined', async () => {
      const values: readonly Json[] = [null, false, 0, '', [], {}, { list: [1, { deep: 'é' }], none: null }]
      for (const value of values) {
        await here().set('x', value)
        expect(await there().get('x')).toEqual(value)
      }
      expect(Object.isFrozen(((await there().get('x')) as { readonly list: Json }).list)).toBe(true)
      expect(await there().get('other')).toBeUndefined()
    })

    it('what is changed after it was set does not change the setting', async () => {
      const value = { theme: 'dark' }
      await here().set('x', value)
      value.theme = 'light'
      expect(await here().get('x')).toEqual({ theme: 'dark' })
    })

    it('a removed setting is undefined; removing what is not there is no error', async () => {
      await here().set('x', 1)
      await here().remove('x')
      await here().remove('x')
      expect(await there().get('x')).toBeUndefined()
    })

    it('what is not plain JSON is refused, and the setting stays as it was', async () => {
      await here().set('x', 'before')
      for (const value of [undefined, Number.NaN, () => 1, 1n, new Date()]) {
        await expectCode(here().set('x', value as Json), 'command/invalid')
      }
      expect(await there().get('x')).toBe('before')
    })
  })
}
