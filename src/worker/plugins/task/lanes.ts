// Lets a few pieces of work run at the same time; the others wait in line.

export interface Lanes {
  /** Errors: the signal's reason, when it is aborted while the work waits; else whatever the work says. */
  enter<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export const createLanes = (count: number): Lanes => {
  let free = count
  const line: (() => void)[] = []

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        line.splice(line.indexOf(go), 1)
        reject(signal.reason)
      }
      line.push(go)
      signal.addEventListener('abort', leave, { once: true })
    })

  return {
    async enter(work, signal) {
      signal.throwIfAborted()
      if (free > 0) free--
      else await turn(signal)
      try {
        return await work()
      } finally {
        const next = line.shift()
        if (next === undefined) free++
        else next()
      }
    },
  }
}
