// Leases where the browser refuses locks, as to a site that may store nothing (S4, S9).
import { expect, test } from 'vitest'
import { webLockLeases } from '../../../src/worker/host/tabs/lease.ts'

test('S4 where locks are refused nobody can know who drives a session, and that is no failure of the list', async () => {
  const denied = async (): Promise<never> => {
    throw new DOMException('The request was denied.', 'SecurityError')
  }
  const leases = webLockLeases('test', { query: denied, request: denied })
  expect(await leases.held()).toBeUndefined()
})
