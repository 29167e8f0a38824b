// Who drives a session: one worker at a time, held by a Web Lock, which the browser frees when its tab dies.
import type { SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'

/** A reloaded page meets the lock of the worker that is just ending: it waits this long, in milliseconds. */
const WAIT_MS = 3000

export type Lease = { release(): void }

export interface Leases {
  /** Errors: `session/busy` when another tab keeps the session. */
  acquire(id: SessionId): Promise<Lease>
  /** The sessions that some tab drives now; undefined where nobody can know. */
  held(): Promise<ReadonlySet<SessionId> | undefined>
}

const busy = (cause: unknown): SideloopError =>
  new SideloopError('session/busy', 'This session is open in another tab. Close it there, then open it here again.', { cause })

/**
 * Where the browser has no locks (an insecure origin), the epoch in the session's row is the only guard: the older writer is refused.
 */
export const webLockLeases = (namespace: string, locks: LockManager | undefined = navigator.locks): Leases => {
  const prefix = `sideloop/${namespace}/${PROTOCOL_VERSION}/session/`
  return {
    acquire: (id) =>
      new Promise((resolve, reject) => {
        if (locks === undefined) return resolve({ release: () => {} })
        const hold = (): Promise<void> => new Promise((release) => resolve({ release }))
        locks.request(prefix + id, { signal: AbortSignal.timeout(WAIT_MS) }, hold).catch((cause: unknown) => reject(busy(cause)))
      }),
    async held() {
      const state = await locks?.query()
      return state && new Set(state.held?.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : [])))
    },
  }
}
