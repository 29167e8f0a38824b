// What a tool is: a plain definition that the model can call by name.
import type { CallId, ContentBlock, Json } from '../../storage/log/content.ts'
import type { Agent } from '../hooks/agent.ts'
import type { HookContext, RunContext } from '../hooks/tool.ts'

export type ToolContext = {
  readonly callId: CallId
  readonly signal: AbortSignal
  readonly agent?: Agent
  readonly run?: RunContext
  /** A context message that is logged after the last result of this step. */
  deferContext(context: HookContext): void
  /** Shown live, never logged; may be dropped. */
  progress(data: Json): void
}

/** `isError` without throwing: both outputs and an exit code can be told. A plain throw gets the code `TOOL_FAILED`. */
export type ToolReturn =
  | string
  | readonly ContentBlock[]
  | { readonly content: readonly ContentBlock[]; readonly isError?: boolean; readonly meta?: Json }

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  execute(args: never, context: ToolContext): ToolReturn | Promise<ToolReturn>
  isConcurrencySafe?(args: never): boolean
  /** Milliseconds; none by default. */
  readonly timeoutMs?: number
  readonly readOnly?: boolean
  /** In a task run it writes only what `writeRefusal` of `hooks/write-limits.ts` lets it, so a run need not refuse the whole call (T33). */
  readonly keepsWriteLimits?: boolean
  /** Asking the same again is what it is for, as looking whether something is done: a task run does not take that for a loop (T21). */
  readonly polling?: boolean
}

/** The closed set of codes on tool results. */
export type ToolErrorCode =
  | 'UNKNOWN_TOOL'
  | 'INVALID_ARGS'
  | 'DENIED'
  | 'TOOL_FAILED'
  | 'TOOL_TIMEOUT'
  | 'NOT_JSON'
  | 'ABORTED'
  | 'ABORTED_BEFORE_DISPATCH'
  | 'TOOL_NOT_STARTED'
  | 'TOOL_OUTCOME_UNKNOWN'
  | 'DUPLICATE'
