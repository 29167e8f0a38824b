// The JavaScript sandbox over nested workers: started when first needed, ended when code does not obey, replaced afterwards.
import type { JsRunRequest, JsRunResult, JsSandbox } from './js-sandbox.ts'
import { type SandboxWorker, type SandboxWorkerOptions, startSandboxWorker } from './sandbox-worker.ts'

export type JsWorkerSandboxOptions = Partial<SandboxWorkerOptions> & {
  /** Runs at the same time; more wait for their turn. Default 4. */
  readonly maxWorkers?: number
}

export interface JsWorkerSandbox extends JsSandbox {
  /** Ends every worker at once; what runs is rejected with `worker/dead`. */
  dispose(): void
}

/** The default finds its worker in the usual bundlers; pass `createWorker` where a bundler loses nested workers of libraries. */
const defaultWorker = (): Worker => new Worker(new URL('./quickjs.worker.ts', import.meta.url), { type: 'module', name: 'sideloop-js' })

export const jsWorkerSandbox = (options: JsWorkerSandboxOptions = {}): JsWorkerSandbox => {
  const { createWorker = defaultWorker, startMs = 20_000, graceMs = 500, maxWorkers = 4 } = options
  const idle: SandboxWorker[] = []
  const busy = new Set<SandboxWorker>()
  const queue: (() => void)[] = []
  let turns = 0

  /** A turn is taken here, in the same tick, and handed on by `giveTurn`. */
  const takeTurn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (turns < maxWorkers) {
        turns += 1
        resolve()
        return
      }
      const next = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        queue.splice(queue.indexOf(next), 1)
        reject(signal.reason)
      }
      queue.push(next)
      signal.addEventListener('abort', leave, { once: true })
    })
  const giveTurn = (): void => {
    const next = queue.shift()
    if (next === undefined) turns -= 1
    else next()
  }

  const runInWorker = async (request: JsRunRequest, signal: AbortSignal): Promise<JsRunResult> => {
    const worker = idle.pop() ?? startSandboxWorker({ createWorker, startMs, graceMs })
    busy.add(worker)
    try {
      return await worker.run(request, signal)
    } finally {
      busy.delete(worker)
      if (worker.isAlive) idle.push(worker)
    }
  }

  return {
    async run(request, signal) {
      signal.throwIfAborted()
      await takeTurn(signal)
      try {
        return await runInWorker(request, signal)
      } finally {
        giveTurn()
      }
    },
    dispose() {
      for (const worker of [...idle.splice(0), ...busy]) worker.end()
    },
  }
}
