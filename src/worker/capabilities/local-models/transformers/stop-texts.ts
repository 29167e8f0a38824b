// Ends a text before the first of the words that a request wants it to end at. What may be the beginning of one is held back.

export type StopTexts = {
  /** The text that may be told. */
  push(text: string): string
  /** What was held back, when no text comes any more. */
  end(): string
  readonly stopped: boolean
}

export const stopTexts = (stops: readonly string[]): StopTexts => {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1))
  let held = ''
  let stopped = false

  /** Where the text ends that cannot be the beginning of a stop. */
  const certainEnd = (): number => {
    for (let at = Math.max(0, held.length - longest); at < held.length; at++)
      if (stops.some((stop) => stop.startsWith(held.slice(at)))) return at
    return held.length
  }

  return {
    push(text) {
      if (stopped) return ''
      held += text
      const places = stops.map((stop) => held.indexOf(stop)).filter((place) => place >= 0)
      stopped = places.length > 0
      const certain = held.slice(0, stopped ? Math.min(...places) : certainEnd())
      held = stopped ? '' : held.slice(certain.length)
      return certain
    },
    end() {
      const rest = held
      held = ''
      return rest
    },
    get stopped() {
      return stopped
    },
  }
}
