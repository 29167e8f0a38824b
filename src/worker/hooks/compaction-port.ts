// Compaction as a task run asks for it (T2): the built-in plugin mounts its port on each agent, and a run may be given another.
import type { Usage } from '../../storage/log/model-call.ts'
import type { Agent } from './agent.ts'

export interface CompactionPort {
  /** Tokens of the next request. Serves when the model reported no usage; without it the runtime's own estimate does. */
  estimate?(agent: Agent): number
  needs(tokens: number): boolean
  /** Called inside the agent's open turn, between two steps. Gives what the summary cost, if it was reported. */
  compact(agent: Agent, options: { readonly signal: AbortSignal }): Promise<Usage | undefined>
}

const ports = new WeakMap<Agent, CompactionPort>()

/** What runs of this agent ask unless they were given another port. */
export const mountCompaction = (agent: Agent, port: CompactionPort): (() => void) => {
  ports.set(agent, port)
  return () => {
    if (ports.get(agent) === port) ports.delete(agent)
  }
}

export const compactionOf = (agent: Agent): CompactionPort | undefined => ports.get(agent)
