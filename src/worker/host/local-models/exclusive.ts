// One after the other: whoever comes while something runs waits for its turn, or leaves.
import { orAborted } from '../../hooks/or-aborted.ts'

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
