// One worker of the sandbox as its owner sees it: takes one run at a time, and is ended when a run does not obey.
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { JsConsoleLine, JsEnding, JsRunRequest, JsRunResult } from './js-sandbox.ts'
import type { RunMessage, SandboxMessage } from './sandbox-messages.ts'

export interface SandboxWorker {
  /** Not while another run is going on. */
  run(request: JsRunRequest, signal: AbortSignal): Promise<JsRunResult>
  /** False once it was ended: it takes no more runs. */
  readonly isAlive: boolean
  /** What runs is rejected with `worker/dead`. */
  end(): void
}

export type SandboxWorkerOptions = {
  readonly createWorker: () => Worker
  /** Milliseconds for the worker and the engine to load. */
  readonly startMs: number
  /** Milliseconds beyond the code's own limit before its worker is ended. */
  readonly graceMs: number
}

const START_FAILED =
  'The JavaScript sandbox did not start. Its worker file and its .wasm file must be served by this site, and the policy of the worker must allow "wasm-unsafe-eval".'

const startError = (detail?: string): SideloopError =>
  new SideloopError('worker/start', detail === undefined ? START_FAILED : `${START_FAILED} (${detail})`)

/** Errors: `worker/start` when the browser refuses to make the worker. */
export const startSandboxWorker = ({ createWorker, startMs, graceMs }: SandboxWorkerOptions): SandboxWorker => {
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

  const run = (running: Worker, request: JsRunRequest, signal: AbortSignal): Promise<JsRunResult> =>
    new Promise((resolve, reject) => {
      const listening = new AbortController()
      const lines: JsConsoleLine[] = []
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
      const end = (ending: JsEnding, droppedLines: number, ms: number): void => {
        finish()
        resolve({ ending, console: lines, droppedLines, ms })
      }
      const kill = (): void => {
        terminate()
        end({ kind: 'timeout', killed: true }, 0, Math.round(performance.now() - startedAt))
      }
      const hear = (message: SandboxMessage): void => {
        if (message.type === 'started') {
          startedAt = performance.now()
          clearTimeout(timer)
          timer = setTimeout(kill, request.timeoutMs + graceMs)
        } else if (message.type === 'console') {
          lines.push(message.line)
          request.onConsole?.(message.line)
        } else if (message.type === 'unavailable') fail(startError(message.message))
        else end(message.ending, message.droppedLines, message.ms)
      }

      abandon = fail
      running.addEventListener('message', (event: MessageEvent<SandboxMessage>) => hear(event.data), { signal: listening.signal })
      // An error event without a message is a worker file that could not be loaded.
      running.addEventListener('error', (event) => fail(startError(event.message || undefined)), { signal: listening.signal })
      signal.addEventListener('abort', () => fail(signal.reason), { signal: listening.signal })
      timer = setTimeout(() => fail(startError(`nothing came back within ${startMs} ms`)), startMs)
      const { onConsole: _, ...cloneable } = request
      running.postMessage({ type: 'run', request: cloneable } satisfies RunMessage)
    })

  return {
    run: async (request, signal) => {
      signal.throwIfAborted()
      if (worker === undefined) throw startError('it was ended before')
      return run(worker, request, signal)
    },
    get isAlive() {
      return worker !== undefined
    },
    end() {
      terminate()
      abandon?.(new SideloopError('worker/dead', 'The JavaScript sandbox was closed while it ran code. Run it again.'))
    },
  }
}
