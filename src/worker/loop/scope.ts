// What a plugin gets, and what the runtime is: models, tools, prompt, sessions, agents and hooks, all owned by a scope.

import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { AgentId, CallId, Json, SessionId } from '../../storage/log/content.ts'
import type { SessionEvent, SessionHeader } from '../../storage/log/events.ts'
import type { Chunk, ToolSchema } from '../../storage/log/model-call.ts'
import type { Agent, Disposer, Session } from '../hooks/agent.ts'
import type { Hooks, PromptAssembly, PromptContext } from '../hooks/hooks.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../hooks/llm.ts'
import type { Execution, ToolOutcome } from '../hooks/tool.ts'
import type { ToolDefinition } from '../tools/tool.ts'

export type SessionMeta = Partial<Omit<SessionHeader, 'version' | 'id'>>

/** Removes agent and session from memory, never from storage. */
export interface AgentHandle {
  readonly agent: Agent
  dispose(): Promise<void>
}

/** What a persistence plugin gives the runtime so that `agents.resume` can work. */
export type SessionLoader = (
  id: SessionId,
) => Promise<{ readonly header: SessionHeader; readonly events: readonly SessionEvent[]; readonly restore?: (agent: Agent) => void }>

export interface Scope {
  readonly llm: {
    registerAdapter(providers: readonly string[], adapter: LlmAdapter): Disposer
    stream(request: LlmRequest): AsyncIterable<Chunk>
    providers(): readonly string[]
    info(provider: string, model: string): ModelInfo
  }
  readonly tools: {
    register(tool: ToolDefinition): Disposer
    get(name: string): ToolDefinition | undefined
    schemas(): readonly ToolSchema[]
    /** Synchronous and monotonic: a string is a final refusal with that reason. */
    guard(check: (execution: Execution) => string | undefined): Disposer
    execute(input: {
      readonly callId: CallId
      readonly name: string
      readonly arguments: Json
      readonly agent?: Agent
      readonly signal: AbortSignal
    }): Promise<ToolOutcome>
  }
  readonly systemPrompt: {
    section(section: {
      readonly name: string
      readonly order: number
      readonly text: string | ((context: PromptContext) => string)
    }): Disposer
    variable(name: string, value: (context: PromptContext) => string | undefined): Disposer
    assemble(context: PromptContext): Promise<PromptAssembly>
  }
  /** Synchronous. A seed adds no event and fires none. */
  readonly sessions: {
    create(id?: SessionId, options?: { readonly seed?: readonly SessionEvent[]; readonly meta?: SessionMeta }): Session
    get(id: SessionId): Session | undefined
    list(): readonly Session[]
    flush(session: Session): Promise<void>
    fork(session: Session, beforeSeq?: number, id?: SessionId): Session
    /** Mounts the way stored sessions are loaded; one at a time. */
    loader(load: SessionLoader): Disposer
  }
  readonly agents: {
    /** Synchronous; a fresh session `${id}-session-${newId()}`; owned by this scope; `dispose(id)` ends it. */
    start(id: AgentId, options?: AgentOptions, meta?: { readonly cwd?: string }): Agent
    create(options: {
      readonly agentId: AgentId
      readonly sessionId: SessionId
      readonly meta?: SessionMeta
      readonly seed?: readonly SessionEvent[]
      readonly agentOptions?: AgentOptions
    }): Promise<AgentHandle>
    /** Rejects with `session/unknown` when no persistence is mounted or the session is not known. */
    resume(options: {
      readonly agentId: AgentId
      readonly resumeSessionId: SessionId
      readonly agentOptions?: AgentOptions
    }): Promise<AgentHandle>
    get(id: AgentId): Agent | undefined
    list(): readonly Agent[]
    dispose(id: AgentId): Promise<void>
  }
  on<E extends keyof Hooks>(event: E, listener: Hooks[E], options?: { readonly prepend?: boolean }): Disposer
  /** The plugin runs with a scope of its own; what it registers or starts there ends with it, in reverse, to quiescence. */
  use<C>(plugin: Plugin<C>, config?: C): { readonly ready: Promise<void>; dispose(): Promise<void> }
}

export type Plugin<C = unknown> = (scope: Scope, config: C) => void | Disposer | Promise<void | Disposer>

export type RuntimeOptions = {
  readonly identity?: string
  readonly persona?: string
  readonly toolOrder?: readonly string[]
  readonly now?: () => number
  readonly newId?: () => string
  /** Contained errors go here; never rethrown, not later either. Default: the console. */
  readonly report?: (error: unknown, where: string) => void
  /** A tool's live progress, which may be dropped. */
  readonly onProgress?: (agent: Agent | undefined, callId: CallId, data: Json) => void
  /** Default 10. */
  readonly maxParallelToolCalls?: number
  readonly agents?: readonly (AgentOptions & { readonly id: AgentId; readonly cwd?: string; readonly resumeSessionId?: SessionId })[]
}

export interface Runtime extends Scope {
  dispose(): Promise<void>
}
