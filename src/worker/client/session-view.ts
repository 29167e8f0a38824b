// What a page shows of a session, folded from its events: all of them, or the newest part first and what was before it later.
import { asOneDelta, isDeltaRun, type PackedEvent } from '../../storage/log/delta-runs.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import { fold } from '../../storage/log/projection.ts'
import { type Pending, pending } from '../../storage/log/projections/pending.ts'
import { type RunState, runState } from '../../storage/log/projections/run-state.ts'
import { transcript } from '../../storage/log/projections/transcript.ts'
import type { Transcript } from '../../storage/log/projections/transcript-items.ts'
import { type UsageTotals, usage } from '../../storage/log/projections/usage.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import type { LiveState, WatchFrame } from '../protocol/frames.ts'

/** What is folded from the log alone. */
export type LogView = {
  readonly transcript: Transcript
  readonly run: RunState
  readonly usage: UsageTotals
  /** Questions and approvals that wait for the person, oldest first. */
  readonly pending: readonly Pending[]
}

/** Its identity changes with any of its parts, a part's only when that part changed. */
export type SessionView = LogView & {
  /** How many events the log has, as far as this page knows. */
  readonly length: number
  /** Events with a seq below this are on disk. */
  readonly stored: number
  readonly live: LiveState | undefined
  /**
   * Of a long session the newest part is shown first: the transcript begins there, and `usage` counts from there. `loading`: what was
   * before it is on its way, and comes before it without changing it. `failed`: it could not be read; open the session again.
   */
  readonly earlier?: 'loading' | 'failed'
  /** Set when the session is gone: nothing follows. */
  readonly closed?: NonNullable<WatchFrame['closed']>
}

const NOTHING: LogView = { transcript: transcript.initial, run: runState.initial, usage: usage.initial, pending: pending.initial }
export const EMPTY: SessionView = { ...NOTHING, length: 0, stored: 0, live: undefined }

export const foldLog = (events: readonly SessionEvent[], from: LogView = NOTHING): LogView => ({
  transcript: fold(transcript, events, from.transcript),
  run: fold(runState, events, from.run),
  usage: fold(usage, events, from.usage),
  pending: fold(pending, events, from.pending),
})

/** To all of a view it is the same whether a text came in one piece or in many, so that a run is one event here. */
export const withoutPieces = (items: readonly PackedEvent[]): readonly SessionEvent[] =>
  items.map((item) => (isDeltaRun(item) ? asOneDelta(item) : item))

export const lengthOf = (items: readonly PackedEvent[]): number =>
  items.reduce((sum, item) => sum + (isDeltaRun(item) ? item.lengths.length : 1), 0)

export const advance = (view: SessionView, { events, stored, live, closed }: WatchFrame): SessionView => ({
  ...foldLog(events, view),
  length: view.length + events.length,
  stored: closed === undefined ? stored : view.stored,
  live: live ?? view.live,
  ...(view.earlier === undefined ? {} : { earlier: view.earlier }),
  ...(closed === undefined ? {} : { closed }),
})

/** Of what the host gave as the newest part of a session: all of that is stored. */
export const newestView = ({ from, events }: Awaited<ReturnType<AgentHost['log']['newest']>>): SessionView => {
  const length = from + lengthOf(events)
  return { ...foldLog(withoutPieces(events)), length, stored: length, live: undefined, ...(from > 0 && { earlier: 'loading' }) }
}

/**
 * A view of a newest part becomes one of the whole log. `events` are those that it was folded from. As a rule nothing before the part was
 * still open: then its items stay the same objects, and those before them are put in front.
 */
export const withEarlier = (view: SessionView, before: LogView, events: readonly SessionEvent[]): SessionView => {
  const { earlier: _, ...shown } = view
  const whole = foldLog(events, { ...before, transcript: transcript.initial })
  const { pages, open } = before.transcript
  return {
    ...shown,
    ...whole,
    transcript:
      open.length > 0
        ? fold(transcript, events, before.transcript)
        : { pages: [...pages, ...view.transcript.pages], open: view.transcript.open },
  }
}
