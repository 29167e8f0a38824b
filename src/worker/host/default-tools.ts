// The default set of tools, with the capabilities behind them. Loaded apart from the core: a worker may do without.
import type { FileStore } from '../../storage/file-store.ts'
import { createWorkspaces } from '../capabilities/files/workspace.ts'
import { jsWorkerSandbox } from '../capabilities/js/js-worker-sandbox.ts'
import { workerShell } from '../capabilities/shell/worker-shell.ts'
import type { Runtime } from '../loop/scope.ts'
import { bash } from '../tools/bash.ts'
import { listFiles } from '../tools/list-files.ts'
import { readFile } from '../tools/read-file.ts'
import { runJs } from '../tools/run-js.ts'
import { writeFile } from '../tools/write-file.ts'

export type DefaultToolsOptions = {
  readonly files: FileStore
  readonly now: () => number
  /** Nested workers, where a bundler has to see them. */
  readonly workers?: { readonly js?: () => Worker; readonly shell?: () => Worker }
}

export type DefaultTools = {
  /** Loads what a first run of code and a first command would load, so that they work without a network. */
  warm(): Promise<void>
}

/** What they hold ends with the runtime. */
export const mountDefaultTools = (runtime: Runtime, { files, now, workers }: DefaultToolsOptions): DefaultTools => {
  const sandbox = jsWorkerSandbox(workers?.js && { createWorker: workers.js })
  const shell = workerShell(workers?.shell && { createWorker: workers.shell })
  const { workspaceFor, forget } = createWorkspaces({ files, now })
  runtime.use((scope) => {
    scope.on('session/disposed', ({ id }) => forget(id))
    for (const tool of [
      runJs({ sandbox, workspaceFor }),
      bash({ shell, workspaceFor }),
      readFile({ workspaceFor }),
      writeFile({ workspaceFor }),
      listFiles({ workspaceFor }),
    ]) {
      // An application's own tool of that name takes the place of ours.
      if (scope.tools.get(tool.name) === undefined) scope.tools.register(tool)
    }
    return () => {
      sandbox.dispose()
      shell.dispose()
    }
  })
  return {
    async warm() {
      const signal = AbortSignal.timeout(60_000)
      const files = workspaceFor({ id: 'nobody', header: {} }).forProgram(() => 'nothing is written here')
      await Promise.all([
        sandbox.run({ code: '0', files: [], timeoutMs: 10_000, memoryBytes: 16 * 1024 * 1024 }, signal),
        shell.run({ command: 'true', cwd: '/', files, timeoutMs: 10_000 }, signal),
      ])
    },
  }
}
