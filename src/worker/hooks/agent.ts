// The structural types of an agent, its session and its inbox, as hooks, tools and plugins see them.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { AgentId, ContentBlock, Json, Message, MessageId, SessionId, Source } from '../../storage/log/content.ts'
import type {
  EventOf,
  EventType,
  RequestHeader,
  SessionEvent,
  SessionEventData,
  SessionHeader,
  SurfacePlace,
} from '../../storage/log/events.ts'
import type { Waiting } from '../../storage/log/waiting.ts'

export type Disposer = () => void | Promise<void>

/** One append-only log and its header. Errors of `append`: `session/invalid`, before anything is stored or notified. */
export interface Session {
  readonly id: SessionId
  readonly header: SessionHeader
  /** A snapshot of fixed length with index, iterator and the read-only array methods; reading it copies nothing. */
  readonly events: readonly SessionEvent[]
  append<T extends EventType>(type: T, data: SessionEventData[T], surface?: SurfacePlace): EventOf<T>
  deriveMessages(): readonly Message[]
  requestHeader(): RequestHeader | undefined
}

/** What waits: editable. An unknown id is `command/invalid`: the message may have left for its turn meanwhile. */
export interface Inbox {
  readonly waiting: readonly Waiting[]
  /** What waits and what was taken but is not in the log yet: what a durable inbox must hold, in order. */
  readonly unlogged: readonly Waiting[]
  readonly held: boolean
  edit(id: MessageId, content: readonly ContentBlock[]): void
  remove(id: MessageId): void
  move(id: MessageId, before: MessageId | null): void
  /** Queued → steering of the running turn, or back. */
  retarget(id: MessageId, target: 'turn' | 'step'): void
  release(): void
  /** Keeps what waits and runs none of it until a person acts. Nothing waits: a no-op. */
  hold(): void
  /** Called after every change, synchronously; what it throws is reported, never rethrown. */
  onChange(listener: () => void): Disposer
}

/** All but the verbs are properties. `agent/status` tells changes only: none for the first idle, none for an idle injection. */
export interface Agent {
  readonly id: AgentId
  readonly options: AgentOptions
  readonly session: Session
  readonly status: 'idle' | 'running' | 'disposed'
  readonly done: Promise<void>
  readonly inbox: Inbox
  /** Synchronous; gives the message's id, which may be given for idempotence: a second send with a known id does nothing. */
  send(content: string | readonly ContentBlock[], options?: { readonly source?: Source; readonly id?: MessageId }): MessageId
  steer(content: string | readonly ContentBlock[], options?: { readonly source?: Source; readonly id?: MessageId }): MessageId
  inject(
    content: string | readonly ContentBlock[],
    options?: { readonly source?: Source; readonly envelope?: 'context' | 'raw'; readonly meta?: Json },
  ): void
  /** Opens a turn without a new message: after an error, an interruption, a decision to go on. */
  continue(options?: { readonly source?: Source }): void
  /** `queue: 'hold'` keeps what waits and runs none of it until a person acts. Default `clear`; `hold` while a task run drives the agent. Idle: a no-op. */
  cancel(reason?: string, options?: { readonly queue?: 'clear' | 'hold' }): void
  /** Options of the next model call on; the request header records what was really used. */
  configure(options: AgentOptions): void
  whenIdle(): Promise<void>
}
