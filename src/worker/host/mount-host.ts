// Puts a whole worker together: stores, runtime, persistence, the default tools, plugins and models, and the host over them.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { PricesOf } from '../../storage/log/projections/account.ts'
import type { Stores } from '../../storage/stores.ts'
import type { Plugin, Runtime } from '../loop/scope.ts'
import { persistence } from '../plugins/persistence/persistence.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import { createRuntime } from '../runtime.ts'
import type { ToolDefinition } from '../tools/tool.ts'
import { createHost } from './create-host.ts'
import { lazily, lazyGroup } from './lazily.ts'
import type { LocalModelsOptions } from './local-models/mount-local-models.ts'
import type { Catalogue } from './models/model-facts.ts'
import type { ServedModels } from './models/models.ts'
import { createNews } from './news.ts'
import { sharedSettings } from './shared-settings.ts'
import type { Channels } from './tabs/channels.ts'
import type { Leases } from './tabs/lease.ts'
import { createWatches, type Watches } from './watching/watches.ts'

export type MountOptions = {
  readonly stores: Stores
  readonly leases: Leases
  /** The first model of the first entry is what new sessions start with. */
  readonly models: readonly ServedModels[]
  /** What is known of models by name, for all providers; goes before the catalogue and what servers say. */
  readonly catalogue?: Catalogue
  readonly tools?: readonly ToolDefinition[]
  readonly plugins?: readonly Plugin[]
  readonly identity?: string
  readonly persona?: string
  /** What runs models in this tab; without it there are none. */
  readonly localModels?: LocalModelsOptions
  /** Nested workers, where a bundler has to see them. */
  readonly workers?: { readonly js?: () => Worker; readonly shell?: () => Worker }
  /** The line to other tabs of the same stores, and the name of this one among them. Without channels it is alone. */
  readonly channels?: Channels | undefined
  readonly tab?: string
  /** How long another tab has to store and stop when a person takes over here, in milliseconds. Default 1,500. */
  readonly yieldMs?: number
  readonly newId?: () => string
  readonly now?: () => number
}

export type MountedHost = {
  readonly host: AgentHost
  readonly runtime: Runtime
  /** Opens the stores and loads what a page asks for first, ahead of its question. */
  begin(): Promise<void>
  /** Loads every part that loads on demand: what works without a network has to be here before the network goes. */
  warm(): Promise<void>
  dispose(): Promise<void>
}

const IDENTITY = `You are a helpful agent that lives in this browser tab. You have tools: use them to do what is asked instead of describing it. Files are in a virtual file system that belongs to this session, and the shell works on them; there is no network. When you are done, say in a few words what you did.`

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
  const news = createNews(options.channels)
  const onListed = (): void => {
    news.tell('sessions')
    news.show('sessions')
  }
  const saved = persistence(stores.sessions, onListed)
  runtime.use(saved.plugin)
  stores.onTrouble(saved.onTrouble)
  stores.onDataLoss(() => news.show('data-loss'))
  watches = createWatches(runtime, saved)

  for (const tool of options.tools ?? []) runtime.tools.register(tool)
  for (const { provider, adapter } of models) runtime.llm.registerAdapter([provider], adapter)
  for (const plugin of options.plugins ?? []) runtime.use(plugin)
  const tools = lazily(async () => {
    const { mountDefaultTools } = await import('./default-tools.ts')
    return mountDefaultTools(runtime, { files: stores.files, now, ...(workers && { workers }) })
  })
  const shared = sharedSettings(stores.settings, news)
  const settings = lazily(async () => {
    const { mountModelSettings } = await import('./models/model-settings.ts')
    return mountModelSettings({
      llm: runtime.llm,
      stores,
      settings: shared,
      served: models,
      now,
      catalogue: options.catalogue,
      local: options.localModels,
      onLocalChange: () => news.show('local-models'),
    })
  })
  const people = lazily(async () => {
    const { mountPeople } = await import('./people.ts')
    return mountPeople(runtime, shared)
  })

  const plugins = lazily(async () => {
    // After people, in front of whom nothing is put that is then not run: see the guard against repeats.
    const [{ mountDefaultPlugins }, { sweepHolders }] = await Promise.all([
      import('./default-plugins.ts'),
      import('./copies/holder.ts'),
      people(),
    ])
    sweepHolders({ stores, leases }).catch(() => {}) // the next import tries again
    return mountDefaultPlugins(runtime, { files: stores.files, blobs: stores.blobs, now })
  })

  const copies = lazily(async () => {
    const { createCopies } = await import('./copies/copies.ts')
    const pricesOf: PricesOf = (provider, model) => runtime.llm.info(provider, model).prices
    const chosen = async (): Promise<AgentOptions> => (await settings()).models.chosen({})
    return createCopies({ stores, leases, newId, now, pricesOf, chosen, settle: saved.flush, onListed })
  })

  const prepare = (): Promise<unknown> => Promise.all([tools(), settings(), people(), plugins()])

  return {
    runtime,
    async begin() {
      await Promise.all([stores.ready(), settings()])
    },
    async warm() {
      await Promise.all([
        prepare(),
        copies(),
        stores.warm(),
        import('./watching/page-watch.ts'),
        import('./tabs/tabs.ts'),
        import('./watching/stored-view.ts'),
      ])
      await Promise.all([(await tools()).warm(), (await settings()).local.warm()])
    },
    host: createHost({
      runtime,
      persistence: saved,
      stores,
      leases,
      watches,
      newId,
      news,
      onListed,
      tab: options.tab ?? crypto.randomUUID(),
      channels: options.channels,
      yieldMs: options.yieldMs ?? 1500,
      models: lazyGroup(
        async () => (await settings()).models,
        ['list', 'providers', 'save', 'remove', 'test', 'discover', 'findLocal', 'stop', 'choose', 'chosen'],
      ),
      local: lazyGroup(async () => (await settings()).local.commands, ['list', 'add', 'download', 'stop', 'remove']),
      bridges: { promptApi: async ({ port }) => (await settings()).builtIn.offer(port) },
      people,
      runs: async () => (await plugins()).runs,
      copies: lazyGroup(copies, ['fork', 'export', 'exportAll', 'import', 'stop']),
      prepare,
    }),
    async dispose() {
      await runtime.dispose()
      stores.close()
    },
  }
}
