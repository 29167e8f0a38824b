// The runtime that an agent lives in, as far as a task run needs it: found from the agent alone.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { AgentId, SessionId } from '../../storage/log/content.ts'
import type { SessionHeader } from '../../storage/log/events.ts'
import type { ToolSchema } from '../../storage/log/model-call.ts'
import type { Agent, Disposer } from './agent.ts'
import type { HookBus } from './hook-bus.ts'
import type { ModelInfo } from './llm.ts'
import type { Execution } from './tool.ts'

/** What a tool says of itself, besides its schema. */
export type ToolTraits = { readonly readOnly?: boolean; readonly keepsWriteLimits?: boolean; readonly polling?: boolean }

/** Calls that a model wrote as markup, taken out of its text. */
export type WrittenMarkup = {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

export interface AgentHome {
  /** Owned by nobody: whoever listens here stops by itself, with the agent at the latest. */
  readonly on: HookBus['on']
  readonly newId: () => string
  readonly report: (error: unknown, where: string) => void
  info(provider: string, model: string): ModelInfo
  readonly tools: {
    schemas(): readonly ToolSchema[]
    traits(name: string): ToolTraits | undefined
    /** The tool that was probably meant. */
    nearest(name: string): string | undefined
    guard(check: (execution: Execution) => string | undefined): Disposer
  }
  /** Agents that end with the runtime at the latest. */
  create(options: {
    readonly agentId: AgentId
    readonly sessionId: SessionId
    readonly meta: Partial<Omit<SessionHeader, 'version' | 'id'>>
    readonly agentOptions: AgentOptions
  }): Promise<{ readonly agent: Agent; dispose(): Promise<void> }>
  readMarkup(text: string, tools: readonly ToolSchema[]): Promise<WrittenMarkup>
}

const homes = new WeakMap<Agent, AgentHome>()

/** Done once, by the runtime that makes the agent. */
export const seatAt = (agent: Agent, home: AgentHome): void => void homes.set(agent, home)

/** Undefined for what is no agent of a runtime of this program. */
export const homeOf = (agent: Agent): AgentHome | undefined => homes.get(agent)
