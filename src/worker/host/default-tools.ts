// The default set of tools, with the capabilities behind them. Loaded apart from the core: a worker may do without.
import type { FileStore } from '../../storage/file-store.ts'
import { createWorkspaces } from '../capabilities/files/workspace.ts'
import { jsWorkerSandbox } from '../capabilities/js/js-worker-sandbox.ts'
import type { Runtime } from '../loop/scope.ts'
import { listFiles } from '../tools/list-files.ts'
import { readFile } from '../tools/read-file.ts'
import { runJs } from '../tools/run-js.ts'
import { writeFile } from '../tools/write-file.ts'

export type DefaultToolsOptions = {
  readonly files: FileStore
  readonly now: () => number
  /** Where a bundler has to see the nested worker. */
  readonly createJsWorker?: () => Worker
}

export type DefaultTools = {
  /** Loads what a first run of code would load, so that it works without a network. */
  warm(): Promise<void>
}

/** What they hold ends with the runtime. */
export const mountDefaultTools = (runtime: Runtime, { files, now, createJsWorker }: DefaultToolsOptions): DefaultTools => {
  const sandbox = jsWorkerSandbox(createJsWorker === undefined ? {} : { createWorker: createJsWorker })
  const { workspaceFor, forget } = createWorkspaces({ files, now })
  runtime.use((scope) => {
    scope.on('session/disposed', ({ id }) => forget(id))
    for (const tool of [
      runJs({ sandbox, workspaceFor }),
      readFile({ workspaceFor }),
      writeFile({ workspaceFor }),
      listFiles({ workspaceFor }),
    ]) {
      // An application's own tool of that name takes the place of ours.
      if (scope.tools.get(tool.name) === undefined) scope.tools.register(tool)
    }
    return () => sandbox.dispose()
  })
  return {
    async warm() {
      await sandbox.run({ code: '0', files: [], timeoutMs: 10_000, memoryBytes: 16 * 1024 * 1024 }, AbortSignal.timeout(60_000))
    },
  }
}
