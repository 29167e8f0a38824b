// Everybody who looks at a session that is driven here, told when something about it may have changed.
import type { SessionId } from '../../../storage/log/content.ts'
import type { Agent } from '../../hooks/agent.ts'
import type { Runtime } from '../../loop/scope.ts'
import type { Persistence } from '../../plugins/persistence/persistence.ts'
import type { LiveState } from '../../protocol/frames.ts'
import type { Driver } from '../tabs/driver.ts'
import { startWatch, type Watch } from './watch.ts'

export type Watches = {
  start(agent: Agent, ...view: Parameters<Driver['watch']>): ReturnType<Driver['watch']>
  progress(agent: Agent | undefined, ...note: Parameters<Watch['progress']>): void
  touch(id: SessionId): void
  /** The session is driven here no longer: its watches say nothing more. */
  stop(id: SessionId): void
}

const liveStateOf = ({ status, options, inbox, session }: Agent, persistence: Persistence): LiveState => {
  const { failure } = persistence.state(session.id)
  return {
    status,
    options,
    waiting: inbox.waiting,
    held: inbox.held,
    driver: 'here',
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
    start(agent, after, show) {
      const { session } = agent
      const watch = startWatch({
        session,
        show,
        after,
        stored: () => persistence.state(session.id).stored,
        live: () => liveStateOf(agent, persistence),
        onStop: () => watches.get(session.id)?.delete(watch),
      })
      watches.set(session.id, new Set([...of(session.id), watch]))
      return watch
    },
    progress(agent, ...note) {
      if (agent !== undefined) for (const watch of of(agent.session.id)) watch.progress(...note)
    },
    touch,
    stop(id) {
      for (const watch of [...of(id)]) watch.stop()
      watches.delete(id)
    },
  }
}
