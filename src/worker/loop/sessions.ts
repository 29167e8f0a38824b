// The sessions in memory: made, found, forked, flushed. Storage is a plugin's business.
import type { SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import type { SessionEvent, SessionHeader } from '../../storage/log/events.ts'
import { createSessionLog, type SessionLog } from '../../storage/log/session-log.ts'
import type { Session } from '../hooks/agent.ts'
import type { HookBus } from '../hooks/hook-bus.ts'
import type { SessionMeta } from './scope.ts'

export type OpenSession = { readonly session: Session; readonly log: SessionLog }

export interface Sessions {
  open(id: SessionId, options?: { readonly seed?: Iterable<SessionEvent>; readonly meta?: SessionMeta }): OpenSession
  get(id: SessionId): OpenSession | undefined
  list(): readonly Session[]
  fork(session: Session, beforeSeq: number | undefined, id: SessionId): OpenSession
  close(id: SessionId): void
}

const sessionOver = (log: SessionLog): Session => ({
  id: log.header.id,
  header: log.header,
  get events() {
    return log.events()
  },
  append: (type, data, surface) => log.append(type, data, surface),
  deriveMessages: () => log.deriveMessages(),
  requestHeader: () => log.requestHeader(),
})

export const createSessions = (bus: HookBus, now: () => number): Sessions => {
  const open = new Map<SessionId, OpenSession>()

  const start: Sessions['open'] = (id, { seed, meta } = {}) => {
    if (open.has(id)) throw new SideloopError('session/busy', `The session ${id} is open already`)
    const given = Object.fromEntries(Object.entries(meta ?? {}).filter(([, value]) => value !== undefined))
    const header: SessionHeader = { version: 1, id, createdAt: now(), ...given }
    if (header.id !== id) throw new SideloopError('session/invalid', `The session ${id} cannot have a header of another id`)
    const log = createSessionLog({
      header,
      now,
      ...(seed === undefined ? {} : { seed }),
      onEvent: (event) => bus.emit('session/event', session, event),
    })
    const session = sessionOver(log)
    const entry = { session, log }
    open.set(id, entry)
    bus.emit('session/created', session)
    return entry
  }

  return {
    open: start,
    get: (id) => open.get(id),
    list: () => [...open.values()].map(({ session }) => session),
    fork(session, beforeSeq, id) {
      const seed = session.events.slice(0, beforeSeq)
      const { cwd, depth } = session.header
      return start(id, {
        seed,
        meta: {
          parentSession: session.id,
          seedLength: seed.length,
          ...(cwd === undefined ? {} : { cwd }),
          ...(depth === undefined ? {} : { depth }),
        },
      })
    },
    close(id) {
      const entry = open.get(id)
      if (entry === undefined) return
      open.delete(id)
      bus.emit('session/disposed', entry.session)
    },
  }
}
