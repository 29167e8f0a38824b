// Leases without Web Locks, for hosts in one thread: what a worker held is free when the test says that it died.
import { SideloopError } from '../../src/storage/log/errors.ts'
import type { Leases } from '../../src/worker/host/lease.ts'

export const memoryLeases = (): Leases & { freeAll(): void } => {
  const held = new Set<string>()
  return {
    async acquire(id) {
      if (held.has(id)) throw new SideloopError('session/busy', `The session ${id} is held`)
      held.add(id)
      return { release: () => held.delete(id) }
    },
    held: async () => new Set(held),
    freeAll: () => held.clear(),
  }
}
