// Who keeps blobs alive that belong to no session yet: a name, which lives as long as the work that brings them in (kill safety of S12).
import type { Stores } from '../../../storage/stores.ts'
import type { Leases } from '../tabs/lease.ts'

type HolderParts = { readonly stores: Pick<Stores, 'blobs'>; readonly leases: Leases }

/** No session's id begins so: ids have no slash. */
const PREFIX = 'arriving/'
/** For a lock that nobody else asks for, in milliseconds. */
const PATIENCE_MS = 10_000

/** Lets go of what a tab that died had brought in. Where nobody can know who lives, nothing is done. */
export const sweepHolders = async ({ stores: { blobs }, leases }: HolderParts): Promise<void> => {
  const owners = await blobs.owners(PREFIX)
  if (owners.length === 0) return
  const living = await leases.held()
  for (const owner of owners) if (living?.has(owner) === false) await blobs.release(owner)
}

/** However `work` ends, the holder claims nothing after it. */
export const withHolder = async <T>(
  parts: HolderParts & { readonly newId: () => string },
  work: (holder: string) => Promise<T>,
): Promise<T> => {
  const { stores, leases, newId } = parts
  const holder = PREFIX + newId()
  // The lock first: whoever sees the claims must see that somebody lives who made them.
  const lease = await leases.acquire(holder, 'wait', AbortSignal.timeout(PATIENCE_MS))
  try {
    await sweepHolders(parts)
    return await work(holder)
  } finally {
    await stores.blobs.release(holder).finally(lease.release)
  }
}
