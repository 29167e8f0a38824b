// Decides whether a regular expression may be tried on text of a model: no pattern may run for ever on the agent's thread.

const LONGEST_PATTERN = 1_000
const LONGEST_TEXT = 10_000
const LONGEST_TEXT_WITH_SEVERAL_LOOPS = 200
const MOST_LOOPS = 3
const MOST_OPTIONALS = 8

/**
 * Whether `text` matches `pattern`. Undefined when that is not tried: the pattern is no regular expression, or pattern and text
 * together could backtrack for long (nested or many loops, back references, long text). The tool must then look itself.
 */
export const matchesSafely = (pattern: string, text: string): boolean | undefined => {
  const loops = countLoops(pattern)
  if (loops === undefined || loops > MOST_LOOPS) return undefined
  if (text.length > (loops > 1 ? LONGEST_TEXT_WITH_SEVERAL_LOOPS : LONGEST_TEXT)) return undefined
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    // JSON Schema patterns are written for the u flag; some in the wild only compile without it.
    try {
      return new RegExp(pattern).test(text)
    } catch {
      return undefined // not a regular expression at all: the schema's author erred, the model cannot repair that
    }
  }
}

/**
 * How many unbounded or ranged quantifiers there are. Undefined when one repeats a group whose length can vary (that is where
 * backtracking explodes), when many parts are optional, or when there is a back reference.
 */
const countLoops = (pattern: string): number | undefined => {
  if (pattern.length > LONGEST_PATTERN) return undefined
  let loops = 0
  let optionals = 0
  const openGroupsVary: boolean[] = []
  let previousVaries = false
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at]!
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(pattern.slice(at, at + 24))?.[0]
    const opensSpecialGroup = char === '?' && pattern[at - 1] === '('
    let varies = false
    if (quantifier !== undefined && !opensSpecialGroup) {
      if (previousVaries && quantifier !== '?') return undefined
      if (quantifier === '?') optionals += 1
      else if (!/^\{\d+\}$/.test(quantifier)) loops += 1
      if (!/^\{\d+\}$/.test(quantifier)) openGroupsVary.fill(true)
      at += quantifier.length - 1
    } else if (char === '\\') {
      at += 1
      if (/[1-9k]/.test(pattern[at] ?? '')) return undefined
    } else if (char === '[') at = endOfClass(pattern, at)
    else if (char === '(') openGroupsVary.push(false)
    else if (char === ')') varies = openGroupsVary.pop() ?? false
    else if (char === '|') openGroupsVary.fill(true)
    previousVaries = varies
  }
  return optionals > MOST_OPTIONALS ? undefined : loops
}

const endOfClass = (pattern: string, start: number): number => {
  let at = start + 1
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1
  return at
}
