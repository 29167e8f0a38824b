// Puts a whole worker together: stores, runtime, persistence, the default tools and models, and the host over them.
import type { Stores } from '../../storage/stores.ts'
import { jsWorkerSandbox } from '../capabilities/js/js-worker-sandbox.ts'
import { createWorkspaces } from '../capabilities/files/workspace.ts'
import type { Plugin, Runtime } from '../loop/scope.ts'
import { persistence } from '../plugins/persistence/persistence.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import { createRuntime } from '../runtime.ts'
import { listFiles } from '../tools/list-files.ts'
import { readFile } from '../tools/read-file.ts'
import { runJs } from '../tools/run-js.ts'
import type { ToolDefinition } from '../tools/tool.ts'
import { writeFile } from '../tools/write-file.ts'
import { createHost } from './create-host.ts'
import type { Leases } from './lease.ts'
import type { ServedModels } from './models.ts'
import { createWatches, type Watches } from './watches.ts'

export type MountOptions = {
  readonly stores: Stores
  readonly leases: Leases
  /** The first model of the first entry is what new sessions start with. */
  readonly models: readonly ServedModels[]
  readonly tools?: readonly ToolDefinition[]
  readonly plugins?: readonly Plugin[]
  readonly identity?: string
  readonly persona?: string
  /** Nested workers, where a bundler has to see them. */
  readonly workers?: { readonly js?: () => Worker }
  readonly newId?: () => string
  readonly now?: () => number
}

export type MountedHost = { readonly host: AgentHost; readonly runtime: Runtime; dispose(): Promise<void> }

const IDENTITY = `You are a helpful agent that lives in this browser tab. You have tools: use them to do what is asked instead of describing it. Files are in a virtual file system that belongs to this session; there is no network and no shell. When you are done, say in a few words what you did.`

export const mountHost = (options: MountOptions): MountedHost => {
  const { stores, leases, models, workers, identity = IDENTITY, newId = () => crypto.randomUUID(), now = Date.now } = options
  let watches: Watches | undefined
  const runtime = createRuntime({
    identity,
    ...(options.persona === undefined ? {} : { persona: options.persona }),
    newId,
    now,
    onProgress: (...note) => watches?.progress(...note),
  })
  const saved = persistence(stores.sessions)
  runtime.use(saved.plugin)
  watches = createWatches(runtime, saved)

  const sandbox = jsWorkerSandbox(workers?.js === undefined ? {} : { createWorker: workers.js })
  const { workspaceFor, forget } = createWorkspaces({ files: stores.files, now })
  runtime.on('session/disposed', ({ id }) => forget(id))
  for (const tool of [runJs({ sandbox, workspaceFor }), readFile({ workspaceFor }), writeFile({ workspaceFor }), listFiles({ workspaceFor })]) runtime.tools.register(tool)
  for (const tool of options.tools ?? []) runtime.tools.register(tool)
  for (const { provider, adapter } of models) runtime.llm.registerAdapter([provider], adapter)
  for (const plugin of options.plugins ?? []) runtime.use(plugin)

  return {
    runtime,
    host: createHost({ runtime, persistence: saved, stores, leases, watches, served: models, newId }),
    async dispose() {
      await runtime.dispose()
      sandbox.dispose()
      stores.close()
    },
  }
}
