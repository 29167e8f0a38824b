// The JavaScript sandbox over nested workers: started when first needed, ended when code does not obey, replaced afterwards.
import { type KillableWorkerOptions, startKillableWorker } from '../killable-worker.ts'
import { createWorkerPool } from '../worker-pool.ts'
import type { JsConsoleLine, JsRunResult, JsSandbox } from './js-sandbox.ts'
import type { RunMessage, SandboxMessage } from './sandbox-messages.ts'

export type JsWorkerSandboxOptions = Partial<KillableWorkerOptions> & {
  /** Runs at the same time; more wait for their turn. Default 4. */
  readonly maxWorkers?: number
}

export interface JsWorkerSandbox extends JsSandbox {
  /** Ends every worker at once; what runs is rejected with `worker/dead`. */
  dispose(): void
}

/** The default finds its worker in the usual bundlers; pass `createWorker` where a bundler loses nested workers of libraries. */
const defaultWorker = (): Worker => new Worker(new URL('./quickjs.worker.ts', import.meta.url), { type: 'module', name: 'sideloop-js' })

const WORDS = {
  name: 'JavaScript sandbox',
  needs: 'Its worker file and its .wasm file must be served by this site, and the policy of the worker must allow "wasm-unsafe-eval".',
}

export const jsWorkerSandbox = (options: JsWorkerSandboxOptions = {}): JsWorkerSandbox => {
  const { createWorker = defaultWorker, startMs = 20_000, graceMs = 500, maxWorkers = 4 } = options
  const pool = createWorkerPool(() => startKillableWorker<SandboxMessage>({ createWorker, startMs, graceMs }, WORDS), maxWorkers)
  return {
    run: ({ onConsole, ...request }, signal) =>
      pool.use((worker) => {
        const lines: JsConsoleLine[] = []
        return worker.run<JsRunResult>(
          {
            message: { type: 'run', request } satisfies RunMessage,
            timeoutMs: request.timeoutMs,
            hear(message) {
              if (message.type === 'ended') {
                const { ending, droppedLines, ms } = message
                return { ending, console: lines, droppedLines, ms }
              }
              lines.push(message.line)
              onConsole?.(message.line)
              return undefined
            },
            killed: (ms) => ({ ending: { kind: 'timeout', killed: true }, console: lines, droppedLines: 0, ms }),
          },
          signal,
        )
      }, signal),
    dispose: () => pool.dispose(),
  }
}
