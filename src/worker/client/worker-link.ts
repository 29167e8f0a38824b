// The page's hold on its worker: notices when it is dead, starts another, and lets those who care go on with that one.
import { messageOf, SideloopError } from '../../storage/log/errors.ts'
import type { AgentHost } from '../protocol/agent-host.ts'
import { hostFacade } from './host-facade.ts'
import { type StartedWorker, startWorker } from './start-worker.ts'

export type Health =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'restarting'; readonly message: string }
  | { readonly kind: 'failed'; readonly code: SideloopError['code']; readonly message: string }

export type WorkerLink = {
  /** Commands go to the worker that lives now; while one is being started they wait for it. */
  readonly host: AgentHost
  readonly health: Health
  /** Also called when a new worker took over (`ready` after `restarting`). */
  onHealth(listener: (health: Health) => void): () => void
  close(): void
}

export type LinkOptions = {
  /** How long a worker may take to start, in milliseconds. */
  readonly startTimeoutMs: number
  /** How long a worker may be silent while it owes an answer, in milliseconds of a page that is awake. */
  readonly silenceMs: number
}

const TICK_MS = 1000
const HEARTBEAT_TICKS = 10
/** A worker that dies this often in a row is not started again by itself. */
const MAX_RESTARTS = 3
const STABLE_MS = 60_000

const DEAD = 'The agent stopped answering and is being started again. What was stored is safe.'
const closedError = (): SideloopError => new SideloopError('worker/dead', 'This client was closed: connect again to go on')

export const linkWorker = async (start: () => Worker, { startTimeoutMs, silenceMs }: LinkOptions): Promise<WorkerLink> => {
  const listeners = new Set<(health: Health) => void>()
  let current: Promise<StartedWorker> = startWorker(start, startTimeoutMs)
  let health: Health = { kind: 'starting' }
  let closed = false
  let restarts = 0
  let startedAt = 0
  let ticks = 0
  let silentTicks = 0
  let pinging = false

  const setHealth = (next: Health): void => {
    health = next
    for (const listener of listeners) listener(next)
  }

  const restart = async (dead: StartedWorker): Promise<void> => {
    dead.life.stop()
    dead.worker.terminate()
    restarts = performance.now() - startedAt > STABLE_MS ? 1 : restarts + 1
    const next =
      restarts > MAX_RESTARTS
        ? Promise.reject(new SideloopError('worker/dead', 'The agent died several times in a row. Reload the page to try again.'))
        : startWorker(start, startTimeoutMs)
    current = next
    current.catch(() => {}) // told by `health`, and to every command that waits for it
    dead.calls.end(new SideloopError('worker/dead', DEAD))
    setHealth({ kind: 'restarting', message: DEAD })
    try {
      const live = await next
      if (closed) return live.worker.terminate()
      mind(live)
      startedAt = performance.now()
      setHealth({ kind: 'ready' })
    } catch (error) {
      setHealth({ kind: 'failed', code: error instanceof SideloopError ? error.code : 'worker/start', message: messageOf(error) })
    }
  }

  /** Its death is told at once where the browser has locks; elsewhere by its silence. */
  const mind = (live: StartedWorker): void => {
    void live.life.ended.then(() => restart(live))
  }

  const ping = (live: StartedWorker): void => {
    pinging = true
    live.calls.host.health.ping({}).then(
      () => {
        silentTicks = 0
        pinging = false
      },
      () => {}, // the link learns of a dead worker by its silence
    )
  }

  /** Ticks are counted, not time: a frozen or sleeping page has none, so its worker is not taken for dead. */
  const tick = async (): Promise<void> => {
    if (health.kind !== 'ready') return
    const live = await current
    ticks++
    if (live.calls.pending === 0) {
      silentTicks = 0
      if (ticks % HEARTBEAT_TICKS === 0) ping(live) // a worker that owes nothing may be dead all the same
      return
    }
    silentTicks++
    if (silentTicks * TICK_MS >= silenceMs) {
      silentTicks = 0
      pinging = false
      await restart(live)
    } else if (!pinging && silentTicks > 2) {
      ping(live)
    }
  }

  startedAt = performance.now()
  mind(await current)
  health = { kind: 'ready' }
  const timer = setInterval(() => void tick(), TICK_MS)

  const host = hostFacade(async (group, command, input) => {
    if (closed) throw closedError()
    const { calls } = await current
    return calls.call(group, command, input)
  })

  return {
    host,
    get health() {
      return health
    },
    onHealth(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    close() {
      if (closed) return
      closed = true
      clearInterval(timer)
      listeners.clear()
      current.then(
        ({ worker, calls, life }) => {
          life.stop()
          calls.end(closedError())
          worker.terminate()
        },
        () => {}, // it never started
      )
    },
  }
}
