// Notices a run that goes round in circles: the same call again (T20), or a short cycle of calls (T21). Pure; fed call by call.
import type { Json, ToolCallBlock } from '../../../storage/log/content.ts'

export type Round =
  | { readonly kind: 'fresh' }
  /** The same as the call just before. `count`: how often that came by now. */
  | { readonly kind: 'duplicate'; readonly count: number; readonly ends: boolean }
  /** A cycle of `length` calls was seen for the first time: this call runs, its result warns. */
  | { readonly kind: 'warning'; readonly length: number }
  /** The cycle went on after the warning: this call does not run, and the run ends. */
  | { readonly kind: 'cycle'; readonly length: number }

export interface Circles {
  /** In the model's order. `reply`: the number of the reply that the call is of. */
  take(signature: string, reply: number): Round
  /** The warning is in a result now: from the next reply on the model knows. */
  warned(): void
  /** The last call may be made again. */
  forget(): void
}

const SHELLS = ['bash', 'shell', 'sh']
const SHORTEST = 2
const LONGEST = 4

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const parse = (text: string): Json | undefined => {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as Json)
  } catch {
    return undefined // then the text itself is what there is to compare
  }
}

/** Tool and command text, for a shell; tool and canonical arguments, for all else. */
export const signatureOf = ({ name, arguments: text }: Pick<ToolCallBlock, 'name' | 'arguments'>): string => {
  const args = parse(text)
  if (args === undefined) return `${name} ${text.trim()}`
  if (SHELLS.includes(name) && typeof args === 'object' && args !== null && 'command' in args)
    return `${name} ${String(args.command).trim()}`
  return `${name} ${JSON.stringify(sorted(args))}`
}

/** The length of the cycle that the last calls went round twice; a row of one call is no cycle. */
const cycleAtEnd = (calls: readonly string[]): number | undefined => {
  for (let length = SHORTEST; length <= LONGEST && calls.length >= 2 * length; length++) {
    const last = calls.slice(-length)
    const before = calls.slice(-2 * length, -length)
    if (new Set(last).size > 1 && last.every((call, i) => call === before[i])) return length
  }
  return undefined
}

export const createCircles = (maxDuplicates: number): Circles => {
  let calls: readonly string[] = []
  let last: string | undefined
  let duplicates = 0
  let seen: { readonly length: number; readonly reply: number; told: boolean } | undefined

  return {
    take(signature, reply) {
      if (signature === last) {
        duplicates++
        return { kind: 'duplicate', count: duplicates, ends: duplicates >= maxDuplicates }
      }
      last = signature
      duplicates = 0
      const goesOn = seen !== undefined && signature === calls.at(-seen.length)
      calls = [...calls, signature].slice(-2 * LONGEST)
      if (seen !== undefined && goesOn) {
        // In the same reply the model had no word of it yet.
        if (reply === seen.reply) return { kind: 'fresh' }
        if (seen.told) return { kind: 'cycle', length: seen.length }
        seen = { ...seen, reply }
        return { kind: 'warning', length: seen.length }
      }
      const length = cycleAtEnd(calls)
      seen = length === undefined ? undefined : { length, reply, told: false }
      return length === undefined ? { kind: 'fresh' } : { kind: 'warning', length }
    },
    warned() {
      if (seen !== undefined) seen.told = true
    },
    forget() {
      last = undefined
    },
  }
}
