// Who drives a session among the tabs of an application, as a page asks and follows it, and how it takes one over.
import type { SessionId } from '../../storage/log/content.ts'
import type { LiveState } from '../protocol/frames.ts'
import { watchSession } from './watch-session.ts'
import type { WorkerLink } from './worker-link.ts'

export interface Tabs {
  /** `nobody`: it is open in no tab. */
  driver(id: SessionId): Promise<LiveState['driver'] | 'nobody'>
  /**
   * Called with who drives it now, and at each change. It opens the session as a view does; an open session's view says the same in
   * `live.driver`. A session that cannot be opened is followed no longer.
   */
  subscribe(id: SessionId, listener: (driver: LiveState['driver']) => void): () => void
  /**
   * Drives it from this tab: the other one is asked to store and stop, and robbed if it does not answer within 1.5 s. What was running
   * there is left as interrupted, and `continue` goes on with it. Errors: `session/busy` when a third tab was faster.
   */
  takeOver(id: SessionId): Promise<void>
}

/** A place behind the end of every log: what is alive beside it comes all the same. */
const NO_EVENTS = Number.MAX_SAFE_INTEGER - 1

export const clientTabs = (link: WorkerLink): Tabs => ({
  driver: async (sessionId) => (await link.host.tabs.driver({ sessionId })).kind,
  subscribe(id, listener) {
    let known: LiveState['driver'] | undefined
    const watch = watchSession(link, id, {
      after: () => NO_EVENTS,
      onFrame({ live }) {
        if (live === undefined || live.driver === known) return
        known = live.driver
        listener(known)
      },
    })
    watch.started.catch(() => {}) // a session that cannot be opened has no driver
    return () => watch.stop()
  },
  takeOver: (sessionId) => link.host.tabs.takeOver({ sessionId }),
})
