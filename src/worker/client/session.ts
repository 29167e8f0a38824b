// One session on the page: its view, folded from the frames of its watch, and the verbs that a person has.
import type { CallId, ContentBlock, MessageId, SessionId } from '../../storage/log/content.ts'
import type { Answer, Decision, SessionEvent } from '../../storage/log/events.ts'
import { fold } from '../../storage/log/projection.ts'
import { type Pending, pending } from '../../storage/log/projections/pending.ts'
import { type RunState, runState } from '../../storage/log/projections/run-state.ts'
import { transcript } from '../../storage/log/projections/transcript.ts'
import type { Transcript } from '../../storage/log/projections/transcript-items.ts'
import { type UsageTotals, usage } from '../../storage/log/projections/usage.ts'
import type { AgentHost, TaskOrder } from '../protocol/agent-host.ts'
import type { LiveState, WatchFrame } from '../protocol/frames.ts'
import { storedEvents } from './stored-events.ts'
import { watchSession } from './watch-session.ts'
import type { WorkerLink } from './worker-link.ts'

/** Its identity changes with any of its parts, a part's only when that part changed. */
export type SessionView = {
  /** How many events this page has seen. */
  readonly length: number
  /** Events with a seq below this are on disk. */
  readonly stored: number
  readonly live: LiveState | undefined
  readonly transcript: Transcript
  readonly run: RunState
  readonly usage: UsageTotals
  /** Questions and approvals that wait for the person, oldest first. */
  readonly pending: readonly Pending[]
  /** Set when the session is gone: nothing follows. */
  readonly closed?: NonNullable<WatchFrame['closed']>
}

type Content = string | readonly ContentBlock[]
type SendOptions = { readonly messageId?: MessageId }

export interface ClientSession {
  readonly id: SessionId
  readonly view: SessionView
  /** Called after each frame, at most once per animation frame's time. */
  subscribe(listener: (view: SessionView) => void): () => void
  /** Every event behind `after` (−1 for all) once it is on disk, in order and without gaps. Ends when the session is closed. */
  events(options: { readonly after: number }): AsyncIterable<SessionEvent>
  /** Resolves when the message is on disk. A repeated `messageId` sends once. Errors: the `storage/*` codes, `worker/dead`. */
  send(content: Content, options?: SendOptions): Promise<void>
  steer(content: Content, options?: SendOptions): Promise<void>
  cancel(reason?: string, options?: { readonly queue?: 'clear' | 'hold' }): Promise<void>
  continue(): Promise<void>
  /**
   * Starts a task run; resolves when its prompt is on disk. How it ends is an event, `task/ended`.
   * Errors: `command/invalid` while the agent is at work.
   */
  run(content: Content, task?: TaskOrder, options?: SendOptions): Promise<void>
  /** Sums up the older part of the conversation; resolves with how that ended. `cancel` stops it. */
  compact(): ReturnType<AgentHost['drive']['compact']>
  /** Stores now what could not be stored, after room was made. Errors: the `storage/*` codes. */
  save(): Promise<void>
  /** Answers what an `ask_user` call waits for; `null` dismisses it. */
  answer(callId: CallId, answers: readonly Answer[] | null): Promise<void>
  decide(callId: CallId, decision: Decision): Promise<void>
  readonly queue: {
    edit(messageId: MessageId, content: Content): Promise<void>
    remove(messageId: MessageId): Promise<void>
    move(messageId: MessageId, before: MessageId | null): Promise<void>
    retarget(messageId: MessageId, target: 'turn' | 'step'): Promise<void>
    release(): Promise<void>
  }
  close(): void
}

const EMPTY: SessionView = {
  length: 0,
  stored: 0,
  live: undefined,
  transcript: transcript.initial,
  run: runState.initial,
  usage: usage.initial,
  pending: pending.initial,
}

const advance = (view: SessionView, { events, stored, live, closed }: WatchFrame): SessionView => ({
  length: view.length + events.length,
  stored: closed === undefined ? stored : view.stored,
  live: live ?? view.live,
  transcript: fold(transcript, events, view.transcript),
  run: fold(runState, events, view.run),
  usage: fold(usage, events, view.usage),
  pending: fold(pending, events, view.pending),
  ...(closed === undefined ? {} : { closed }),
})

const asBlocks = (content: Content): readonly ContentBlock[] => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)

/** Resolves with the first frame, so that a session is never shown empty first. Errors: those of the host's `log.watch`. */
export const openSession = async (link: WorkerLink, id: SessionId): Promise<ClientSession> => {
  const { drive, queue } = link.host
  const listeners = new Set<(view: SessionView) => void>()
  let view = EMPTY
  let base = EMPTY
  const watch = watchSession(link, id, {
    after() {
      base = EMPTY // folded anew from the new worker's log; the old view stays until its first frame is there
      return -1
    },
    onFrame(frame) {
      base = advance(frame.closed === undefined ? base : view, frame) // what was shown stays when the session goes
      view = base
      for (const listener of listeners) listener(view)
    },
  })
  await watch.started
  // The last tenth of a second may be in memory only: a page that leaves asks for it to be stored.
  const onLeave = (): void => {
    link.host.sessions.save({ sessionId: id }).catch(() => {}) // told by the view's live state
  }
  globalThis.addEventListener?.('pagehide', onLeave)

  const message = (content: Content, { messageId = crypto.randomUUID() }: SendOptions = {}) => ({
    sessionId: id,
    messageId,
    content: asBlocks(content),
  })

  return {
    id,
    get view() {
      return view
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    events: ({ after }) => storedEvents(link, id, after),
    send: (content, options) => drive.send(message(content, options)),
    steer: (content, options) => drive.steer(message(content, options)),
    cancel: (reason, options) =>
      drive.cancel({ sessionId: id, ...(reason === undefined ? {} : { reason }), ...(options?.queue && { queue: options.queue }) }),
    continue: () => drive.continue({ sessionId: id }),
    run: (content, task = {}, options = {}) => drive.run({ ...message(content, options), task }),
    compact: () => drive.compact({ sessionId: id }),
    save: () => link.host.sessions.save({ sessionId: id }),
    answer: (callId, answers) => link.host.people.answer({ sessionId: id, callId, answers }),
    decide: (callId, decision) => link.host.people.decide({ sessionId: id, callId, decision }),
    queue: {
      edit: (messageId, content) => queue.edit({ sessionId: id, messageId, content: asBlocks(content) }),
      remove: (messageId) => queue.remove({ sessionId: id, messageId }),
      move: (messageId, before) => queue.move({ sessionId: id, messageId, before }),
      retarget: (messageId, target) => queue.retarget({ sessionId: id, messageId, target }),
      release: () => queue.release({ sessionId: id }),
    },
    close() {
      globalThis.removeEventListener?.('pagehide', onLeave)
      listeners.clear()
      watch.stop()
    },
  }
}
