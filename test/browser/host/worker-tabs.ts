// Several workers on one page, each as a tab has it: they share IndexedDB, Web Locks and channels, and each can be ended.
import { type Client, connect } from '../../../src/worker/client/connect.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import type { SessionView } from '../../../src/worker/client/session-view.ts'

export type WorkerTab = {
  readonly client: Client
  /** As when the tab is closed or crashes: in the middle of anything. */
  kill(): void
}

export type WorkerTabs = {
  open(): Promise<WorkerTab>
  close(): void
}

let count = 0

export const workerTabs = (): WorkerTabs => {
  const name = `tabs-${Date.now()}-${++count}`
  const tabs: WorkerTab[] = []
  return {
    async open() {
      const client = await connect(() => new Worker(new URL('./tabs.worker.ts', import.meta.url), { type: 'module', name }))
      const tab = { client, kill: () => client.close() }
      tabs.push(tab)
      return tab
    },
    close() {
      for (const tab of tabs) tab.kill()
      indexedDB.deleteDatabase(`sideloop/${name}`)
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
