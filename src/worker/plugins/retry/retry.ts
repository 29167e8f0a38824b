// Retry as a plugin: a model call that failed for a passing reason is made again after a growing pause. All else is left to others.
import type { SessionEvent } from '../../../storage/log/events.ts'
import type { ModelFailure } from '../../../storage/log/model-call.ts'
import type { Agent, Session } from '../../hooks/agent.ts'
import { pause } from '../../hooks/pause.ts'
import type { Plugin } from '../../loop/scope.ts'
import { type Backoff, pauseBefore } from './backoff.ts'
import { passingFailure } from './passing-failure.ts'

export type RetryOptions = Partial<Backoff> & {
  /** Attempts of one step, the first one included. Default 5. */
  readonly attempts?: number
  /** From 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number
  /** Resolves after that many milliseconds, and at once when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const MOST_ATTEMPTS = 5

/**
 * How often the call of this step was made again, by whomever. Told by the log, so that nothing is remembered elsewhere; what a person
 * decided to go on with (`error_continue`) is a new call with attempts of its own.
 */
const retriesOf = (events: readonly SessionEvent[]): number => {
  let count = 0
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!
    if (event.type === 'step/start' || (event.type === 'task/noted' && event.data.name === 'error_continue')) break
    if (event.type === 'model/retry') count++
  }
  return count
}

/**
 * A browser does not tell a connection that broke from a server that never lets browsers in. It is worth another try only where this
 * session had an answer from that provider before.
 */
const isOpaque = ({ class: kind, code }: ModelFailure): boolean => kind === 'transport' && code === 'unreachable'

const wasReachable = (session: Session): boolean => {
  const provider = session.requestHeader()?.config.provider
  return session.events.some((event) => event.type === 'assistant/message' && event.data.provenance.provider === provider)
}

/** W10: five attempts, 500 ms to 10 s with jitter, `Retry-After` obeyed. Never for what would fail in the same way again. */
export const retry = ({ attempts = MOST_ATTEMPTS, random = Math.random, wait = pause, ...backoff }: RetryOptions = {}): Plugin => {
  return (scope) => {
    const signals = new WeakMap<Agent, AbortSignal>()
    const unmounted = new AbortController()

    // In front of every other listener: the first value ends that event, and the signal is needed whoever gives one.
    const takeSignal = (agent: Agent, _turn: number, _step: number, _system: string, _prefix: unknown, signal: AbortSignal): void => {
      signals.set(agent, signal)
    }
    scope.on('agent/pre-step', takeSignal, { prepend: true })

    scope.on('agent/request-error', async (agent, turn, step, error, next) => {
      const { session } = agent
      const failure = passingFailure(error)
      if (failure === undefined || (isOpaque(failure) && !wasReachable(session))) return next()
      const attempt = retriesOf(session.events) + 1
      const delayMs = pauseBefore(attempt, failure.retryAfterMs, random, backoff)
      if (attempt >= attempts || delayMs === undefined) return next()
      session.append('model/retry', { turn, step, attempt, delayMs, failure })
      const signal = AbortSignal.any([unmounted.signal, ...(signals.has(agent) ? [signals.get(agent)!] : [])])
      await wait(delayMs, signal)
      return signal.aborted ? { kind: 'fail' } : { kind: 'retry' }
    })
    return () => unmounted.abort()
  }
}
