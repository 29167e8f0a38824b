// The sessions that this worker has to do with: driven here, or followed while another tab drives them. Who is granted the lease drives;
// whoever needs a session waits for the lease and meanwhile asks the tab that has it.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { SessionId } from '../../storage/log/content.ts'
import { asError, SideloopError } from '../../storage/log/errors.ts'
import type { SessionStore } from '../../storage/session-store.ts'
import type { Agent } from '../hooks/agent.ts'
import type { AgentHandle, Runtime } from '../loop/scope.ts'
import type { Persistence } from '../plugins/persistence/persistence.ts'
import type { Driver, Errand } from './driver.ts'
import type { Lease, Leases } from './lease.ts'
import type { Room } from './room.ts'
import type { Watches } from './watches.ts'

export type OpenSessions = {
  create(id: SessionId, options: AgentOptions): Promise<Agent>
  /** The agent of a session that is driven here. Errors: `session/busy` when it is not, or not any more. */
  agent(id: SessionId): Agent
  /** Gives the errand to whoever drives the session, now and after each change, until the disposer is called. */
  add(id: SessionId, errand: Errand): () => void
  /** Is this the driver that errands of the session are with? */
  isWith(id: SessionId, driver: Driver): boolean
  /** The driver here; undefined when it is driven elsewhere, or by nobody. */
  here(id: SessionId): Driver | undefined
  /** Who drives it. Errors: none; where there are no locks, what other tabs do is not known. */
  place(id: SessionId): Promise<'here' | 'elsewhere' | 'nobody'>
  /** Another tab says that it drives the session. */
  heard(id: SessionId, driver: Driver): void
  /** The tab that drove the session says that it does so no more. */
  left(id: SessionId, tenure: string): void
  /** Another tab wants the session: stops and stores what runs here. False when it is not driven here. */
  yield(id: SessionId): Promise<boolean>
  /** Another tab follows the session: lets it go there if nobody here looks at it and it is at rest. */
  offer(id: SessionId): boolean
  /** Resolves when it is driven here. Errors: `session/busy` when another tab was faster, those of opening. */
  takeOver(id: SessionId): Promise<void>
  /** Lets `work` have the session to itself: nobody drives it here or in another tab meanwhile. */
  exclusively<T>(id: SessionId, work: () => Promise<T>): Promise<T>
  /** The session cannot be had any more, says this or another tab. */
  gone(id: SessionId, error: SideloopError): void
}

export type OpenSessionsParts = {
  readonly runtime: Runtime
  readonly persistence: Persistence
  readonly store: SessionStore
  readonly leases: Leases
  readonly watches: Watches
  /** The line to the other tabs. */
  readonly room: Room
  readonly newTenure: () => string
  /** Carries out a command on a session that is driven here. */
  readonly perform: Driver['call']
  /** What has to be there before a session is opened. */
  readonly prepare: () => Promise<unknown>
  /** How long the driver has to store and stop when another tab takes over, in milliseconds. */
  readonly yieldMs: number
}

type Held = { readonly lease: Lease; readonly opening: Promise<AgentHandle>; handle?: AgentHandle }

type Seat = {
  readonly id: SessionId
  readonly errands: Set<Errand>
  /** Set from the grant of the lease on. */
  held: Held | undefined
  /** Whom the errands are with. */
  driver: Driver | undefined
  withdraw: AbortController
  /** Writers that came between, in a row. */
  conflicts: number
}

/** Without locks two tabs may claim a session by turns: after so many times it is told. */
const MAX_CONFLICTS = 3

const elsewhere = (): SideloopError =>
  new SideloopError('session/busy', 'This session is driven in another tab now. Go on there, or take it over here.')

const isConflict = (error: unknown): boolean => error instanceof SideloopError && error.code === 'storage/conflict'

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const createOpenSessions = (parts: OpenSessionsParts): OpenSessions => {
  const { runtime, persistence, store, leases, watches, room, newTenure, perform, prepare, yieldMs } = parts
  const seats = new Map<SessionId, Seat>()
  /** What was driven here and is still coming to rest: it must not be opened again before. */
  const endings = new Map<SessionId, Promise<void>>()

  const sit = (id: SessionId): Seat => {
    const seat: Seat = { id, errands: new Set(), held: undefined, driver: undefined, withdraw: new AbortController(), conflicts: 0 }
    seats.set(id, seat)
    return seat
  }

  const end = (seat: Seat, error: SideloopError): void => {
    const errands = [...seat.errands]
    seat.errands.clear()
    prune(seat)
    for (const errand of errands) errand.fail(error)
  }

  /** A session that nobody here needs, and that is not driven here, is forgotten. */
  const prune = (seat: Seat): void => {
    if (seat.errands.size > 0 || seat.held !== undefined) return
    seat.withdraw.abort()
    if (seats.get(seat.id) === seat) seats.delete(seat.id)
  }

  const give = (seat: Seat, driver: Driver): void => {
    seat.driver = driver
    for (const errand of [...seat.errands]) errand.go(driver)
  }

  const queue = (seat: Seat, how: 'wait' | 'steal' = 'wait'): void => {
    seat.withdraw.abort()
    seat.withdraw = new AbortController()
    const { signal } = seat.withdraw
    leases.acquire(seat.id, how, signal).then(
      (lease) => (signal.aborted ? lease.release() : void take(seat, lease, () => resume(seat.id)).catch(() => {})), // told to the errands
      (error: unknown) => {
        if (!signal.aborted) end(seat, new SideloopError('session/busy', asError(error).message, { cause: error }))
      },
    )
    room.ask(seat.id)
  }

  const resume = async (id: SessionId): Promise<AgentHandle> => {
    await prepare()
    const row = await store.get(id)
    return runtime.agents.resume({ agentId: id, resumeSessionId: id, agentOptions: row?.options ?? {} })
  }

  const take = async (seat: Seat, lease: Lease, start: () => Promise<AgentHandle>): Promise<Agent> => {
    const { id } = seat
    const open = async (): Promise<AgentHandle> => {
      await endings.get(id)
      return start()
    }
    const held: Held = { lease, opening: open() }
    seat.held = held
    void whenAborted(lease.lost).then(() => {
      if (seat.held === held) letGo(seat, 'at once')
    })
    try {
      held.handle = await held.opening
    } catch (error) {
      if (seat.held === held && isConflict(error) && ++seat.conflicts <= MAX_CONFLICTS) letGo(seat, 'at once')
      else if (seat.held === held) {
        seat.held = undefined
        lease.release()
        end(seat, error instanceof SideloopError ? error : new SideloopError('internal', asError(error).message, { cause: error }))
      }
      throw error
    }
    const { agent } = held.handle
    if (seat.held !== held) throw elsewhere()
    const tenure = newTenure()
    const driver: Driver = { where: 'here', tenure, call: perform, watch: (...view) => watches.start(agent, ...view) }
    give(seat, driver)
    room.announce(id, tenure)
    return agent
  }

  /**
   * What is not stored by now is not written any more: whoever drives next finds a log as after a kill, repairs it and goes on, and what
   * waits for a person waits on. The lease goes when all is at rest, and after `last`.
   */
  const letGo = (seat: Seat, how: 'stored' | 'at once', last: (lease: Lease) => unknown = () => {}): Promise<void> => {
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
    if (seat.errands.size > 0) queue(seat)
    else prune(seat)
    return stopped
  }

  persistence.onChange((id) => {
    const seat = seats.get(id)
    if (seat?.held?.handle === undefined) return
    const { failure } = persistence.state(id)
    if (failure?.code !== 'storage/conflict') seat.conflicts = 0
    else if (++seat.conflicts <= MAX_CONFLICTS) void letGo(seat, 'at once')
    else {
      void letGo(seat, 'at once')
      end(seat, failure)
    }
  })

  /** Resolves when whoever drives it has stored and stopped, or had the time to. */
  const stopped = async (id: SessionId): Promise<void> => {
    const seat = seats.get(id)
    if (seat?.held !== undefined) return letGo(seat, 'stored')
    const held = await leases.held()
    if (held?.has(id)) await Promise.race([room.askToStop(id), after(yieldMs)])
  }

  const add: OpenSessions['add'] = (id, errand) => {
    const known = seats.get(id)
    const seat = known ?? sit(id)
    seat.errands.add(errand)
    if (known === undefined) queue(seat)
    if (seat.driver !== undefined) errand.go(seat.driver)
    return () => {
      seat.errands.delete(errand)
      prune(seat)
    }
  }

  const gone = (id: SessionId, error: SideloopError): void => {
    const seat = seats.get(id)
    if (seat !== undefined && seat.held === undefined) end(seat, error)
  }

  return {
    async create(id, agentOptions) {
      const seat = sit(id)
      const lease = await leases.acquire(id, 'wait', seat.withdraw.signal)
      return take(seat, lease, () => runtime.agents.create({ agentId: id, sessionId: id, meta: { cwd: '/' }, agentOptions }))
    },
    agent(id) {
      const seat = seats.get(id)
      if (seat?.driver?.where !== 'here' || seat.held?.handle === undefined) throw elsewhere()
      return seat.held.handle.agent
    },
    add,
    isWith: (id, driver) => seats.get(id)?.driver === driver,
    here: (id) => {
      const driver = seats.get(id)?.driver
      return driver?.where === 'here' ? driver : undefined
    },
    async place(id) {
      if (seats.get(id)?.held !== undefined) return 'here'
      return (await leases.held())?.has(id) ? 'elsewhere' : 'nobody'
    },
    heard(id, driver) {
      const seat = seats.get(id)
      // One that holds the lease learns from the lock alone that it was taken away.
      if (seat !== undefined && seat.held === undefined && seat.driver?.tenure !== driver.tenure) give(seat, driver)
    },
    left(id, tenure) {
      const seat = seats.get(id)
      if (seat?.driver?.where !== 'elsewhere' || seat.driver.tenure !== tenure) return
      seat.driver = undefined
      room.ask(id)
    },
    async yield(id) {
      const seat = seats.get(id)
      if (seat?.held === undefined) return false
      // Kept until it is taken: who stands first in the queue is not always who asked.
      await letGo(seat, 'stored', (lease) => Promise.race([whenAborted(lease.lost), after(yieldMs)]))
      return true
    },
    offer(id) {
      const seat = seats.get(id)
      const agent = seat?.held?.handle?.agent
      if (seat === undefined || agent === undefined || seat.errands.size > 0) return false
      if (agent.status !== 'idle' || agent.inbox.unlogged.length > 0 || persistence.state(id).failure !== undefined) return false
      void letGo(seat, 'stored')
      return true
    },
    takeOver: (id) =>
      new Promise((resolve, reject) => {
        let before: string | undefined
        const leave = add(id, {
          go(driver) {
            const faster = before !== undefined && before !== driver.tenure
            before = driver.tenure
            if (driver.where === 'here') resolve()
            else if (faster) reject(elsewhere())
            else return
            queueMicrotask(() => leave())
          },
          fail: reject,
        })
        const seize = async (): Promise<void> => {
          const seat = seats.get(id)
          if (seat === undefined || seat.held !== undefined) return
          await stopped(id)
          if (seats.get(id) === seat && seat.held === undefined) queue(seat, 'steal')
        }
        seize().catch(reject)
      }),
    async exclusively(id, work) {
      await stopped(id)
      seats.get(id)?.withdraw.abort()
      const lease = await leases.acquire(id, 'steal', new AbortController().signal)
      try {
        await endings.get(id)
        return await work()
      } finally {
        lease.release()
        const seat = seats.get(id)
        if (seat !== undefined && seat.held === undefined) queue(seat) // it is as it was, unless it was told to be gone
      }
    },
    gone,
  }
}
