// A log that was seeded in the middle of a turn (a fork, a copy): that turn is closed before anything new begins.
import type { Driver } from './driver.ts'

export const closeLeftOver = (driver: Driver): void => {
  if (!driver.leftOpen) return
  driver.leftOpen = false
  driver.log.repair()
}
