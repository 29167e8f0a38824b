// The structural types of a tool call on its way through the pipeline.
import type { CallId, ContentBlock, Json, Source } from '../../storage/log/content.ts'
import type { TaskKind, ToolError } from '../../storage/log/events.ts'
import type { Agent } from './agent.ts'

export type HookContext = {
  readonly content: readonly ContentBlock[]
  readonly source: Source
  readonly envelope?: 'context' | 'raw'
  readonly meta?: Json
}

/** `turnId`: 1 for the first model response of the run. */
export type RunContext = {
  readonly turnId: number
  readonly kind: TaskKind
  readonly readOnly: boolean
  /** Folders that may be written in; absent: everywhere, unless `readOnly`. */
  readonly writeScope?: readonly string[]
}

export type Execution = {
  readonly callId: CallId
  readonly name: string
  readonly arguments: Json
  readonly agent?: Agent
  readonly signal: AbortSignal
  readonly run?: RunContext
}

export type ToolOutcome = {
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  readonly error?: ToolError
  readonly meta?: Json
  readonly additionalContexts?: readonly HookContext[]
}

export type PreExecute =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'ask'; readonly reason?: string }

export type PostExecute =
  | { readonly kind: 'accept'; readonly content?: readonly ContentBlock[]; readonly additionalContexts?: readonly HookContext[] }
  | { readonly kind: 'block'; readonly feedback: string }
