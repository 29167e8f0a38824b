// Who drives a session: one worker at a time, held by a Web Lock, which the browser frees when its tab dies. Nothing else says that it died.
import type { SessionId } from '../../../storage/log/content.ts'
import { PROTOCOL_VERSION } from '../../protocol/version.ts'

export type Lease = {
  release(): void
  /** Aborted when another tab took the lease away. */
  readonly lost: AbortSignal
}

export interface Leases {
  /**
   * `wait` comes in its turn, when nobody before it holds the session or waits for it; `steal` takes it from whoever does, at once.
   * The signal withdraws a request that was not granted: it rejects then.
   */
  acquire(id: SessionId, how: 'wait' | 'steal', signal: AbortSignal): Promise<Lease>
  /** The sessions that some tab drives now; undefined where nobody can know. */
  held(): Promise<ReadonlySet<SessionId> | undefined>
  /** Says that this tab lives, as long as it does, and tells the lock that says so; undefined where nobody can know. */
  live(tab: string): Promise<string | undefined>
  /** Resolves when that tab lives no longer. Never where nobody can know. */
  ended(tab: string): Promise<void>
}

const never = (): Promise<never> => new Promise(() => {})

/** The beginning of every name that tabs of this application and protocol version share. */
export const namesOf = (namespace: string): string => `sideloop/${namespace}/${PROTOCOL_VERSION}/`

/**
 * Where the browser has no locks (an insecure origin), the epoch in the session's row is the only guard: the older writer is refused.
 */
export const webLockLeases = (namespace: string, locks: LockManager | null = navigator.locks ?? null): Leases => {
  const prefix = `${namesOf(namespace)}session/`
  const tabs = `${namesOf(namespace)}tab/`
  return {
    acquire: (id, how, signal) =>
      new Promise((resolve, reject) => {
        const lost = new AbortController()
        if (locks === null) return resolve({ release: () => {}, lost: lost.signal })
        const hold = (): Promise<void> => new Promise((release) => resolve({ release, lost: lost.signal }))
        // The two options exclude each other. Once granted, a rejection means that another tab has stolen it.
        locks.request(prefix + id, how === 'steal' ? { steal: true } : { signal }, hold).catch((cause: unknown) => {
          reject(cause)
          lost.abort(cause)
        })
      }),
    async held() {
      const state = await locks?.query().catch(() => undefined) // refused to a site that may store nothing
      return state && new Set(state.held?.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : [])))
    },
    live: (tab) =>
      new Promise((resolve) => {
        const hold = (): Promise<never> => {
          resolve(tabs + tab)
          return never()
        }
        if (locks === null) resolve(undefined)
        else locks.request(tabs + tab, hold).catch(() => resolve(undefined)) // refused to a site that may store nothing
      }),
    ended: async (tab) => (locks === null ? never() : locks.request(tabs + tab, () => {})),
  }
}
