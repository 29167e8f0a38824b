// Lossless JSON: a deep-frozen copy of plain data, or a clear refusal. Everything in the log went through here once.
import type { Json } from './content.ts'
import { cutMiddle } from './cut-middle.ts'
import { SideloopError } from './errors.ts'

const MAX_DEPTH = 512
/** In characters, where a message says it. */
const LONGEST_PLACE = 120

/** What was marked as frozen all the way down: it is shared, never copied. Few, large things: an entry costs more than a small copy. */
const shared = new WeakSet<object>()

/** Where a value stands. Put into words only when it is refused. */
type Place = { readonly key: string | number; readonly parent: Place | undefined; readonly depth: number }

const inWords = ({ key, parent }: Place): string => {
  const before = parent === undefined ? '' : inWords(parent)
  if (typeof key === 'number') return `${before}[${key}]`
  return before === '' || key === '' ? before + key : `${before}.${key}`
}

const refuse = (place: Place, what: string): never => {
  throw new SideloopError('session/invalid', `${cutMiddle(inWords(place), LONGEST_PLACE) || 'The value'} is not lossless JSON: ${what}`)
}

const nameOf = (value: unknown): string => {
  if (value === undefined) return 'undefined (leave the key out, or use null)'
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  const maker: unknown = Object.getPrototypeOf(value)?.constructor
  return typeof maker === 'function' ? `an instance of ${maker.name}` : 'not a plain object'
}

const copyArray = (value: readonly unknown[], place: Place): Json => {
  const copy: Json[] = []
  for (let i = 0; i < value.length; i++) copy.push(copyItem(value[i], place, i))
  if (Object.keys(value).length !== value.length) refuse(place, 'an array with named properties')
  return copy
}

/** Reads every property exactly once, getters included. */
const copyObject = (value: object, place: Place): Json => {
  const copy: Record<string, Json> = {}
  for (const key in value) {
    const item = copyItem((value as Readonly<Record<string, unknown>>)[key], place, key)
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: item, enumerable: true })
    else copy[key] = item
  }
  return copy
}

const copyItem = (value: unknown, parent: Place | undefined, key: string | number): Json => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return value
  const place: Place = { key, parent, depth: parent === undefined ? 0 : parent.depth + 1 }
  if (typeof value !== 'object') return refuse(place, nameOf(value))
  if (shared.has(value)) return value as Json
  if (place.depth > MAX_DEPTH) return refuse(place, 'nested too deeply, or in a cycle')
  const isArray = Array.isArray(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== (isArray ? Array.prototype : Object.prototype) && prototype !== null) return refuse(place, nameOf(value))
  if (Object.getOwnPropertySymbols(value).length > 0) return refuse(place, 'a symbol key')
  return Object.freeze(isArray ? copyArray(value, place) : copyObject(value, place)) as Json
}

/**
 * A deep-frozen copy of plain JSON data; what `markFrozen` was given is shared instead.
 * Errors: `session/invalid` for undefined, functions, symbols, BigInt, NaN, ±Infinity, −0, cycles, sparse arrays and anything that is
 * not a plain object or array.
 */
export const freezeJson = <T>(value: T, name = ''): T => copyItem(value, undefined, name) as T

/** Freezes an object whose parts are plain data, frozen all the way down by its maker. From then on `freezeJson` takes it as it is. */
export const markFrozen = <T extends object>(value: T): T => {
  shared.add(Object.freeze(value))
  return value
}

/** Equal as JSON, whatever the order of keys. */
export const jsonEqual = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]))
}
