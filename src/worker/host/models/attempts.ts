// Things under way that a person may stop by name: a signal does not cross the boundary, a name does.

export type Attempts = {
  /** Runs it with a signal that ends by its name, or after so many milliseconds, if that is said (a `TimeoutError`). */
  run<T>(name: string | undefined, limitMs: number | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  stop(name: string): void
}

export const createAttempts = (): Attempts => {
  const running = new Map<string, AbortController>()
  return {
    async run(name, limitMs, work) {
      const stopped = new AbortController()
      if (name !== undefined) running.set(name, stopped)
      try {
        return await work(limitMs === undefined ? stopped.signal : AbortSignal.any([stopped.signal, AbortSignal.timeout(limitMs)]))
      } finally {
        if (name !== undefined && running.get(name) === stopped) running.delete(name)
      }
    },
    stop: (name) => running.get(name)?.abort(),
  }
}
