// Token counts as servers send them: under several names, in several events, sometimes twice.
import { type Fields, isFields } from './fields.ts'

/** Counts that came in several chunks: a later one wins, unless it is zero where there was more. */
export const mergeUsage = (held: Fields | undefined, more: Fields): Fields => {
  if (held === undefined || takesThePlaceOf(more, held)) return more
  const merged: { [key: string]: unknown } = { ...held }
  for (const [name, value] of Object.entries(more)) {
    const before = merged[name]
    if (isFields(value)) merged[name] = mergeUsage(isFields(before) ? before : undefined, value)
    else if (typeof value === 'number' && (value > 0 || typeof before !== 'number')) merged[name] = value
  }
  return merged
}

/** Some vendors count anew in every event: then the new counts are all there is. */
const takesThePlaceOf = (more: Fields, held: Fields): boolean => {
  for (const name in held) {
    const value = more[name]
    if (isFields(held[name]) || (typeof held[name] === 'number' && !(typeof value === 'number' && value > 0))) return false
  }
  return true
}

/** The first of the names that holds a count. */
export const count = (fields: unknown, ...names: readonly string[]): number | undefined => {
  if (!isFields(fields)) return undefined
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.floor(value)
  }
  return undefined
}
