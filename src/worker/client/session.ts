// One session on the page: its view, and the verbs that a person has.
import type { CallId, ContentBlock, MessageId, SessionId } from '../../storage/log/content.ts'
import type { Answer, Decision, SessionEvent } from '../../storage/log/events.ts'
import type { AgentHost, TaskOrder } from '../protocol/agent-host.ts'
import { followSession } from './follow-session.ts'
import type { SessionView } from './session-view.ts'
import { storedEvents } from './stored-events.ts'
import type { WorkerLink } from './worker-link.ts'

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

const asBlocks = (content: Content): readonly ContentBlock[] => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)

/** Resolves when there is something to show, so that a session is never shown empty first. Errors: those of the host's `log.watch`. */
export const openSession = async (link: WorkerLink, id: SessionId): Promise<ClientSession> => {
  const { drive, queue } = link.host
  const followed = await followSession(link, id)
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
      return followed.view
    },
    subscribe: (listener) => followed.subscribe(listener),
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
      followed.stop()
    },
  }
}
