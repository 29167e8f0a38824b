// Counts what goes wrong in a row, up to a limit, and how often it went wrong at all.

export interface Row {
  /** One more; false when there were enough of them. */
  next(): boolean
  end(): void
  /** In this row, from 1. */
  readonly attempt: number
  /** In the whole run. */
  readonly total: number
}

export const createRow = (most: number): Row => {
  let attempt = 0
  let total = 0
  return {
    next() {
      total++
      attempt++
      return attempt <= most
    },
    end() {
      attempt = 0
    },
    get attempt() {
      return attempt
    },
    get total() {
      return total
    },
  }
}
