// The start handshake: a worker counts as started when it has answered a ping, and not before.
import { messageOf, SideloopError } from '../../storage/log/errors.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'
import { witnessStart } from './explain-start.ts'
import { callWorker, type HostCalls } from './host-calls.ts'
import { followLife, type Lifeline } from './lifeline.ts'

export type StartedWorker = { readonly worker: Worker; readonly calls: HostCalls; readonly life: Lifeline }

type Answer = { readonly error?: string; readonly protocol?: number; readonly lifeline?: string }

const settled = (worker: Worker, calls: HostCalls, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve({}), timeoutMs)
    const onError = (event: ErrorEvent): void => {
      event.preventDefault() // it is told by the error of this start
      resolve({ error: event.message ?? '' })
    }
    worker.addEventListener('error', onError, { once: true })
    calls.host.health
      .ping({})
      .then(resolve, (error) => resolve({ error: messageOf(error) }))
      .finally(() => {
        clearTimeout(timer)
        worker.removeEventListener('error', onError)
      })
  })

/** Errors: `worker/start`, with the cause as far as it can be known. The worker of a failed start is ended. */
export const startWorker = async (start: () => Worker, timeoutMs: number): Promise<StartedWorker> => {
  const witness = witnessStart()
  let started: Omit<StartedWorker, 'life'> | undefined
  try {
    const worker = witness.make(start)
    started = { worker, calls: callWorker(worker) }
  } catch (thrown) {
    witness.stop()
    throw new SideloopError('worker/start', `The agent's worker could not be made: ${messageOf(thrown)}`, { cause: thrown })
  }
  try {
    const { error, protocol, lifeline } = await settled(started.worker, started.calls, timeoutMs)
    if (protocol === PROTOCOL_VERSION) return { ...started, life: followLife(lifeline) }
    const failure =
      protocol === undefined
        ? await witness.explain(error)
        : new SideloopError(
            'worker/start',
            `This page and its worker are of different versions (${PROTOCOL_VERSION} and ${protocol}). Reload the page.`,
          )
    started.calls.end(failure)
    started.worker.terminate()
    throw failure
  } finally {
    witness.stop()
  }
}
