// Numbers that look random and are the same for the same seed, so that a plan can be made again.

export type Random = {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
  chance(share: number): boolean
}

/** Mulberry32: small, and good enough to choose moments. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    next,
    below,
    pick(list) {
      const item = list[below(list.length)]
      if (item === undefined) throw new Error('There is nothing to choose from.')
      return item
    },
    chance: (share) => next() < share,
  }
}
