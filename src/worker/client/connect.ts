// The page's way in: starts the worker, shakes hands, and gives a client that survives the worker's death.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { SessionId } from '../../storage/log/content.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import type { SessionListed } from '../protocol/views.ts'
import { clientNews, type News } from './news.ts'
import { type ClientSession, openSession } from './session.ts'
import { type ClientStorage, clientStorage } from './storage.ts'
import { clientTabs, type Tabs } from './tabs.ts'
import { type UnderWayOptions, underWay } from './under-way.ts'
import { type Health, linkWorker } from './worker-link.ts'

export type ConnectOptions = {
  /** How long the worker may take to start, in milliseconds. Default 15,000. */
  readonly startTimeoutMs?: number
  /** How long a worker that owes an answer may be silent before it is taken for dead, in milliseconds. Default 30,000. */
  readonly silenceMs?: number
}

export interface Client {
  /** Every command, as the worker offers it. */
  readonly host: AgentHost
  readonly sessions: {
    create(input?: { readonly title?: string; readonly options?: AgentOptions }): Promise<ClientSession>
    /** Also when it is open in another tab: it is followed live. Errors: `session/unknown`, `session/invalid`, the `storage/*` codes. */
    open(id: SessionId): Promise<ClientSession>
    /** Newest first. */
    list(input?: { readonly query?: string; readonly limit?: number }): Promise<readonly SessionListed[]>
    rename(id: SessionId, title: string): Promise<void>
    remove(id: SessionId): Promise<void>
    /** A new session with the events before that seq and the files as they were there. To edit a message: fork before it, then send. */
    fork(id: SessionId, beforeSeq: number): Promise<SessionId>
    /** This and the next two can be followed and stopped. */
    export(id: SessionId, work?: UnderWayOptions): ReturnType<AgentHost['sessions']['export']>
    exportAll(work?: UnderWayOptions): ReturnType<AgentHost['sessions']['exportAll']>
    /** Errors: `import/refused`, with what is wrong where. */
    import(file: Blob, work?: UnderWayOptions): ReturnType<AgentHost['sessions']['import']>
  }
  /** What other tabs, or work in the background, have changed. */
  readonly news: News
  /** Which tab drives a session. */
  readonly tabs: Tabs
  /** How much room there is, and whether the browser keeps what is stored. */
  readonly storage: ClientStorage
  readonly health: { readonly state: Health; subscribe(listener: (health: Health) => void): () => void }
  /** Ends the worker; what is stored stays. */
  close(): void
}

/**
 * `connect(() => new Worker(new URL('./agent.worker.ts', import.meta.url), { type: 'module' }))`. The function is called again when the
 * worker has to be started anew. Errors: `worker/start`, with the cause as far as the browser lets it be known.
 */
export const connect = async (start: () => Worker, options: ConnectOptions = {}): Promise<Client> => {
  const { startTimeoutMs = 15_000, silenceMs = 30_000 } = options
  const link = await linkWorker(start, { startTimeoutMs, silenceMs })
  const { host } = link
  return {
    host,
    sessions: {
      async create(input = {}) {
        const { sessionId } = await host.sessions.create(input)
        return openSession(link, sessionId)
      },
      open: (id) => openSession(link, id),
      list: (input = {}) => host.sessions.list(input),
      rename: (sessionId, title) => host.sessions.rename({ sessionId, title }),
      remove: (sessionId) => host.sessions.remove({ sessionId }),
      fork: async (sessionId, beforeSeq) => (await host.sessions.fork({ sessionId, beforeSeq })).sessionId,
      export: (sessionId, work = {}) => underWay(host, work, (under) => host.sessions.export({ sessionId, ...under })),
      exportAll: (work = {}) => underWay(host, work, host.sessions.exportAll),
      import: (file, work = {}) => underWay(host, work, (under) => host.sessions.import({ file, ...under })),
    },
    news: clientNews(link),
    tabs: clientTabs(link),
    storage: clientStorage(),
    health: {
      get state() {
        return link.health
      },
      subscribe: (listener) => link.onHealth(listener),
    },
    close: () => link.close(),
  }
}
