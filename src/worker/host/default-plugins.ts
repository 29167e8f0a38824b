// The default set of plugins beside persistence. Loaded apart from the core: a worker may do without.
import type { BlobStore } from '../../storage/blob-store.ts'
import type { FileStore } from '../../storage/file-store.ts'
import { createWorkspaces } from '../capabilities/files/workspace.ts'
import type { Runtime } from '../loop/scope.ts'
import { compaction } from '../plugins/compaction/compaction.ts'
import { pruning } from '../plugins/compaction/pruning.ts'
import { repeat } from '../plugins/repeat/repeat.ts'
import { retry } from '../plugins/retry/retry.ts'
import { snapshots } from '../plugins/snapshots/snapshots.ts'
import { runTools } from '../plugins/task/run-tools.ts'
import { taskRuns } from '../plugins/task/task-runs.ts'
import { statusTool } from '../tools/status.ts'
import { createRuns, type Runs } from './runs.ts'

export type DefaultPluginsOptions = { readonly files: FileStore; readonly blobs: BlobStore; readonly now: () => number }

/** What commands need of them. */
export type DefaultPlugins = { readonly runs: Runs }

/** Where very large results go, as files that the agent can read in parts. */
const RESULTS = '/tool-results'

export const mountDefaultPlugins = (runtime: Runtime, options: DefaultPluginsOptions): DefaultPlugins => {
  const { workspaceFor, forget } = createWorkspaces(options)
  const compacting = compaction()
  runtime.on('session/disposed', ({ id }) => forget(id))
  runtime.use(retry())
  // Pruning first: what it saves may make a compaction needless.
  runtime.use(
    pruning({
      async spill(session, name, text) {
        const files = workspaceFor(session)
        const path = `${RESULTS}/${name}`
        // After a kill in between it is there already.
        const there = await files.readText(path).catch(() => undefined)
        if (there?.text !== text) await files.writeText(path, text)
        return path
      },
    }),
  )
  runtime.use(compacting.plugin)
  runtime.use(snapshots(options))
  runtime.use(repeat())
  runtime.use(taskRuns)
  runtime.use(runTools, { status: statusTool() })
  return { runs: createRuns(compacting) }
}
