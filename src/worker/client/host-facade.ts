// AgentHost made of one function: whatever is called by group and command goes there.
import type { AgentHost } from '../protocol/agent-host.ts'

export type HostCall = (group: string, command: string, input: object) => Promise<unknown>

/** `then` is no name, so that a host can be awaited and given back by async functions. */
const named = <T>(get: (name: string) => T): object =>
  new Proxy({}, { get: (_, name) => (typeof name === 'string' && name !== 'then' ? get(name) : undefined) })

export const hostFacade = (call: HostCall): AgentHost =>
  named((group) => named((command) => (input: object) => call(group, command, input))) as AgentHost
