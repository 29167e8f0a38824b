// The sessions that this worker has to do with: driven here, or followed while another tab drives them. Who is granted the lease drives;
// whoever needs a session waits for the lease, and its errands are meanwhile with the tab that has it. What only happens between tabs is
// in hand-over.ts.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { SessionId } from '../../storage/log/content.ts'
import { asError, SideloopError } from '../../storage/log/errors.ts'
import type { SessionStore } from '../../storage/session-store.ts'
import type { Agent } from '../hooks/agent.ts'
import type { AgentHandle, Runtime } from '../loop/scope.ts'
import type { Persistence } from '../plugins/persistence/persistence.ts'
import type { Driver, Errand } from './tabs/driver.ts'
import type { Lease, Leases } from './tabs/lease.ts'
import type { Room } from './tabs/room.ts'
import type { Watches } from './watching/watches.ts'

/** A session that is driven here: from the grant of its lease on, so that the handle may still be coming. */
export type Held = { readonly lease: Lease; readonly opening: Promise<AgentHandle>; handle?: AgentHandle }

export type Seat = {
  readonly id: SessionId
  readonly errands: Set<Errand>
  held: Held | undefined
  /** Whom the errands are with. */
  driver: Driver | undefined
  withdraw: AbortController
  /** Writers that came between, in a row. */
  conflicts: number
}

export type OpenSessions = {
  readonly seats: ReadonlyMap<SessionId, Seat>
  create(id: SessionId, options: AgentOptions): Promise<Agent>
  /** The agent of a session that is driven here. Errors: `session/busy` when it is not, or not any more. */
  agent(id: SessionId): Agent
  /** Gives the errand to whoever drives the session, now and after each change, until the disposer is called. */
  add(id: SessionId, errand: Errand): () => void
  /** Its errands are with this driver from now on. */
  give(seat: Seat, driver: Driver): void
  /** Waits for the lease, in turn or at once, and drives the session then. Rejects when that came to nothing; its errands are told. */
  queue(seat: Seat, how: 'wait' | 'steal'): Promise<Agent>
  /**
   * Stops what is driven here; resolves when it is at rest. The lease goes after `last`. What is not stored by now is not written any
   * more: whoever drives next finds a log as after a kill, repairs it and goes on, and what waits for a person waits on.
   */
  letGo(seat: Seat, how: 'stored' | 'at once', last?: (lease: Lease) => unknown): Promise<void>
  /** It cannot be had: its errands fail. */
  end(seat: Seat, error: SideloopError): void
  /** What was driven here has come to rest. */
  ended(id: SessionId): Promise<void> | undefined
}

export type OpenSessionsParts = {
  readonly runtime: Runtime
  readonly persistence: Persistence
  readonly store: SessionStore
  readonly leases: Leases
  readonly watches: Watches
  /** The line to the other tabs. */
  readonly room: Pick<Room, 'ask' | 'announce'>
  readonly newTenure: () => string
  /** Carries out a command on a session that is driven here. */
  readonly perform: Driver['call']
  /** What has to be there before a session is opened. */
  readonly prepare: () => Promise<unknown>
}

/** Without locks two tabs may claim a session by turns: after so many times it is told. */
const MAX_CONFLICTS = 3

export const drivenElsewhere = (): SideloopError =>
  new SideloopError('session/busy', 'This session is driven in another tab now. Go on there, or take it over here.')

const told = (error: unknown): SideloopError =>
  error instanceof SideloopError ? error : new SideloopError('internal', asError(error).message, { cause: error })

export const createOpenSessions = (parts: OpenSessionsParts): OpenSessions => {
  const { runtime, persistence, store, leases, watches, room, newTenure, perform, prepare } = parts
  const seats = new Map<SessionId, Seat>()
  /** What was driven here and is still coming to rest: it must not be opened again before. */
  const endings = new Map<SessionId, Promise<void>>()

  const sit = (id: SessionId): Seat => {
    const seat: Seat = { id, errands: new Set(), held: undefined, driver: undefined, withdraw: new AbortController(), conflicts: 0 }
    seats.set(id, seat)
    return seat
  }

  /** A session that nobody here needs, and that is not driven here, is forgotten. */
  const prune = (seat: Seat): void => {
    if (seat.errands.size > 0 || seat.held !== undefined) return
    seat.withdraw.abort()
    if (seats.get(seat.id) === seat) seats.delete(seat.id)
  }

  const end = (seat: Seat, error: SideloopError): void => {
    const errands = [...seat.errands]
    seat.errands.clear()
    prune(seat)
    for (const errand of errands) errand.fail(error)
  }

  const give = (seat: Seat, driver: Driver): void => {
    seat.driver = driver
    for (const errand of [...seat.errands]) errand.go(driver)
  }

  /** Loaded while the session is waited for: when its driver has died, nothing but the session is missing here. */
  const ready = (): Promise<unknown> => Promise.all([prepare(), import('../../storage/log/repair.ts')])

  const resume = async (id: SessionId): Promise<AgentHandle> => {
    await ready()
    const row = await store.get(id)
    return runtime.agents.resume({ agentId: id, resumeSessionId: id, agentOptions: row?.options ?? {} })
  }

  const queue: OpenSessions['queue'] = (seat, how) => {
    seat.withdraw.abort()
    seat.withdraw = new AbortController()
    const { signal } = seat.withdraw
    const drive = async (): Promise<Agent> => {
      const lease = await leases.acquire(seat.id, how, signal)
      if (!signal.aborted) return take(seat, lease, () => resume(seat.id))
      lease.release()
      throw drivenElsewhere()
    }
    const driving = drive()
    driving.catch((error) => signal.aborted || seat.held !== undefined || end(seat, told(error)))
    room.ask(seat.id)
    ready().catch(() => {}) // told when the session is opened
    return driving
  }

  const take = async (seat: Seat, lease: Lease, start: () => Promise<AgentHandle>): Promise<Agent> => {
    const { id } = seat
    const open = async (): Promise<AgentHandle> => {
      await endings.get(id)
      return start()
    }
    const held: Held = { lease, opening: open() }
    seat.held = held
    lease.lost.addEventListener('abort', () => seat.held === held && letGo(seat, 'at once'))
    try {
      held.handle = await held.opening
    } catch (error) {
      throw seat.held === held ? lost(seat, told(error)) : drivenElsewhere()
    }
    const { agent } = held.handle
    if (seat.held !== held) throw drivenElsewhere()
    const tenure = newTenure()
    give(seat, { where: 'here', tenure, call: perform, watch: (...view) => watches.start(agent, ...view) })
    room.announce(id, tenure)
    return agent
  }

  const letGo: OpenSessions['letGo'] = (seat, how, last = () => {}) => {
    const { id, held } = seat
    if (held === undefined) return Promise.resolve()
    seat.held = undefined
    seat.driver = undefined
    const stop = async (handle: AgentHandle): Promise<void> => {
      if (how === 'stored') await persistence.flush(id).catch(() => {}) // whoever comes next goes on from what is stored
      persistence.abandon(id)
      watches.stop(id)
      await handle.dispose()
      await persistence.settled(id)
    }
    const stopped = held.opening.then(stop).catch(() => {}) // one that could not be opened was told
    endings.set(id, stopped)
    const leave = async (): Promise<void> => {
      await stopped
      if (endings.get(id) === stopped) endings.delete(id)
      await last(held.lease)
      held.lease.release()
    }
    void leave()
    if (seat.errands.size > 0) void queue(seat, 'wait')
    else prune(seat)
    return stopped
  }

  /** It cannot be driven here: another writer came between, and it is opened anew; anything else, and that too often, is told. */
  const lost = (seat: Seat, error: SideloopError): SideloopError => {
    const again = error.code === 'storage/conflict' && ++seat.conflicts <= MAX_CONFLICTS
    void letGo(seat, 'at once')
    if (again) return drivenElsewhere()
    end(seat, error)
    return error
  }

  persistence.onChange((id) => {
    const seat = seats.get(id)
    if (seat?.held?.handle === undefined) return
    const { failure } = persistence.state(id)
    if (failure?.code === 'storage/conflict') lost(seat, failure)
    else seat.conflicts = 0
  })

  return {
    seats,
    async create(id, agentOptions) {
      const seat = sit(id)
      const lease = await leases.acquire(id, 'wait', seat.withdraw.signal)
      return take(seat, lease, () => runtime.agents.create({ agentId: id, sessionId: id, meta: { cwd: '/' }, agentOptions }))
    },
    agent(id) {
      const seat = seats.get(id)
      if (seat?.held?.handle === undefined) throw drivenElsewhere()
      return seat.held.handle.agent
    },
    add(id, errand) {
      const known = seats.get(id)
      const seat = known ?? sit(id)
      seat.errands.add(errand)
      if (known === undefined) void queue(seat, 'wait')
      if (seat.driver !== undefined) errand.go(seat.driver)
      return () => {
        seat.errands.delete(errand)
        prune(seat)
      }
    },
    give,
    queue,
    letGo,
    end,
    ended: (id) => endings.get(id),
  }
}
