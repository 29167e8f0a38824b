// What the parts of the loop share: the agent they drive, the floors they stand on, and the turn that is running.
import type { Message } from '../../storage/log/content.ts'
import type { SessionLog } from '../../storage/log/session-log.ts'
import type { Agent } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import type { HookContext } from '../hooks/tool.ts'
import type { LlmRegistry } from '../llm/registry.ts'
import type { SystemPrompt } from '../prompt/system-prompt.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import type { DriverInbox } from './inbox.ts'

/** What the runtime gives every agent. */
export type LoopPorts = {
  readonly bus: HookBus
  readonly llm: LlmRegistry
  readonly tools: ToolRegistry
  readonly prompt: SystemPrompt
  readonly newId: () => string
  readonly report: (error: unknown, where: string) => void
  readonly maxParallelToolCalls: number
}

/** One agent's loop. What changes in it lives as long as the driver, not the session. */
export type Driver = LoopPorts & {
  readonly agent: Agent
  readonly log: SessionLog
  readonly inbox: DriverInbox
  /** From the `agent/session-prefix` waterfall, asked once. */
  prefix: readonly Message[] | undefined
  /** Has this driver logged a request header yet? */
  headerLogged: boolean
  /** While it is a list, contexts wait in it (see contexts.ts). */
  heldContexts: HookContext[] | undefined
}

/** The running turn. The signal is the only thing that stops it. */
export type Turn = { readonly number: number; readonly signal: AbortSignal; step: number }
