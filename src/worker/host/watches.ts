// Every page that looks at a session of this worker, told when something about it may have changed.
import type { SessionId } from '../../storage/log/content.ts'
import type { WireError } from '../client/error-transfer.ts'
import type { Agent } from '../hooks/agent.ts'
import type { Runtime } from '../loop/scope.ts'
import type { Persistence } from '../plugins/persistence/persistence.ts'
import type { LiveState } from '../protocol/frames.ts'
import { startWatch, type Watch } from './watch.ts'

export type Watches = {
  start(agent: Agent, after: number, port: MessagePort): void
  progress(agent: Agent | undefined, ...note: Parameters<Watch['progress']>): void
  touch(id: SessionId): void
  /** Tells every page that looks at the session that it is gone. */
  close(id: SessionId, error: WireError): void
}

const liveStateOf = ({ status, options, inbox, session }: Agent, persistence: Persistence): LiveState => {
  const { failure } = persistence.state(session.id)
  return {
    status,
    options,
    waiting: inbox.waiting,
    held: inbox.held,
    storage: failure === undefined ? { kind: 'ok' } : { kind: 'failed', code: failure.code, message: failure.message },
  }
}

export const createWatches = (runtime: Runtime, persistence: Persistence): Watches => {
  const watches = new Map<SessionId, Set<Watch>>()
  const of = (id: SessionId): ReadonlySet<Watch> => watches.get(id) ?? new Set()
  const touch = (id: SessionId): void => {
    for (const watch of of(id)) watch.touch()
  }

  runtime.on('session/event', ({ id }) => touch(id))
  runtime.on('agent/status', ({ session }) => touch(session.id))
  runtime.on('agent/created', ({ session, inbox }) => {
    inbox.onChange(() => touch(session.id))
  })
  persistence.onChange(touch)

  return {
    start(agent, after, port) {
      const { session } = agent
      const watch = startWatch({
        session,
        port,
        after,
        stored: () => persistence.state(session.id).stored,
        live: () => liveStateOf(agent, persistence),
        onClose: () => watches.get(session.id)?.delete(watch),
      })
      watches.set(session.id, new Set([...of(session.id), watch]))
    },
    progress(agent, ...note) {
      if (agent !== undefined) for (const watch of of(agent.session.id)) watch.progress(...note)
    },
    touch,
    close(id, error) {
      for (const watch of [...of(id)]) watch.close(error)
      watches.delete(id)
    },
  }
}
