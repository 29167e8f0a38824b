// A host behind a message channel, in the place of a worker: the client talks to it as to a real one, and a test can kill it.
import { expose } from 'comlink'
import { installErrorTransfer } from '../../src/worker/client/error-transfer.ts'
import type { AgentHost } from '../../src/worker/protocol/agent-host.ts'

export type InProcessWorker = Worker & {
  /** From now on it answers nothing, like a worker that hangs or died. */
  silence(): void
}

type WorkerLike = Pick<Worker, 'postMessage' | 'addEventListener' | 'removeEventListener' | 'terminate'>

/** `onTerminate` is where a test lets go of what the host holds. */
export const inProcessWorker = (host: AgentHost, onTerminate: () => void = () => {}): InProcessWorker => {
  const { port1, port2 } = new MessageChannel()
  installErrorTransfer()
  expose(host, port2)
  port1.start()
  const worker: WorkerLike & { silence(): void } = {
    postMessage: (message: unknown, transfer?: Transferable[] | StructuredSerializeOptions) =>
      port1.postMessage(message, Array.isArray(transfer) ? transfer : []),
    addEventListener: port1.addEventListener.bind(port1) as Worker['addEventListener'],
    removeEventListener: port1.removeEventListener.bind(port1) as Worker['removeEventListener'],
    terminate() {
      port1.close()
      port2.close()
      onTerminate()
    },
    silence: () => port2.close(),
  }
  return worker as InProcessWorker
}
