// Notices that a stream has gone quiet, without a clock: only time in which this code could run counts, so sleep and freezing do not.

export type Timers = {
  readonly set: (callback: () => void, ms: number) => unknown
  readonly clear: (id: unknown) => void
}

export interface StallWatch {
  /** Bytes came: the count starts anew. The first call starts the watch. */
  heard(): void
  stop(): void
}

const TICKS = 10

/**
 * Calls `onStall` when `limitMs` have passed in ticks with nothing heard. A machine that slept, or a tab that was frozen, fires no
 * ticks meanwhile and one after, however long that was.
 */
export const stallWatch = (limitMs: number, timers: Timers, onStall: () => void): StallWatch => {
  let timer: unknown
  let quiet = 0
  let stopped = false

  const tick = () => {
    quiet += 1
    if (stopped) return
    if (quiet > TICKS) {
      stopped = true
      onStall()
      return
    }
    timer = timers.set(tick, limitMs / TICKS)
  }

  return {
    heard() {
      quiet = 0
      if (timer === undefined && !stopped) timer = timers.set(tick, limitMs / TICKS)
    },
    stop() {
      stopped = true
      if (timer !== undefined) timers.clear(timer)
    },
  }
}
