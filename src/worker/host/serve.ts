// serve: the whole of an agent worker in one call.
import { expose } from 'comlink'
import { openIdbStorage } from '../../storage/idb/open-idb-storage.ts'
import { installErrorTransfer } from '../client/error-transfer.ts'
import { lazyAdapter } from '../llm/lazy-adapter.ts'
import { checkCommands } from '../protocol/commands.ts'
import { lazily } from './lazily.ts'
import type { ServedModels } from './models/models.ts'
import { type MountOptions, mountHost } from './mount-host.ts'
import { broadcastChannels } from './tabs/channels.ts'
import { webLockLeases } from './tabs/lease.ts'

export type ServeOptions = Partial<
  Pick<MountOptions, 'models' | 'catalogue' | 'tools' | 'plugins' | 'identity' | 'persona' | 'workers' | 'localModels'>
> & {
  /** Separates applications of one origin: it is in the name of the database and of every lock. Default `default`. */
  readonly namespace?: string
}

const WARM_AFTER_MS = 1500

/** The built-in model: rules that need no key and no network. */
export const demoModels = (): ServedModels => {
  const demo = lazily(async () => (await import('../llm/adapters/demo.ts')).demoModel())
  // Ahead of its use, for the demo is what works without a network, but after what the page asks first. A failure is told by its first call.
  setTimeout(() => demo().catch(() => {}), WARM_AFTER_MS)
  return {
    provider: 'demo',
    label: 'Offline demo',
    detail: 'Rules, not a language model. No key, no network.',
    models: ['demo-rules'],
    adapter: lazyAdapter(demo),
  }
}

/**
 * Call it once, at the top of the worker's file. The host is exposed at once, so that no message of the page is lost; what a page asks
 * for first is fetched meanwhile. Without `models` the offline demo model is served.
 */
export const serve = (options: ServeOptions = {}): void => {
  const { namespace = 'default', models, localModels, ...rest } = options
  installErrorTransfer()
  const { host, begin, warm } = mountHost({
    ...rest,
    ...(localModels && { localModels: { folder: `sideloop-${namespace}-weights`, ...localModels } }),
    models: models ?? [demoModels()],
    stores: openIdbStorage({ namespace }),
    leases: webLockLeases(namespace),
    channels: broadcastChannels(namespace),
  })
  expose(checkCommands(host))
  setTimeout(() => begin().catch(() => {})) // told by the commands that need what is missing
  // The demo promises to work without a network, so all it needs is fetched once the page has had its turn.
  if (models === undefined) setTimeout(() => warm().catch(() => {}), WARM_AFTER_MS) // a failure is told by whoever needs the part
}
