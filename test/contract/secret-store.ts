// The suite of the secret port: every adapter runs it.
import { describe, expect, it } from 'vitest'
import type { SecretStore } from '../../src/storage/secret-store.ts'
import type { StorageHarness } from './storage-harness.ts'
import { withStorage } from './with-storage.ts'

export const secretStoreSuite = (harness: StorageHarness): void => {
  describe(`secret store: ${harness.name}`, () => {
    const storage = withStorage(harness)
    const here = (): SecretStore => storage().here.secrets
    const there = (): SecretStore => storage().there.secrets

    it('S14 a secret is read back in every tab; one never set is undefined', async () => {
      await here().set('provider/demo', 'sk-é😀')
      await here().set('empty', '')
      expect(await there().get('provider/demo')).toBe('sk-é😀')
      expect(await there().get('empty')).toBe('')
      expect(await there().get('provider/other')).toBeUndefined()
    })

    it('S14 names are listed, values are not', async () => {
      await here().set('b', 'value-b')
      await here().set('a', 'value-a')
      expect(await there().names()).toEqual(['a', 'b'])
    })

    it('a secret is replaced by the next one of its name, and removed', async () => {
      await here().set('a', 'one')
      await there().set('a', 'two')
      expect(await here().get('a')).toBe('two')
      await here().remove('a')
      await here().remove('a')
      expect(await there().get('a')).toBeUndefined()
      expect(await there().names()).toEqual([])
    })

    it('first secrets that two tabs set at the same time are both readable', async () => {
      await Promise.all([here().set('a', 'from here'), there().set('b', 'from there')])
      expect(await Promise.all([there().get('a'), here().get('b')])).toEqual(['from here', 'from there'])
    })
  })
}
