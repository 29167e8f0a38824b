// One nested worker as its owner sees it: takes one run at a time, and is ended when a run does not obey.
import { messageOf, SideloopError } from '../../storage/log/errors.ts'
import type { PooledWorker } from './worker-pool.ts'

/** What every such worker says besides what its runs are about. */
export type CommonMessage =
  /** All is loaded, the work begins: from here the clock runs. */
  | { readonly type: 'started' }
  /** What it runs on could not be loaded. */
  | { readonly type: 'unavailable'; readonly message: string }

export type WorkerRun<Message, Out> = {
  /** What the worker is sent to begin. */
  readonly message: unknown
  readonly timeoutMs: number
  /** Gives the end of the run, if that is what was said. `answer` talks back. */
  hear(message: Message, answer: (message: unknown) => void): Out | undefined
  /** The run did not even end itself when its time was over, so its worker was ended. */
  killed(ms: number): Out
}

export interface KillableWorker<Message> extends PooledWorker {
  /** Not while another run is going on. Errors: `worker/start`, `worker/dead`, the signal's reason when aborted: the worker is ended then. */
  run<Out>(run: WorkerRun<Message, Out>, signal: AbortSignal): Promise<Out>
}

export type KillableWorkerOptions = {
  readonly createWorker: () => Worker
  /** Milliseconds for the worker and what it runs on to load. */
  readonly startMs: number
  /** Milliseconds beyond the run's own limit before its worker is ended. */
  readonly graceMs: number
}

/** What people read about it: its name, and what has to be so that it starts. */
export type WorkerWords = { readonly name: string; readonly needs: string }

/** Errors: `worker/start` when the browser refuses to make the worker. */
export const startKillableWorker = <Message extends { readonly type: string }>(
  { createWorker, startMs, graceMs }: KillableWorkerOptions,
  { name, needs }: WorkerWords,
): KillableWorker<Message> => {
  const startError = (detail: string | undefined): SideloopError =>
    new SideloopError('worker/start', `The ${name} did not start. ${needs}${detail === undefined ? '' : ` (${detail})`}`)

  let worker: Worker | undefined
  let abandon: ((error: unknown) => void) | undefined
  try {
    worker = createWorker()
  } catch (error) {
    throw startError(messageOf(error))
  }
  const terminate = (): void => {
    worker?.terminate()
    worker = undefined
  }

  const runIn = <Out>(running: Worker, run: WorkerRun<Message, Out>, signal: AbortSignal): Promise<Out> =>
    new Promise((resolve, reject) => {
      const listening = new AbortController()
      let startedAt = performance.now()
      let timer: ReturnType<typeof setTimeout> | undefined

      const finish = (): void => {
        listening.abort()
        clearTimeout(timer)
        abandon = undefined
      }
      const fail = (error: unknown): void => {
        terminate()
        finish()
        reject(error)
      }
      const end = (out: Out): void => {
        finish()
        resolve(out)
      }
      const kill = (): void => {
        terminate()
        end(run.killed(Math.round(performance.now() - startedAt)))
      }
      const answer = (message: unknown): void => {
        if (!listening.signal.aborted) running.postMessage(message)
      }
      const begin = (): void => {
        startedAt = performance.now()
        clearTimeout(timer)
        timer = setTimeout(kill, run.timeoutMs + graceMs)
      }
      const hear = (message: Message | CommonMessage): void => {
        if (!isCommon(message)) {
          const out = run.hear(message, answer)
          if (out !== undefined) end(out)
        } else if (message.type === 'unavailable') fail(startError(message.message))
        else begin()
      }

      abandon = fail
      running.addEventListener('message', (event: MessageEvent<Message | CommonMessage>) => hear(event.data), { signal: listening.signal })
      // An error event without a message is a worker file that could not be loaded.
      running.addEventListener('error', (event) => fail(startError(event.message || undefined)), { signal: listening.signal })
      signal.addEventListener('abort', () => fail(signal.reason), { signal: listening.signal })
      timer = setTimeout(() => fail(startError(`nothing came back within ${startMs} ms`)), startMs)
      running.postMessage(run.message)
    })

  return {
    async run(run, signal) {
      signal.throwIfAborted()
      if (worker === undefined) throw startError('it was ended before')
      return runIn(worker, run, signal)
    },
    get isAlive() {
      return worker !== undefined
    },
    end() {
      terminate()
      abandon?.(new SideloopError('worker/dead', `The ${name} was closed while it ran. Run it again.`))
    },
  }
}

const isCommon = (message: { readonly type: string }): message is CommonMessage =>
  message.type === 'started' || message.type === 'unavailable'
