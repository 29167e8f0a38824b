// Keeps what a run may print within bounds: the first lines whole, the rest counted.
import type { JsConsoleLine } from './js-sandbox.ts'

const MOST_LINES = 1_000
const MOST_CHARACTERS = 200_000
const LONGEST_LINE = 10_000

export interface ConsoleLimits {
  /** The line as it may be kept; undefined when it is one too many. */
  take(line: JsConsoleLine): JsConsoleLine | undefined
  readonly dropped: number
}

export const createConsoleLimits = (): ConsoleLimits => {
  let lines = 0
  let characters = 0
  let dropped = 0
  return {
    take({ level, text }) {
      if (lines >= MOST_LINES || characters >= MOST_CHARACTERS) {
        dropped += 1
        return undefined
      }
      const kept = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}… ${text.length - LONGEST_LINE} more characters` : text
      lines += 1
      characters += kept.length
      return { level, text: kept }
    },
    get dropped() {
      return dropped
    },
  }
}
