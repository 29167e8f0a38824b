// One after the other: whoever comes while something runs waits for its turn, or leaves.

export type Exclusive = {
  /** `waits` is called when somebody else has the turn. Errors: the signal's reason while it waits, then those of the work. */
  run<T>(work: () => Promise<T>, signal: AbortSignal, waits?: () => void): Promise<T>
}

export const createExclusive = (): Exclusive => {
  let last: Promise<unknown> = Promise.resolve()
  let running = 0
  return {
    async run(work, signal, waits) {
      const before = last
      let pass = (): void => {}
      const turn = new Promise<void>((resolve) => {
        pass = resolve
      })
      last = before.then(() => turn)
      if (running > 0) waits?.()
      running += 1
      try {
        await orAborted(before, signal)
        return await work()
      } finally {
        running -= 1
        pass()
      }
    },
  }
}

/** For work that does not listen to the signal itself. */
export const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const over = new AbortController()
    const settle = (done: () => void) => {
      over.abort()
      done()
    }
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => settle(() => reject(signal.reason)), { signal: over.signal })
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
