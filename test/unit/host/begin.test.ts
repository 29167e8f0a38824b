// What a worker fetches before a page asks for it.
import { expect, test } from 'vitest'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { mountHost } from '../../../src/worker/host/mount-host.ts'
import { memoryLeases } from '../../kit/memory-leases.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'

const workerOver = (stores: Stores) =>
  mountHost({ stores, leases: memoryLeases(), models: [{ provider: 'test', label: 'Test', models: ['m'], adapter: scriptedModel([]) }] })

test('B13 a worker opens its stores and knows the providers before it is asked', async () => {
  const stores = openMemoryStorage()
  await stores.settings.set('providers', [
    { id: 'mine', label: 'Mine', api: 'openai-chat', baseUrl: 'https://v.example/v1', models: ['m'], preset: 'other' },
  ])
  let opened = 0
  const { begin, runtime } = workerOver({ ...stores, ready: async () => void opened++ })
  await begin()
  expect(opened).toBe(1)
  expect(runtime.llm.providers()).toContain('mine')
})

test('B13 a store that cannot be opened ahead is told by the command that needs it, and not before', async () => {
  const stores = openMemoryStorage()
  const ready = () => Promise.reject(new Error('not now'))
  const { begin, host } = workerOver({ ...stores, ready })
  await expect(begin()).rejects.toThrow('not now')
  expect(await host.models.list({})).toMatchObject([{ provider: 'test', model: 'm' }])
})
