// Several tabs of one browser in one thread: a client, a host and a worker's boundary each, over shared stores, locks and channels. A tab
// can be killed in the middle of anything, or frozen.

import { openMemoryStorage } from '../../src/storage/memory/open-memory-storage.ts'
import type { Stores } from '../../src/storage/stores.ts'
import { type Client, connect } from '../../src/worker/client/connect.ts'
import type { ClientSession } from '../../src/worker/client/session.ts'
import type { SessionView } from '../../src/worker/client/session-view.ts'
import type { LlmAdapter } from '../../src/worker/hooks/llm.ts'
import { mountHost } from '../../src/worker/host/mount-host.ts'
import { webLockLeases } from '../../src/worker/host/tabs/lease.ts'
import { checkCommands } from '../../src/worker/protocol/commands.ts'
import { type InProcessWorker, inProcessWorker } from './in-process-worker.ts'
import { type MemoryChannels, memoryChannels } from './memory-channels.ts'
import { memoryLocks } from './memory-leases.ts'

export type Tab = {
  readonly client: Client
  /** From now on it does nothing: it writes nothing, hears nothing, says nothing, and its locks are free. */
  kill(): void
  /** From now on until the disposer is called it hears no tab and learns of no lock; what its agent does goes on. */
  freeze(): () => void
  /** From now on no tab is heard, and none hears it. Its locks stay. */
  deafen(): void
}

export type Browser = {
  readonly stores: Stores
  readonly tabs: readonly Tab[]
  open(): Promise<Tab>
  /** The line of a tab of another build, which says what it likes. */
  stranger(): MemoryChannels
  close(): void
}

const never = new Promise<never>(() => {})
const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Each call takes its time, as in a database, and has no end when the tab has died meanwhile. */
const mortal = <T extends object>(port: T, isDead: () => boolean): T =>
  new Proxy(port, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function') return member
      return async (...input: unknown[]) => {
        await moment()
        if (isDead()) return never
        const result: unknown = await member.apply(target, input)
        await moment()
        return isDead() ? never : result
      }
    },
  })

export type BrowserOptions = {
  readonly model: LlmAdapter
  /** How long a driver has to let a session go. Default 20. */
  readonly yieldMs?: number
  /** Without them the tabs have only the epoch in the row. */
  readonly alone?: 'no locks and no channels'
}

export const openBrowser = ({ model, yieldMs = 20, alone }: BrowserOptions): Browser => {
  const stores = openMemoryStorage()
  const openLocks = memoryLocks()
  const openChannels = memoryChannels()
  const tabs: Tab[] = []

  const open = async (): Promise<Tab> => {
    let dead = false
    const isDead = (): boolean => dead
    const locks = openLocks()
    const line = openChannels()
    const own = Object.fromEntries(
      Object.entries(stores).map(([name, port]) => [name, typeof port === 'function' ? port : mortal(port, isDead)]),
    ) as Stores
    const workers: InProcessWorker[] = []
    const start = (): Worker => {
      const { host } = mountHost({
        stores: own,
        leases: webLockLeases('test', alone === undefined ? locks.locks : null),
        ...(alone === undefined ? { channels: line.channels } : {}),
        yieldMs,
        models: [{ provider: 'test', label: 'Scripted', models: ['scripted'], adapter: model }],
      })
      const worker = inProcessWorker(checkCommands(host))
      workers.push(worker)
      return worker
    }
    const client = await connect(start)
    const tab: Tab = {
      client,
      kill() {
        dead = true
        line.kill()
        locks.kill()
        for (const worker of workers) worker.silence()
        client.close()
      },
      freeze() {
        const thaws = [line.freeze(), locks.freeze()]
        return () => {
          for (const thaw of thaws) thaw()
        }
      },
      deafen: () => line.kill(),
    }
    tabs.push(tab)
    return tab
  }

  return {
    stores,
    tabs,
    open,
    stranger: openChannels,
    close() {
      for (const tab of tabs) tab.kill()
    },
  }
}

/** Resolves with the first view that fits. */
export const viewWhere = (session: ClientSession, fits: (view: SessionView) => boolean): Promise<SessionView> =>
  new Promise((resolve) => {
    if (fits(session.view)) return resolve(session.view)
    const off = session.subscribe((view) => {
      if (!fits(view)) return
      off()
      resolve(view)
    })
  })
