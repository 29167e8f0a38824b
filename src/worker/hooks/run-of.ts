// Which task run drives an agent right now: told to its tools, and asked by whoever behaves differently meanwhile.
import type { Agent } from './agent.ts'
import type { RunContext } from './tool.ts'

const runs = new WeakMap<Agent, () => RunContext>()

/** Undefined while no run drives the agent. */
export const runOf = (agent: Agent | undefined): RunContext | undefined => (agent === undefined ? undefined : runs.get(agent)?.())

/** From here until the disposer is called. One run at a time. */
export const enterRun = (agent: Agent, context: () => RunContext): (() => void) => {
  runs.set(agent, context)
  return () => {
    if (runs.get(agent) === context) runs.delete(agent)
  }
}
