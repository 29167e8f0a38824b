// A session goes from one tab to another: asked for, offered, taken, and given up for good.
import type { SessionId } from '../../../storage/log/content.ts'
import type { SideloopError } from '../../../storage/log/errors.ts'
import type { Persistence } from '../../plugins/persistence/persistence.ts'
import { drivenElsewhere, type OpenSessions } from '../open-sessions.ts'
import type { Driver } from './driver.ts'
import type { Leases } from './lease.ts'
import type { Room } from './room.ts'

export interface HandOver {
  /** The driver here; undefined when it is driven elsewhere, or by nobody. */
  here(id: SessionId): Driver | undefined
  /** Who drives it. Where there are no locks, what other tabs do is not known. */
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
}

export type HandOverParts = {
  readonly sessions: OpenSessions
  readonly leases: Leases
  readonly persistence: Pick<Persistence, 'state'>
  readonly room: Pick<Room, 'ask' | 'askToStop'>
  /** How long a driver has to store and stop, in milliseconds. */
  readonly yieldMs: number
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const createHandOver = ({ sessions, leases, persistence, room, yieldMs }: HandOverParts): HandOver => {
  const { seats, give, queue, letGo } = sessions

  const place: HandOver['place'] = async (id) => {
    if (seats.get(id)?.held !== undefined) return 'here'
    return (await leases.held())?.has(id) ? 'elsewhere' : 'nobody'
  }

  /** Resolves when whoever drives it has stored and stopped, or had the time to. */
  const stopped = async (id: SessionId): Promise<void> => {
    const seat = seats.get(id)
    if (seat?.held !== undefined) await letGo(seat, 'stored')
    else if ((await place(id)) === 'elsewhere') await Promise.race([room.askToStop(id), after(yieldMs)])
  }

  return {
    here(id) {
      const driver = seats.get(id)?.driver
      return driver?.where === 'here' ? driver : undefined
    },
    place,
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
    async takeOver(id) {
      let failure: SideloopError | undefined
      const leave = sessions.add(id, {
        go() {},
        fail(error) {
          failure = error
        },
      })
      try {
        const seat = seats.get(id)
        if (seat?.held === undefined) await stopped(id)
        if (failure !== undefined || seat === undefined) throw failure ?? drivenElsewhere()
        if (seat.held === undefined) await queue(seat, 'steal')
        else await seat.held.opening.catch(() => {}) // its errands are told
        if (seat.held?.handle === undefined) throw failure ?? drivenElsewhere()
      } finally {
        leave()
      }
    },
    async exclusively(id, work) {
      await stopped(id)
      seats.get(id)?.withdraw.abort()
      const lease = await leases.acquire(id, 'steal', new AbortController().signal)
      try {
        await sessions.ended(id)
        return await work()
      } finally {
        lease.release()
        const seat = seats.get(id)
        if (seat !== undefined && seat.held === undefined) void queue(seat, 'wait') // whatever became of it is found by opening it
      }
    },
  }
}
