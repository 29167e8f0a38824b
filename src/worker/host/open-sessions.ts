// The sessions that this worker drives: opened once each, however many commands ask at the same time.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { SessionId } from '../../storage/log/content.ts'
import type { SessionStore } from '../../storage/session-store.ts'
import type { Agent } from '../hooks/agent.ts'
import type { AgentHandle, Runtime } from '../loop/scope.ts'
import type { Persistence } from '../plugins/persistence/persistence.ts'
import type { Lease, Leases } from './lease.ts'

export type OpenSessions = {
  create(id: SessionId, options: AgentOptions): Promise<Agent>
  /** Errors: `session/unknown`, `session/busy`, `session/invalid`, the `storage/*` codes. */
  open(id: SessionId): Promise<Agent>
  /** Stops what runs, stores it, and lets the session go. */
  close(id: SessionId): Promise<void>
  /** Lets `work` have the session to itself: nobody drives it here or in another tab meanwhile. */
  exclusively<T>(id: SessionId, work: () => Promise<T>): Promise<T>
}

type Opened = { readonly handle: AgentHandle; readonly lease: Lease }

export const createOpenSessions = (runtime: Runtime, persistence: Persistence, store: SessionStore, leases: Leases): OpenSessions => {
  const opened = new Map<SessionId, Promise<Opened>>()

  const keep = (id: SessionId, start: () => Promise<AgentHandle>): Promise<Opened> => {
    const opening = (async (): Promise<Opened> => {
      const lease = await leases.acquire(id)
      try {
        return { lease, handle: await start() }
      } catch (error) {
        lease.release()
        opened.delete(id) // the next command tries again
        throw error
      }
    })()
    opening.catch(() => opened.delete(id)) // told to whoever asked
    opened.set(id, opening)
    return opening
  }

  const resume = async (id: SessionId): Promise<AgentHandle> => {
    const row = await store.get(id)
    return runtime.agents.resume({ agentId: id, resumeSessionId: id, agentOptions: row?.options ?? {} })
  }

  const close = async (id: SessionId): Promise<void> => {
    const entry = await opened.get(id)?.catch(() => undefined)
    if (entry === undefined) return
    opened.delete(id)
    await entry.handle.dispose()
    await persistence.settled(id)
    entry.lease.release()
  }

  return {
    async create(id, agentOptions) {
      const { handle } = await keep(id, () => runtime.agents.create({ agentId: id, sessionId: id, meta: { cwd: '/' }, agentOptions }))
      return handle.agent
    },
    async open(id) {
      const { handle } = await (opened.get(id) ?? keep(id, () => resume(id)))
      return handle.agent
    },
    close,
    async exclusively(id, work) {
      await close(id)
      const lease = await leases.acquire(id)
      try {
        return await work()
      } finally {
        lease.release()
      }
    },
  }
}
