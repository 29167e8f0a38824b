// H1 as a type test: what Comlink makes of the endpoint is a host again, so everything above it can be tested without a worker.
import type { Remote } from 'comlink'
import { expectTypeOf, test } from 'vitest'
import type { HostEndpoint } from '../../../src/worker/client/host-calls.ts'
import type { AgentHost } from '../../../src/worker/protocol/agent-host.ts'

test('H1 the remote endpoint is assignable to AgentHost', () => {
  expectTypeOf<Remote<HostEndpoint>>().toExtend<AgentHost>()
})

test('H1 every command takes one plain object and gives a promise', () => {
  type Commands = AgentHost[keyof AgentHost]
  type Command = { [G in keyof AgentHost]: AgentHost[G][keyof AgentHost[G]] }[keyof AgentHost]
  expectTypeOf<Commands>().toBeObject()
  expectTypeOf<Command>().toExtend<(input: never) => Promise<unknown>>()
})
