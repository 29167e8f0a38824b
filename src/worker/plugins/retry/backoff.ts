// How long to wait before a call is made again: doubling, with jitter, and what the server asked for goes before.

/** All in milliseconds. */
export type Backoff = {
  /** The shortest pause. Default 500. */
  readonly minDelayMs: number
  /** The longest pause that nobody asked for. Default 10,000. */
  readonly maxDelayMs: number
  /** A server that asks for a longer one is not waited for. Default 120,000. */
  readonly longestWaitMs: number
}

const DEFAULTS: Backoff = { minDelayMs: 500, maxDelayMs: 10_000, longestWaitMs: 120_000 }

/**
 * Before the retry of that number, counted from 1. Between the doubled pause and half as much again, so that many tabs do not come back
 * together. Undefined: not worth waiting for.
 */
export const pauseBefore = (
  retry: number,
  retryAfterMs: number | undefined,
  random: () => number,
  options: Partial<Backoff> = {},
): number | undefined => {
  const { minDelayMs, maxDelayMs, longestWaitMs } = { ...DEFAULTS, ...options }
  if (retryAfterMs !== undefined) return retryAfterMs > longestWaitMs ? undefined : Math.max(minDelayMs, Math.ceil(retryAfterMs))
  const doubled = minDelayMs * 2 ** (retry - 1)
  const jittered = doubled * (1 + random() / 2)
  // At the ceiling the jitter goes down instead, or all would wait exactly as long.
  const capped = jittered <= maxDelayMs ? jittered : maxDelayMs * (1 - random() / 4)
  return Math.round(Math.max(minDelayMs, capped))
}
