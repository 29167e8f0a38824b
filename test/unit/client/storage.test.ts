// What the browser says of its room is passed on as it is, and what it does not say is not made up (S4).
import { expect, test } from 'vitest'
import { clientStorage } from '../../../src/worker/client/storage.ts'

const refuse = async (): Promise<never> => {
  throw new TypeError('denied')
}

test('S4 usage, quota and persistence are what the browser says', async () => {
  const storage = clientStorage({
    estimate: async () => ({ usage: 5, quota: 100 }),
    persisted: async () => false,
    persist: async () => true,
  })
  expect(await storage.estimate()).toEqual({ usage: 5, quota: 100, persisted: false })
  expect(await storage.persist()).toBe(true)
  expect(await clientStorage({ persist: async () => false }).persist()).toBe(false)
})

test.each([
  ['has no storage manager', undefined],
  ['has an empty one', {}],
  ['refuses', { estimate: refuse, persisted: refuse, persist: refuse }],
])('S4 where the browser %s nothing is known, and nothing fails', async (_, manager) => {
  const storage = clientStorage(manager)
  expect(await storage.estimate()).toEqual({ usage: undefined, quota: undefined, persisted: undefined })
  expect(await storage.persist()).toBeUndefined()
})

test('S4 a browser that says only part of it is believed in that part', async () => {
  const storage = clientStorage({ estimate: async () => ({ quota: 100 }) })
  expect(await storage.estimate()).toEqual({ usage: undefined, quota: 100, persisted: undefined })
})
