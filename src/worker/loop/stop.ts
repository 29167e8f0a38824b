// How a turn is stopped: one signal per turn, and waits that end soon after it, whatever ignores it.

/** Thrown at the loop's check points once its turn was cancelled or its agent disposed. Caught by `runTurn` only. */
export class TurnStopped extends Error {
  override readonly name = 'TurnStopped'
}

/** From cancel to `turn/end` at most 250 ms (L23): what was started gets this long to settle. */
export const GRACE_MS = 200

export const throwIfStopped = (signal: AbortSignal): void => {
  if (signal.aborted) throw new TurnStopped('The turn was stopped')
}

/**
 * The outcome of `work`; or, `graceMs` after the signal's abort, a `TurnStopped`. An outcome that comes later goes to `late`, so that
 * no rejection is left unhandled.
 */
export const settleWithin = <T>(
  work: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
  late?: (outcome: PromiseSettledResult<T>) => void,
): Promise<T> =>
  new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let waiting = true
    const giveUp = (): void => {
      waiting = false
      reject(new TurnStopped('The turn was stopped'))
    }
    const onAbort = (): void => {
      if (graceMs === 0) giveUp()
      else timer = setTimeout(giveUp, graceMs)
    }
    const settle = (outcome: PromiseSettledResult<T>): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      if (!waiting) late?.(outcome)
      else if (outcome.status === 'fulfilled') resolve(outcome.value)
      else reject(outcome.reason)
    }
    work.then(
      (value) => settle({ status: 'fulfilled', value }),
      (reason: unknown) => settle({ status: 'rejected', reason }),
    )
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
