// Milliseconds that the main thread was on a processor. On a shared machine it says what the work cost, not how long it stood in line.
import { readFileSync } from 'node:fs'

const file = `/proc/self/task/${process.pid}/schedstat`

const readable = (): boolean => {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]) > 0
  } catch {
    return false // another system, or a kernel without these statistics
  }
}

/** Where the system does not tell it: the time on the wall. Its helper threads (parallel garbage collection) are not counted. */
export const threadClock: { readonly what: string; now(): number } = readable()
  ? { what: 'time of the main thread', now: () => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 }
  : { what: 'time on the wall', now: () => performance.now() }
