// Lossless JSON: a deep-frozen copy of plain data, or a clear refusal. Everything in the log went through here once.
import type { Json } from './content.ts'
import { SideloopError } from './errors.ts'

const MAX_DEPTH = 512

/** What this module made is frozen all the way down already: it is shared, never copied or frozen twice. */
const frozen = new WeakSet<object>()

const refuse = (path: string, what: string): never => {
  throw new SideloopError('session/invalid', `${path || 'The value'} is not lossless JSON: ${what}`)
}

const nameOf = (value: unknown): string => {
  if (value === undefined) return 'undefined (leave the key out, or use null)'
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value === 'object') return `an instance of ${value?.constructor?.name ?? 'a class'}`
  return `a ${typeof value}`
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const copyArray = (value: readonly unknown[], path: string, depth: number): Json => {
  const copy: Json[] = []
  for (let i = 0; i < value.length; i++) copy.push(copyJson(value[i], path, i, depth))
  if (Object.keys(value).length !== value.length) refuse(path, 'an array with named properties')
  return copy
}

const copyObject = (value: object, path: string, depth: number): Json => {
  // The spread reads every property exactly once, getters included, and takes `__proto__` as a plain key.
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) {
    const item = copy[key]
    if (typeof item !== 'string') copy[key] = copyJson(item, path, key, depth)
  }
  if (Object.getOwnPropertySymbols(copy).length > 0) refuse(path, 'a symbol key')
  return copy as Json
}

const copyJson = (value: unknown, parent: string, key: string | number, depth: number): Json => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return value
  const path = key === '' ? parent : typeof key === 'number' ? `${parent}[${key}]` : parent === '' ? key : `${parent}.${key}`
  if (typeof value !== 'object') return refuse(path, nameOf(value))
  if (frozen.has(value)) return value as Json
  if (depth > MAX_DEPTH) return refuse(path, 'nested too deeply, or in a cycle')
  const isArray = Array.isArray(value)
  if (!isArray && !isPlain(value)) return refuse(path, nameOf(value))
  const copy = isArray ? copyArray(value, path, depth + 1) : copyObject(value, path, depth + 1)
  Object.freeze(copy)
  frozen.add(copy as object)
  return copy
}

/**
 * A deep-frozen copy of plain JSON data; what was frozen here before is given back as it is.
 * Errors: `session/invalid` for undefined, functions, symbols, BigInt, NaN, ±Infinity, −0, cycles, sparse arrays and anything that is
 * not a plain object or array.
 */
export const freezeJson = <T>(value: T, name = ''): T => copyJson(value, name, '', 0) as T

/** Marks an object as frozen all the way down, after its maker has frozen it and everything in it. */
export const markFrozen = <T extends object>(value: T): T => {
  frozen.add(Object.freeze(value))
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
