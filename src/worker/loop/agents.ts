// The agents that live in a runtime: started fresh, created over a given session, or resumed from storage.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { AgentId, SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import type { Agent } from '../hooks/agent.ts'
import { createAgent, type OwnedAgent } from './agent.ts'
import type { LoopPorts } from './driver.ts'
import type { SessionLoader, SessionMeta } from './scope.ts'
import type { Sessions } from './sessions.ts'

export interface Agents {
  start(
    id: AgentId,
    sessionId: SessionId,
    options: AgentOptions,
    session: { readonly seed?: Iterable<SessionEvent>; readonly meta?: SessionMeta },
  ): OwnedAgent
  resume(id: AgentId, sessionId: SessionId, options: AgentOptions): Promise<OwnedAgent>
  get(id: AgentId): OwnedAgent | undefined
  list(): readonly Agent[]
  mountLoader(load: SessionLoader): () => void
}

export const createAgents = (ports: LoopPorts, sessions: Sessions): Agents => {
  const { bus } = ports
  const living = new Map<AgentId, OwnedAgent>()
  let loader: SessionLoader | undefined

  const seat = (
    id: AgentId,
    sessionId: SessionId,
    options: AgentOptions,
    session: Parameters<Agents['start']>[3],
    how: 'startup' | 'resume',
    restore?: (agent: Agent) => void,
  ): OwnedAgent => {
    if (living.has(id))
      throw new SideloopError('command/invalid', `An agent named "${id}" lives already: dispose it first, or choose another id`)
    const open = sessions.open(sessionId, session)
    const inner = createAgent(ports, { id, ...open, options })
    const owned: OwnedAgent = {
      agent: inner.agent,
      async dispose() {
        await inner.dispose()
        if (living.get(id) !== owned) return
        living.delete(id)
        sessions.close(sessionId)
      },
    }
    living.set(id, owned)
    bus.emit('agent/created', inner.agent)
    bus.emit('agent/session-start', inner.agent, how)
    restore?.(inner.agent)
    return owned
  }

  return {
    start: (id, sessionId, options, session) => seat(id, sessionId, options, session, 'startup'),
    async resume(id, sessionId, options) {
      if (loader === undefined) {
        throw new SideloopError('session/unknown', `The session ${sessionId} cannot be resumed: no persistence is mounted in this runtime`)
      }
      const { header, events, restore } = await loader(sessionId)
      const { version: _version, id: _id, ...meta } = header
      return seat(id, sessionId, options, { seed: events, meta }, 'resume', restore)
    },
    get: (id) => living.get(id),
    list: () => [...living.values()].map(({ agent }) => agent),
    mountLoader(load) {
      if (loader !== undefined) throw new SideloopError('command/invalid', 'A persistence plugin is mounted already')
      loader = load
      return () => {
        if (loader === load) loader = undefined
      }
    },
  }
}
