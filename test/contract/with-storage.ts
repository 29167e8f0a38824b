// Opens fresh storage before each case of a suite and ends it after.
import { afterEach, beforeEach } from 'vitest'
import type { StorageHarness, StorageUnderTest } from './storage-harness.ts'

/** Call in a `describe`; the function gives the storage of the case that runs. */
export const withStorage = (harness: StorageHarness): (() => StorageUnderTest) => {
  let current: StorageUnderTest | undefined
  beforeEach(async () => {
    current = await harness.open()
  })
  afterEach(async () => {
    await current?.end()
    current = undefined
  })
  return () => current!
}
