// The host's commands over a worker, as plain promises: each settles when the worker answers, or rejects when the worker dies.
import { type ProxyMarked, transfer, wrap } from 'comlink'
import type { SideloopError } from '../../storage/log/errors.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import { installErrorTransfer } from './error-transfer.ts'
import { type HostCall, hostFacade } from './host-facade.ts'

/** What Comlink exposes: groups of commands that stay behind. */
export type HostEndpoint = { readonly [G in keyof AgentHost]: AgentHost[G] & ProxyMarked }

export type HostCalls = {
  readonly call: HostCall
  readonly host: AgentHost
  /** Commands that were sent and not answered. */
  readonly pending: number
  /** Every pending and every later call rejects with this. */
  end(error: SideloopError): void
}

type Commands = { readonly [group: string]: { readonly [command: string]: (input: object) => Promise<unknown> } }

const portsIn = (input: object): Transferable[] => Object.values(input).filter((value) => value instanceof MessagePort)

export const callWorker = (worker: Worker): HostCalls => {
  installErrorTransfer()
  // Held for as long as the calls are: a collected proxy closes its port, and what was in flight would never settle.
  const remote: unknown = wrap<HostEndpoint>(worker)
  const waiting = new Set<(error: SideloopError) => void>()
  let ended: SideloopError | undefined

  const call: HostCall = (group, command, input) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended)
      waiting.add(reject)
      ;(remote as Commands)[group]![command]!(transfer(input, portsIn(input)))
        .then(resolve, reject)
        .finally(() => waiting.delete(reject))
    })

  return {
    call,
    host: hostFacade(call),
    get pending() {
      return waiting.size
    },
    end(error) {
      ended = error
      for (const reject of waiting) reject(error)
      waiting.clear()
    },
  }
}
