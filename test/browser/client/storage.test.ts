// Storage as a real browser reports it (S4).
import { expect, test } from 'vitest'
import { clientStorage } from '../../../src/worker/client/storage.ts'

test('S4 the estimate is what the browser gives this origin', async () => {
  const { usage, quota, persisted } = await clientStorage().estimate()
  expect(quota).toBe((await navigator.storage.estimate()).quota)
  expect(usage).toBeGreaterThanOrEqual(0)
  expect(persisted).toBe(await navigator.storage.persisted())
})

test('S4 what is asked for and what was decided are told apart', async () => {
  const storage = clientStorage()
  const decided = await storage.persist()
  expect(typeof decided).toBe('boolean')
  expect((await storage.estimate()).persisted).toBe(decided)
})
