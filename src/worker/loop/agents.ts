// The agents that live in a runtime: started fresh, created over a given session, or resumed from storage.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { AgentId, SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { SessionEvent } from '../../storage/log/events.ts'
import type { Agent } from '../hooks/agent.ts'
import { createAgent, type OwnedAgent } from './agent.ts'
import type { LoopPorts } from './driver.ts'
import { readOptions } from './read-input.ts'
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

  const requireFree = (id: AgentId): void => {
    if (typeof id !== 'string' || id === '') throw new SideloopError('command/invalid', 'An agent needs an id: a text that is not empty')
    if (living.has(id))
      throw new SideloopError('command/invalid', `An agent named "${id}" lives already: dispose it first, or choose another id`)
  }

  const seat = (
    id: AgentId,
    sessionId: SessionId,
    options: AgentOptions,
    session: Parameters<Agents['start']>[3],
    how: 'startup' | 'resume',
  ): OwnedAgent => {
    requireFree(id)
    const read = readOptions(options) // whatever can be wrong is found before a session is opened
    const open = sessions.open(sessionId, session)
    const onEnd = (agent: Agent): void => {
      living.delete(id)
      bus.emit('agent/disposed', agent)
      sessions.close(sessionId)
    }
    const owned = createAgent(ports, { id, ...open, options: read, onEnd })
    living.set(id, owned)
    bus.emit('agent/created', owned.agent)
    bus.emit('agent/session-start', owned.agent, how)
    return owned
  }

  return {
    start: (id, sessionId, options, session) => seat(id, sessionId, options, session, 'startup'),
    async resume(id, sessionId, options) {
      if (loader === undefined) {
        throw new SideloopError('session/unknown', `The session ${sessionId} cannot be resumed: no persistence is mounted in this runtime`)
      }
      requireFree(id) // before the session is claimed in vain
      const { header, events, restore } = await loader(sessionId)
      const { version: _version, id: _id, ...meta } = header
      const owned = seat(id, sessionId, options, { seed: events, meta }, 'resume')
      try {
        restore?.(owned.agent)
      } catch (error) {
        await owned.dispose()
        throw error
      }
      return owned
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
