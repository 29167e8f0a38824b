// Finds the name that was probably meant, so that a model can repair a misspelt call in one try.

/** Undefined when nothing is near enough to be worth suggesting. Case and separators count for nothing. */
export const nearestName = (wanted: string, names: readonly string[]): string | undefined => {
  const target = plain(wanted)
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of names) {
    const distance = editDistance(target, plain(name))
    if (best === undefined || distance < best.distance) best = { name, distance }
  }
  if (best === undefined) return undefined
  const longest = Math.max(target.length, plain(best.name).length)
  return best.distance <= Math.max(1, Math.floor(longest * 0.4)) ? best.name : undefined
}

// Names from a model can be of any length; a tool's name never is.
const plain = (name: string): string =>
  name
    .slice(0, 128)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

/** Insertions, deletions, replacements, and swaps of neighbours. */
const editDistance = (a: string, b: string): number => {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1)
      }
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
