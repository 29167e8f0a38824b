// Who drives a session: one worker at a time, held by a Web Lock, which the browser frees when its tab dies.
import { SideloopError } from '../../storage/log/errors.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'

/** A reloaded page meets the lock of the worker that is just ending: it waits this long, in milliseconds. */
const WAIT_MS = 3000

export type Lease = { release(): void }
export type Leases = { acquire(sessionId: string): Promise<Lease> }

/**
 * Errors of `acquire`: `session/busy` when another tab keeps the session. Where the browser has no locks (an insecure origin), the
 * epoch in the session's row is the only guard: the older writer is refused.
 */
export const webLockLeases = (namespace: string, locks: LockManager | undefined = navigator.locks): Leases => ({
  acquire: (sessionId) =>
    new Promise((resolve, reject) => {
      if (locks === undefined) return resolve({ release: () => {} })
      const name = `sideloop/${namespace}/${PROTOCOL_VERSION}/session/${sessionId}`
      locks
        .request(name, { signal: AbortSignal.timeout(WAIT_MS) }, () => new Promise<void>((release) => resolve({ release })))
        .catch((cause) =>
          reject(
            new SideloopError('session/busy', 'This session is open in another tab. Close it there, then open it here again.', { cause }),
          ),
        )
    }),
})
