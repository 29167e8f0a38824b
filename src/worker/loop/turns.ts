// Takes turns while there is work, one at a time, and says by the status whether one is running.
import type { Source } from '../../storage/log/content.ts'
import { asError } from '../../storage/log/errors.ts'
import type { Agent } from '../hooks/agent.ts'
import type { Driver } from './driver.ts'
import { findParked, type Parked } from './parked.ts'
import { type Opening, resumeTurn, runTurn, type StopCause } from './run-turn.ts'

export interface Turns {
  readonly status: Agent['status']
  /** Is there a turn, or one about to begin, or one whose flush is awaited? */
  readonly awake: boolean
  readonly disposed: boolean
  /** Takes up work, in a microtask. */
  wake(): void
  /** The next turn opens even without a message. Nothing while one is running: it goes on by itself. */
  goOn(source: Source): void
  /** Stops the running turn, or the one about to begin; the first reason stands. */
  cancel(reason: string): void
  /** A flush that no turn waits for. */
  flushAside(): void
  whenIdle(): Promise<void>
  /** Stops the running turn as disposed; no turn begins any more. */
  end(): void
  /** Ends, and waits for quiescence. */
  dispose(): Promise<void>
}

type Running = { readonly controller: AbortController; cause: StopCause | undefined }

const USER: Source = Object.freeze({ kind: 'user' })

export const createTurns = (driver: Driver): Turns => {
  const { agent, bus, log, inbox, report } = driver
  let status: Agent['status'] = 'idle'
  let running: Running | undefined
  let driving: Promise<void> | undefined
  let aside: Promise<void> | undefined
  let ended = false
  let goOnFor: Source | undefined
  /** What an earlier life left waiting for a person: taken up again before anything else. */
  let parked: Parked | undefined = findParked(log)

  const setStatus = (next: Agent['status']): void => {
    if (next === status) return
    status = next
    bus.emit('agent/status', agent, next)
  }

  /** A failure is told, outside the turn. */
  const flush = async (): Promise<void> => {
    try {
      await bus.parallel('session/flush', agent.session)
    } catch (error) {
      bus.emit('agent/error', agent, log.lastTurn, 1, asError(error))
    }
  }

  /** Asked between turns only: then steering has no turn to enter, and is a prompt. */
  const hasWork = (): boolean => {
    if (ended) return false
    if (parked !== undefined) return true
    inbox.requeueSteering()
    return goOnFor !== undefined || inbox.hasPrompts()
  }

  const nextOpening = (): Opening => {
    const messages = inbox.take('turn')
    const source = goOnFor ?? USER
    goOnFor = undefined
    return messages[0] === undefined
      ? { trigger: { kind: 'continue', source }, messages }
      : { trigger: { kind: 'message', source: messages[0].source }, messages }
  }

  const takeTurn = async (): Promise<void> => {
    const turn: Running = { controller: new AbortController(), cause: undefined }
    running = turn
    try {
      const { signal } = turn.controller
      const waiting = parked
      parked = undefined
      if (waiting !== undefined) await resumeTurn(driver, waiting, signal, () => turn.cause)
      else await runTurn(driver, nextOpening(), signal, () => turn.cause)
    } catch (error) {
      report(error, 'turn') // not a failure of the turn, which would have ended it: the log itself refused
      inbox.putBack()
    }
    running = undefined
    await flush() // exactly once, while the status is not idle yet
  }

  const drive = async (): Promise<void> => {
    await Promise.resolve() // `send` leaves the status idle in its own tick, and two sends in one tick share a turn
    while (hasWork()) {
      setStatus('running')
      if (hasWork()) await takeTurn() // a listener of the status may have cancelled
    }
    driving = undefined
    if (!ended) setStatus('idle')
  }

  const stop = (cause: StopCause): void => {
    if (running === undefined) return
    running.cause = cause
    running.controller.abort()
  }

  const end = (): void => {
    if (ended) return
    ended = true
    stop({ kind: 'disposed' })
  }

  const whenIdle = async (): Promise<void> => {
    while (driving !== undefined || aside !== undefined) await Promise.all([driving, aside])
  }

  return {
    get status() {
      return status
    },
    get awake() {
      return driving !== undefined
    },
    get disposed() {
      return ended
    },
    wake() {
      if (driving === undefined && hasWork()) driving = drive()
    },
    goOn(source) {
      if (running === undefined) goOnFor = source
    },
    cancel(reason) {
      goOnFor = undefined
      if (running?.cause === undefined) stop({ kind: 'aborted', reason })
    },
    flushAside() {
      const mine = Promise.all([aside, flush()]).then(() => {
        if (aside === mine) aside = undefined
      })
      aside = mine
    },
    whenIdle,
    end,
    async dispose() {
      end()
      await whenIdle()
      setStatus('disposed')
    },
  }
}
