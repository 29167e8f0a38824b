// What a person sees of a session, as data: the items of a conversation in order, each with a stable key.
import type { CallId, ContentBlock, Json, MessageId, Provenance, Source } from '../content.ts'
import type { Answer, Decision, Question, SessionEventData, TaskKind, TaskResult, ToolError, TurnEndReason } from '../events.ts'
import type { ModelFailure, Usage } from '../model-call.ts'

/**
 * Where a tool call stands. `ms`: from its start to `tool/result`, without the time in which it waited for the person; absent when the
 * call was never started.
 */
export type ToolState =
  | { readonly kind: 'preparing' } // the model is still writing the arguments
  | { readonly kind: 'asked' } // written down, its turn has not come
  | { readonly kind: 'running'; readonly since: number }
  /** For the person: an answer, or a decision whether it may run. */
  | { readonly kind: 'waiting'; readonly on: 'answer' | 'decision'; readonly since: number }
  | { readonly kind: 'done'; readonly content: readonly ContentBlock[]; readonly meta?: Json; readonly ms?: number }
  | {
      readonly kind: 'failed' | 'denied'
      readonly content: readonly ContentBlock[]
      readonly error?: ToolError
      readonly meta?: Json
      readonly ms?: number
    }
  | {
      readonly kind: 'aborted'
      readonly content: readonly ContentBlock[]
      readonly error?: ToolError
      readonly meta?: Json
      readonly ms?: number
    }

/** What the person was asked by a call. `answers` are absent while they are asked, and null when they dismissed it. */
export type AskedQuestions = { readonly questions: readonly Question[]; readonly answers?: readonly Answer[] | null }

/** `arguments` is the raw text, possibly cut while `preparing`. */
export type ToolCard = {
  readonly kind: 'tool'
  readonly key: string
  readonly index: number
  readonly callId: CallId
  readonly name: string
  readonly arguments: string
  readonly state: ToolState
  readonly asked?: AskedQuestions
  /** What the person decided about it. */
  readonly decision?: Decision
  /** The model sees less of the result than the person: `file` holds the whole of it, where there is one. */
  readonly shortened?: { readonly file?: string }
}

/** `index` is the stream's; −1 for a block that was never streamed. `open`: more may come. */
export type ProseBlock = {
  readonly kind: 'text' | 'reasoning'
  readonly key: string
  readonly index: number
  readonly text: string
  readonly open: boolean
}
export type ReplyBlock = ProseBlock | ToolCard

export type ReplyState =
  | { readonly kind: 'streaming' }
  | { readonly kind: 'done' }
  | { readonly kind: 'interrupted' }
  /** `message` is absent when only the turn's end tells why. */
  | { readonly kind: 'failed'; readonly message?: string }

/** One attempt of one model call: live from its chunks, then the same item from `assistant/message`. */
export type ReplyItem = {
  readonly kind: 'reply'
  readonly key: string
  readonly seq: number
  readonly turn: number
  readonly step: number
  readonly state: ReplyState
  readonly blocks: readonly ReplyBlock[]
  /** The stream said `finish`; a chunk after that belongs to another attempt. */
  readonly finished: boolean
  readonly provenance?: Provenance
  readonly usage?: Usage
}

type At = { readonly key: string; readonly seq: number; readonly time: number }
type Said = { readonly content: readonly ContentBlock[]; readonly source: Source }

export type UserItem = At & Said & { readonly kind: 'user'; readonly id: MessageId }
export type SteeringItem = At & Said & { readonly kind: 'steering'; readonly id: MessageId }
export type BlockedItem = At & Said & { readonly kind: 'blocked'; readonly id: MessageId; readonly reason: string }
/** `summary`: it stands for messages that the model no longer sees. `reminder`: a task run keeps its model moving with it. */
export type ContextItem = At & Said & { readonly kind: 'context'; readonly summary: boolean; readonly reminder: boolean }
/** `waiting` until `time + delayMs`; `stopped`: the turn ended before that. */
export type RetryItem = At & {
  readonly kind: 'retry'
  readonly attempt: number
  readonly delayMs: number
  readonly failure: ModelFailure
  readonly state: 'waiting' | 'tried' | 'stopped'
}
export type CompactionEnd = SessionEventData['compaction/end']
/** `tokens`: the size of the context when it began. `shorter`: sizes of what was summed up, and of the summary. */
export type CompactionItem = At & {
  readonly kind: 'compaction'
  readonly trigger: SessionEventData['compaction/start']['trigger']
  readonly tokens: number
  readonly summary?: readonly ContentBlock[]
  readonly shorter?: { readonly before: number; readonly after: number }
  /** Absent while it goes on. */
  readonly end?: CompactionEnd
}
export type TaskStartedItem = At & { readonly kind: 'task-started'; readonly task: TaskKind }
export type TaskEndedItem = At & { readonly kind: 'task-ended'; readonly result: TaskResult }
export type LateItem = At & { readonly kind: 'late'; readonly callId: CallId; readonly isError: boolean }
/** A turn that ended in any other way than by being complete. */
export type EndingItem = At & {
  readonly kind: 'ending'
  readonly turn: number
  readonly reason: Exclude<TurnEndReason, { kind: 'completed' | 'rejected' }>
}

export type TranscriptItem =
  | UserItem
  | SteeringItem
  | BlockedItem
  | ContextItem
  | ReplyItem
  /** A call whose reply is not there, as in a log that was cut. */
  | (ToolCard & { readonly seq: number })
  | RetryItem
  | CompactionItem
  | TaskStartedItem
  | TaskEndedItem
  | LateItem
  | EndingItem

/** How many items a page holds at most. */
export const PAGE_SIZE = 32

export type Transcript = {
  /** Items that will not change any more; a full page is never replaced, so that a view can keep it by reference. */
  readonly pages: readonly (readonly TranscriptItem[])[]
  /** Items of the step that runs now, the only ones that can still change. */
  readonly open: readonly TranscriptItem[]
}
