// Times in a few characters.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const GIGA = 1024 ** 3

/** How long ago, both in epoch milliseconds: `now`, `5 min`, `3 h`, `2 d`, then the date. */
export const sayAgo = (time: number, now: number): string => {
  const passed = now - time
  if (passed < MINUTE) return 'now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`
  if (passed < 7 * DAY) return `${Math.floor(passed / DAY)} d`
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear()
  return new Date(time).toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) })
}

/** A duration in milliseconds: `12 ms`, `3.4 s`, `2 min 5 s`. */
export const sayDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`
  return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1000)} s`
}

/** Bytes: `840 B`, `12 KB`, `3.1 MB`, `10 GB`. */
export const saySize = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KB`
  if (bytes < GIGA) return `${(bytes / 1024 / 1024).toFixed(1)} MB`
  return `${(bytes / GIGA).toFixed(bytes < 10 * GIGA ? 1 : 0)} GB`
}
