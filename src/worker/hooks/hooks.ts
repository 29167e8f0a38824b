// The hook table: every event that plugins can listen to, with its arguments and its mode of dispatch.
import type { AssistantMessage, ContentBlock, Message, MessageId, Source } from '../../storage/log/content.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import type { CallConfig, Chunk, ModelFailure, ToolSchema } from '../../storage/log/model-call.ts'
import type { Agent, Session } from './agent.ts'
import type { LlmRequest } from './llm.ts'
import type { Execution, HookContext, PostExecute, PreExecute, ToolOutcome } from './tool.ts'

export type PromptDecision =
  | { readonly kind: 'allow'; readonly content?: readonly ContentBlock[]; readonly additionalContexts?: readonly HookContext[] }
  | { readonly kind: 'block'; readonly reason: string }
export type Continuation =
  | { readonly action: 'stop' }
  | { readonly action: 'continue'; readonly reason?: { readonly content: readonly ContentBlock[]; readonly source: Source } }
export type RequestErrorDecision = { readonly kind: 'fail' } | { readonly kind: 'retry' }
export type ModelCallError = Error & { readonly failure?: ModelFailure }

/** Fresh and mutable: change it in place or return another. */
export type PromptAssembly = {
  sections: { name: string; text: string }[]
  tools: ToolSchema[]
  variables: Record<string, string | undefined>
}
export type PromptContext = { readonly agent?: Agent }

/** `next()` takes no argument and gives the inner value; not calling it short-circuits. In serial events undefined, null and false are no value. */
export interface Hooks {
  'agent/created'(agent: Agent): void
  'agent/disposed'(agent: Agent): void
  'agent/status'(agent: Agent, status: Agent['status']): void
  'agent/queued'(
    agent: Agent,
    content: readonly ContentBlock[],
    info: { readonly id: MessageId; readonly source: Source; readonly steering: boolean },
  ): void
  'agent/session-start'(agent: Agent, how: 'startup' | 'resume'): void
  'agent/error'(agent: Agent, turn: number, step: number, error: Error): void
  'agent/prompt-submit'(
    agent: Agent,
    content: readonly ContentBlock[],
    source: Source,
    next: () => Promise<PromptDecision>,
  ): Promise<PromptDecision>
  'agent/session-prefix'(
    agent: Agent,
    prefix: readonly Message[],
    signal: AbortSignal,
    next: () => Promise<readonly Message[]>,
  ): Promise<readonly Message[]>
  'agent/pre-step'(agent: Agent, turn: number, step: number, systemPrompt: string, prefix: readonly Message[], signal: AbortSignal): unknown
  'agent/request'(agent: Agent, turn: number, step: number, config: CallConfig, next: () => Promise<CallConfig>): Promise<CallConfig>
  /** `retry` derives again, so what a listener injected meanwhile is in the new request. Asked once per failed call. */
  'agent/request-error'(
    agent: Agent,
    turn: number,
    step: number,
    error: ModelCallError,
    next: () => Promise<RequestErrorDecision>,
  ): Promise<RequestErrorDecision>
  'agent/step-result'(
    agent: Agent,
    turn: number,
    step: number,
    message: AssistantMessage,
    next: () => Promise<AssistantMessage>,
  ): Promise<AssistantMessage>
  'agent/turn-continuation'(agent: Agent, turn: number, byDefault: Continuation, next: () => Promise<Continuation>): Promise<Continuation>
  'agent/turn-stop'(agent: Agent, turn: number): { readonly action: 'stop' } | undefined | Promise<{ readonly action: 'stop' } | undefined>
  'tools/pre-execute'(execution: Execution, next: () => Promise<PreExecute>): Promise<PreExecute>
  'tools/execute'(execution: Execution, next: () => Promise<ToolOutcome>): Promise<ToolOutcome>
  'tools/post-execute'(execution: Execution, outcome: ToolOutcome, next: () => Promise<PostExecute>): Promise<PostExecute>
  'tools/result'(execution: Execution, outcome: ToolOutcome): void
  'llm/stream'(request: LlmRequest, next: () => AsyncIterable<Chunk>): AsyncIterable<Chunk>
  'system-prompt/assemble'(assembly: PromptAssembly, context: PromptContext, next: () => Promise<PromptAssembly>): Promise<PromptAssembly>
  'session/created'(session: Session): void
  'session/disposed'(session: Session): void
  'session/event'(session: Session, event: SessionEvent): void
  'session/flush'(session: Session): void | Promise<void>
}

export type HookMode = 'emit' | 'serial' | 'waterfall' | 'parallel'

/** How each event is dispatched; the bus accepts an event only in its own mode. */
export const HOOK_MODES = {
  'agent/created': 'emit',
  'agent/disposed': 'emit',
  'agent/status': 'emit',
  'agent/queued': 'emit',
  'agent/session-start': 'emit',
  'agent/error': 'emit',
  'agent/prompt-submit': 'waterfall',
  'agent/session-prefix': 'waterfall',
  'agent/pre-step': 'serial',
  'agent/request': 'waterfall',
  'agent/request-error': 'waterfall',
  'agent/step-result': 'waterfall',
  'agent/turn-continuation': 'waterfall',
  'agent/turn-stop': 'serial',
  'tools/pre-execute': 'waterfall',
  'tools/execute': 'waterfall',
  'tools/post-execute': 'waterfall',
  'tools/result': 'emit',
  'llm/stream': 'waterfall',
  'system-prompt/assemble': 'waterfall',
  'session/created': 'emit',
  'session/disposed': 'emit',
  'session/event': 'emit',
  'session/flush': 'parallel',
} as const satisfies { readonly [E in keyof Hooks]: HookMode }
