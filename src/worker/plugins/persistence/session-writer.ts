// Writes one session behind its log: a window of at most 100 ms, one transaction at a time, strict barriers on demand.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { SessionEvent } from '../../../storage/log/events.ts'
import { jsonEqual } from '../../../storage/log/lossless-json.ts'
import type { Waiting } from '../../../storage/log/waiting.ts'
import type { SessionCommit, SessionPatch, SessionStore } from '../../../storage/session-store.ts'

/** The longest that an event stays in memory only, in milliseconds. */
export const WRITE_WINDOW_MS = 100
/** After so many commits with events their small segments are merged, as soon as nothing was stored for `MERGE_PAUSE_MS`. */
export const MERGE_AFTER = 32
const MERGE_PAUSE_MS = 500
/** A reply that never pauses is merged in the midst of it. */
const MERGE_AT_ONCE = 8 * MERGE_AFTER

export type SessionWriter = {
  /** Events with a seq below this are stored. */
  readonly stored: number
  /** Set while the store refuses; cleared by the next write that succeeds. */
  readonly failure: SideloopError | undefined
  /** Something changed: it will be stored within the window. */
  touch(): void
  /** A strict barrier: all that was there at the call is on disk. Errors: the `storage/*` codes. */
  flush(): Promise<void>
  /** The store says that it takes nothing any more. The next barrier tries all the same. */
  refuse(error: SideloopError): void
  /** Asks the store, though there may be nothing to store, whether the session is still there. Told by `failure`. */
  check(): void
  /** No write starts after it by itself. */
  stop(): void
  /** No write starts after it at all: a barrier fails with `storage/conflict`. One that is under way ends as it ends. */
  abandon(): void
}

export type WriterSource = {
  readonly sessionId: string
  /** The epoch under which to write, once the row exists and is claimed. Asked before each write, so that a failure can be made good. */
  claim(): Promise<number>
  /** How much of the log the store has already: 0 for a new session. */
  readonly stored: number
  events(): readonly SessionEvent[]
  /** Undefined while no agent has the session open: the stored inbox stays as it is. */
  waiting(): readonly Waiting[] | undefined
  /** The row's changeable part as it is now. */
  row(): SessionPatch
  readonly report: (error: SideloopError | undefined) => void
  /** What a list shows of it was stored, and is not as before. */
  readonly onListed: () => void
}

type State = { readonly length: number; readonly waiting: readonly Waiting[] | undefined; readonly row: SessionPatch }

/** What a list shows of a row. */
const listed = ({ title, status, turns, cost }: SessionPatch): string => JSON.stringify([title, status, turns, cost])

/** Deleted by a person it would have been let go before. */
const evicted = (cause: SideloopError): SideloopError =>
  new SideloopError(
    'storage/lost',
    'This session is no longer in the storage of the browser, which has removed it: for want of room, or with the data of this site. What you see is only in this tab now, so copy what you need before you close it. Allow this page to keep its data for good, so that it does not happen again.',
    { cause },
  )

const asStorageError = (thrown: unknown): SideloopError => {
  if (thrown instanceof SideloopError) return thrown.code === 'session/unknown' ? evicted(thrown) : thrown
  return new SideloopError('storage/unavailable', `This session could not be saved: ${String(thrown)}. Keep this tab open and try again.`, {
    cause: thrown,
  })
}

const abandonedError = (): SideloopError =>
  new SideloopError(
    'storage/conflict',
    'This session goes on in another tab, so nothing more is saved from here. Open it again to follow it.',
  )

export const createSessionWriter = (store: SessionStore, source: WriterSource): SessionWriter => {
  let stored = source.stored
  let failure: SideloopError | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let mergeTimer: ReturnType<typeof setTimeout> | undefined
  /** Commits with events since the last merge; what an earlier life left may be in pieces too. */
  let pieces = source.stored === 0 ? 0 : MERGE_AFTER
  let mergeFrom = 0
  let stopped = false
  let abandoned = false
  let queue: Promise<void> = Promise.resolve()
  let written: State = { length: stored, waiting: undefined, row: {} }
  /** The newest state that a strict transaction has put on disk. */
  let strict: State | undefined

  const present = (): State => ({ length: source.events().length, waiting: source.waiting(), row: source.row() })

  const same = (a: State | undefined, b: State): boolean =>
    a !== undefined && a.length === b.length && jsonEqual(a.waiting, b.waiting) && jsonEqual(a.row, b.row)

  const write = async (durability: 'relaxed' | 'strict'): Promise<void> => {
    if (abandoned) throw abandonedError()
    const state = present()
    // A store that refused is asked again by every barrier, also when there is nothing new.
    if (failure === undefined && same(durability === 'strict' ? strict : written, state)) return
    const epoch = await source.claim()
    if (abandoned) throw abandonedError()
    const commit: SessionCommit = {
      sessionId: source.sessionId,
      epoch,
      events: source.events().slice(stored, state.length),
      ...(state.waiting === undefined || jsonEqual(state.waiting, written.waiting) ? {} : { inbox: state.waiting }),
      patch: state.row,
    }
    await store.commit(commit, durability)
    if (state.length > stored) pieces += 1
    stored = state.length
    if (listed(state.row) !== listed(written.row)) source.onListed()
    written = state
    if (durability === 'strict') strict = state
  }

  const settle = (error: SideloopError | undefined): void => {
    const changed = error !== failure
    failure = error
    if (changed) source.report(error)
  }

  const merge = async (): Promise<void> => {
    if (stopped || failure !== undefined) return
    const { from, more } = await store.merge(source.sessionId, { epoch: await source.claim(), from: mergeFrom })
    mergeFrom = from
    if (more) startMerge()
  }

  /** In its turn among the writes, one short transaction each time: a barrier never waits for more than one. */
  const startMerge = (): void => {
    pieces = 0
    queue = queue.then(merge).catch(() => {}) // what cannot be merged now stays in pieces, and reads the same
  }

  const mergeSoon = (): void => {
    clearTimeout(mergeTimer)
    if (stopped || pieces < MERGE_AFTER) return
    if (pieces >= MERGE_AT_ONCE) startMerge()
    else mergeTimer = setTimeout(startMerge, MERGE_PAUSE_MS)
  }

  /** One transaction at a time: each takes all that is there when its turn comes. */
  const enqueue = (durability: 'relaxed' | 'strict'): Promise<void> => {
    const before = stored
    const attempt = queue.then(async () => {
      try {
        await write(durability)
        settle(undefined)
      } catch (thrown) {
        settle(asStorageError(thrown))
        throw failure
      }
      if (stored !== before) source.report(undefined)
      mergeSoon()
    })
    queue = attempt.catch(() => {}) // told by `failure`, and to whoever waits for a barrier
    return attempt
  }

  const stop = (): void => {
    stopped = true
    clearTimeout(mergeTimer)
    clearTimeout(timer)
    timer = undefined
  }

  return {
    get stored() {
      return stored
    },
    get failure() {
      return failure
    },
    touch() {
      // A store that refuses is not asked again and again: the next barrier tries.
      if (timer !== undefined || stopped || failure !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        enqueue('relaxed').catch(() => {}) // told by `failure`
      }, WRITE_WINDOW_MS)
    },
    flush() {
      clearTimeout(timer)
      timer = undefined
      return enqueue('strict')
    },
    refuse: settle,
    check() {
      if (failure !== undefined || stopped || stored === 0) return // it is told, or there is nothing yet that could be gone
      strict = undefined
      enqueue('strict').catch(() => {}) // told by `failure`
    },
    stop,
    abandon() {
      abandoned = true
      stop()
    },
  }
}
