// Every event of a session and its data: the vocabulary of the whole system. Adding one makes the compiler list who must decide.
import type { BlobId, CallId, ContentBlock, Json, Message, MessageId, Provenance, SessionId, Source } from './content.ts'
import type { CallConfig, Chunk, ModelFailure, ToolSchema, Usage } from './model-call.ts'

/** A replacing event stands where the surface nodes from seq `start` to seq `end` (inclusive) stood. */
export type SurfaceOp = 'append' | { readonly op: 'replace'; readonly start: number; readonly end: number }

/** What a request holds besides the messages derived from the log. Absent keys are absent, never empty. */
export type RequestHeader = {
  readonly config: CallConfig
  readonly system?: string
  readonly tools?: readonly ToolSchema[]
  readonly messagePrefix?: readonly Message[]
}

export type TurnTrigger =
  | { readonly kind: 'message'; readonly source: Source }
  | { readonly kind: 'injection'; readonly source: Source }
  | { readonly kind: 'continue'; readonly source: Source }

export type TurnEndReason =
  | { readonly kind: 'completed' }
  | { readonly kind: 'aborted'; readonly reason?: string }
  | { readonly kind: 'error'; readonly step: number; readonly message: string; readonly code?: string }
  | { readonly kind: 'disposed' }
  | { readonly kind: 'max-tokens' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'interrupted' }

export type Question = {
  readonly id: string
  readonly text: string
  readonly options?: readonly { readonly label: string; readonly detail?: string }[]
  readonly multiple?: true
  readonly freeText?: true
}
export type Answer = { readonly id: string; readonly chosen: readonly string[]; readonly text?: string }
export type Decision = { readonly kind: 'allow' | 'deny'; readonly reach: 'once' | 'session' | 'always'; readonly note?: string }
export type Todo = { readonly content: string; readonly status: 'pending' | 'in_progress' | 'completed' }

export type TaskKind = 'orchestrator' | 'task' | 'interview' | 'explore' | 'plan' | 'setup'
export type ExitReason =
  | 'status_complete'
  | 'status_complete_post_tool'
  | 'status_remaining_empty'
  | 'agent_type_exit'
  | 'setup_complete'
  | 'awaiting_user'
  | 'stopped'
  | 'error_stop'
  | 'nudge_exhaustion'
  | 'loop_detected'
  | 'max_iterations'
  | 'budget_exhausted'
  | 'disposed'
  | 'interrupted'
  | 'execution_error'
export type TaskResult = {
  readonly success: boolean
  readonly exitReason: ExitReason
  readonly summary: string
  readonly toolCount: number
  readonly turnCount: number
  /** US dollars; null when no price is known. */
  readonly totalCost: number | null
  readonly totalUsage: Usage
}

export type ToolError = { readonly name: string; readonly code: string }

/** Event type → its data. */
export interface SessionEventData {
  'turn/start': { readonly turn: number; readonly trigger: TurnTrigger }
  'turn/end': { readonly turn: number; readonly reason: TurnEndReason }
  'step/start': { readonly turn: number; readonly step: number }
  'step/end': { readonly turn: number; readonly step: number }
  /** `id` is the message's id, given by `send`. */
  'user/message': { readonly id: MessageId; readonly content: readonly ContentBlock[]; readonly source: Source }
  'prompt/blocked': {
    readonly id: MessageId
    readonly content: readonly ContentBlock[]
    readonly source: Source
    readonly reason: string
  }
  'context/message': {
    readonly content: readonly ContentBlock[]
    readonly source: Source
    readonly envelope?: 'context' | 'raw'
    readonly meta?: Json
  }
  'steering/message': {
    readonly id: MessageId
    readonly turn: number
    readonly content: readonly ContentBlock[]
    readonly source: Source
  }
  'request/header': { readonly header: RequestHeader; readonly reason: 'initial' | 'resume' | 'change' }
  'assistant/chunk': { readonly turn: number; readonly step: number; readonly chunk: Chunk }
  'assistant/message': {
    readonly turn: number
    readonly step: number
    readonly content: readonly ContentBlock[]
    readonly provenance: Provenance
    readonly usage?: Usage
    readonly interrupted?: true
  }
  'tool/call': {
    readonly turn: number
    readonly step: number
    readonly callId: CallId
    readonly name: string
    readonly arguments: string
  }
  'tool/result': {
    readonly turn: number
    readonly step: number
    readonly callId: CallId
    readonly content: readonly ContentBlock[]
    readonly isError: boolean
    readonly error?: ToolError
    readonly meta?: Json
  }
  /** A result that came after the loop had stopped waiting for it. */
  'tool/late': { readonly callId: CallId; readonly isError: boolean }
  'model/retry': {
    readonly turn: number
    readonly step: number
    readonly attempt: number
    readonly delayMs: number
    readonly failure: ModelFailure
  }
  'question/asked': { readonly callId: CallId; readonly questions: readonly Question[] }
  /** `null`: the person dismissed the question. */
  'question/answered': { readonly callId: CallId; readonly answers: readonly Answer[] | null }
  'approval/asked': {
    readonly callId: CallId
    readonly action: { readonly tool: string; readonly summary: string; readonly detail?: Json }
  }
  'approval/decided': { readonly callId: CallId; readonly decision: Decision }
  'todo/write': { readonly todos: readonly Todo[] }
  'task/started': { readonly run: string; readonly kind: TaskKind; readonly prompt: readonly ContentBlock[] }
  'task/noted': { readonly run: string; readonly name: string; readonly data: Json }
  'task/ended': { readonly run: string; readonly result: TaskResult }
  'compaction/start': { readonly trigger: 'pressure' | 'overflow' | 'manual'; readonly tokens: number }
  'compaction/end': {
    readonly outcome: 'done' | 'unchanged' | 'failed' | 'aborted'
    readonly detail?: string
    readonly usage?: Usage
  }
  'artifact/saved': {
    readonly name: string
    readonly version: number
    readonly blob: BlobId
    readonly mediaType: string
    readonly callId?: CallId
  }
  /** The whole tree (a blob of path → blob) after a step that changed files. */
  'files/snapshot': { readonly tree: BlobId; readonly changed: readonly string[] }
  'session/title': { readonly title: string; readonly by: 'user' | 'plugin' }
  'plugin/noted': { readonly plugin: string; readonly data: Json }
}

export type EventType = keyof SessionEventData
export type SurfaceType = 'user/message' | 'assistant/message' | 'tool/result' | 'context/message' | 'steering/message'

/** How an event stands on the surface: the ordered list of events that the model sees. */
export type SurfacePlace = { readonly surfaceOp: SurfaceOp; readonly sourceEventSeqs?: readonly number[] }

/** `seq`: the log's length at the moment of the append. `time`: epoch milliseconds from the injected clock. */
export type SessionEvent = {
  readonly [T in EventType]: {
    readonly type: T
    readonly seq: number
    readonly time: number
    readonly data: SessionEventData[T]
    /** A reader that does not know the type may skip it. */
    readonly optional?: true
  } & (T extends SurfaceType ? SurfacePlace : object)
}[EventType]
export type EventOf<T extends EventType> = Extract<SessionEvent, { readonly type: T }>
export type SurfaceEvent = EventOf<SurfaceType>

/** Outside the log, frozen, a closed list of fields. `cwd` is an absolute path in the agent's virtual file system. */
export type SessionHeader = {
  readonly version: 1
  readonly id: SessionId
  readonly createdAt: number
  readonly cwd?: string
  readonly parentSession?: SessionId
  readonly seedLength?: number
  readonly depth?: number
}

/** Every event type, with whether it is on the surface. The compiler keeps it complete. */
export const EVENT_TYPES: { readonly [T in EventType]: T extends SurfaceType ? 'surface' : 'plain' } = {
  'turn/start': 'plain',
  'turn/end': 'plain',
  'step/start': 'plain',
  'step/end': 'plain',
  'user/message': 'surface',
  'prompt/blocked': 'plain',
  'context/message': 'surface',
  'steering/message': 'surface',
  'request/header': 'plain',
  'assistant/chunk': 'plain',
  'assistant/message': 'surface',
  'tool/call': 'plain',
  'tool/result': 'surface',
  'tool/late': 'plain',
  'model/retry': 'plain',
  'question/asked': 'plain',
  'question/answered': 'plain',
  'approval/asked': 'plain',
  'approval/decided': 'plain',
  'todo/write': 'plain',
  'task/started': 'plain',
  'task/noted': 'plain',
  'task/ended': 'plain',
  'compaction/start': 'plain',
  'compaction/end': 'plain',
  'artifact/saved': 'plain',
  'files/snapshot': 'plain',
  'session/title': 'plain',
  'plugin/noted': 'plain',
}

export const isKnownEventType = (type: string): type is EventType => Object.hasOwn(EVENT_TYPES, type)
export const isSurfaceEvent = (event: SessionEvent): event is SurfaceEvent => EVENT_TYPES[event.type] === 'surface'
