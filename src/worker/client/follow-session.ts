// Follows one session for a page: its newest part at once, then what happens, and meanwhile what was before.
import type { SessionId } from '../../storage/log/content.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import type { WatchFrame } from '../protocol/frames.ts'
import { toWireError } from './error-transfer.ts'
import {
  advance,
  EMPTY,
  foldLog,
  type LogView,
  lengthOf,
  newestView,
  type SessionView,
  withEarlier,
  withoutPieces,
} from './session-view.ts'
import { watchSession } from './watch-session.ts'
import type { WorkerLink } from './worker-link.ts'

export type FollowedSession = {
  readonly view: SessionView
  subscribe(listener: (view: SessionView) => void): () => void
  stop(): void
}

/** Events a request: the page reads and folds them in a few milliseconds. */
const PART = 20_000
const TRIES = 3

/** What is before `from`, folded part by part. Errors: those of the host's `log.packed`. */
const readEarlier = async (link: WorkerLink, sessionId: SessionId, from: number): Promise<LogView> => {
  let view = foldLog([])
  for (let next = 0; next < from; ) {
    const items = await link.host.log.packed({ sessionId, after: next - 1, limit: Math.min(PART, from - next) })
    view = foldLog(withoutPieces(items), view)
    next += lengthOf(items)
  }
  return view
}

/** Resolves when there is something to show. Errors: those of the host's `log.watch`. */
export const followSession = async (link: WorkerLink, sessionId: SessionId): Promise<FollowedSession> => {
  const listeners = new Set<(view: SessionView) => void>()
  const newest = await link.host.log.newest({ sessionId }).catch(() => undefined) // what is wrong is told by the watch
  const from = newest?.from ?? 0
  let base = newest === undefined ? EMPTY : newestView(newest)
  /** What the view was folded from, as long as something before it is missing. */
  let events = from > 0 && newest !== undefined ? withoutPieces(newest.events) : undefined
  let view = base
  /** The newest state that was stored in whole: another worker's log has all of it, whatever else it has. */
  let safe = base
  let stopped = false

  const show = (next: SessionView): void => {
    view = next
    for (const listener of listeners) listener(next)
  }

  const onFrame = (frame: WatchFrame): void => {
    base = advance(frame.closed === undefined ? base : view, frame) // what was shown stays when the session goes
    if (events !== undefined) events = [...events, ...frame.events]
    if (frame.closed === undefined && base.stored >= base.length) safe = base
    show(base)
  }

  const stored = (): readonly SessionEvent[] => events?.filter(({ seq }) => seq < safe.length) ?? []

  const watch = watchSession(link, sessionId, {
    after() {
      base = safe // the old view stays until the first frame of the new worker is there
      if (events !== undefined) events = stored()
      return safe.length - 1
    },
    onFrame,
  })

  const showEarlier = async (triesLeft: number): Promise<void> => {
    try {
      const before = await readEarlier(link, sessionId, from)
      if (stopped || events === undefined) return
      safe = withEarlier(safe, before, stored())
      base = withEarlier(base, before, events)
    } catch {
      // A worker that died; the next one is asked. What else is wrong is told by the watch, or stays so.
      if (stopped) return
      if (triesLeft > 0) return showEarlier(triesLeft - 1)
      base = { ...base, earlier: 'failed' }
      safe = { ...safe, earlier: 'failed' }
    }
    events = undefined
    show(base)
  }

  if (base.length === 0) await watch.started
  else {
    watch.started.catch((error: unknown) => {
      if (!stopped) onFrame({ events: [], stored: 0, closed: toWireError(error) })
    })
    if (events !== undefined) void showEarlier(TRIES)
  }

  return {
    get view() {
      return view
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    stop() {
      stopped = true
      listeners.clear()
      watch.stop()
    },
  }
}
