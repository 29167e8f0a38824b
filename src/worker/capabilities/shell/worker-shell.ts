// The shell over nested workers: the interpreter works there, files and the host's own commands stay here.
import { messageOf } from '../../../storage/log/errors.ts'
import { type KillableWorkerOptions, startKillableWorker } from '../killable-worker.ts'
import { createWorkerPool } from '../worker-pool.ts'
import { ownerOf } from './owner-calls.ts'
import type { Shell, ShellRequest, ShellResult } from './shell.ts'
import type { FromWorker, OwnerCall, OwnerCalls, ToWorker } from './shell-messages.ts'

export type WorkerShellOptions = Partial<KillableWorkerOptions> & {
  /** Commands at the same time; more wait for their turn. Default 4. */
  readonly maxWorkers?: number
}

export interface WorkerShell extends Shell {
  /** Ends every worker at once; what runs is rejected with `worker/dead`. */
  dispose(): void
}

/** The default finds its worker in the usual bundlers; pass `createWorker` where a bundler loses nested workers of libraries. */
const defaultWorker = (): Worker => new Worker(new URL('./bash.worker.ts', import.meta.url), { type: 'module', name: 'sideloop-bash' })

const WORDS = { name: 'shell', needs: 'Its worker file must be served by this site.' }

/** Answers what the worker asks for. `settled`: nothing that it asked for is going on any more. */
const createAnswers = (owner: OwnerCalls) => {
  const going = new Set<Promise<void>>()
  const callOf = (call: OwnerCall): ((...args: never[]) => Promise<unknown>) => owner[call]

  const work = async (call: OwnerCall, args: readonly unknown[], id: number): Promise<ToWorker> => {
    try {
      return { type: 'answer', id, ok: true, value: await callOf(call)(...(args as never[])) }
    } catch (error) {
      return { type: 'answer', id, ok: false, message: messageOf(error) }
    }
  }
  return {
    answer({ id, call, args }: Extract<FromWorker, { type: 'ask' }>, say: (message: ToWorker) => void): void {
      const done = work(call, args, id).then(say)
      going.add(done)
      void done.finally(() => going.delete(done))
    },
    async settled(): Promise<void> {
      await Promise.allSettled(going)
    },
  }
}

export const workerShell = (options: WorkerShellOptions = {}): WorkerShell => {
  const { createWorker = defaultWorker, startMs = 20_000, graceMs = 500, maxWorkers = 4 } = options
  const pool = createWorkerPool(() => startKillableWorker<FromWorker>({ createWorker, startMs, graceMs }, WORDS), maxWorkers)

  const run = async (request: ShellRequest, signal: AbortSignal): Promise<ShellResult> => {
    const { command, cwd, files, timeoutMs } = request
    const owner = ownerOf(request)
    const answers = createAnswers(owner)
    const commands = Object.keys(request.commands ?? {})
    const message: ToWorker = { type: 'run', run: { command, cwd, timeoutMs, commands, tree: await files.list() } }
    try {
      return await pool.use(
        (worker) =>
          worker.run<ShellResult>(
            {
              message,
              timeoutMs,
              hear(said, answer) {
                if (said.type === 'ended') return said.result
                answers.answer(said, answer)
                return undefined
              },
              killed: (ms) => ({ stdout: '', stderr: '', exitCode: 124, timedOut: true, ms }),
            },
            signal,
          ),
        signal,
      )
    } finally {
      await answers.settled()
    }
  }
  return { run, dispose: () => pool.dispose() }
}
