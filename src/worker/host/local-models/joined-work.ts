// One piece of work that several wait for: it is told to stop when the last of them leaves.

export type JoinedWork<T> = {
  /** Errors: those of the work; the signal's reason for whoever leaves before its end. */
  join(signal: AbortSignal): Promise<T>
  /** For all at once. */
  stop(reason: unknown): void
}

/** Begins at once. */
export const joinedWork = <T>(work: (signal: AbortSignal) => Promise<T>): JoinedWork<T> => {
  const stopped = new AbortController()
  const working = work(stopped.signal)
  working.catch(() => {}) // whoever joined is told
  let joined = 0
  return {
    join: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        joined += 1
        const over = new AbortController()
        const leave = (settle: () => void): void => {
          over.abort()
          joined -= 1
          if (joined === 0) stopped.abort(signal.reason)
          settle()
        }
        signal.addEventListener('abort', () => leave(() => reject(signal.reason)), { signal: over.signal })
        working.then(
          (value) => leave(() => resolve(value)),
          (error: unknown) => leave(() => reject(error)),
        )
      }),
    stop: (reason) => stopped.abort(reason),
  }
}
