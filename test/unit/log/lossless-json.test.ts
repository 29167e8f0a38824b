// Contract 1, event envelope: what is lossless JSON, and that its copy is frozen all the way down.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freezeJson, jsonEqual, markFrozen } from '../../../src/storage/log/lossless-json.ts'
import { isDeepFrozen } from './new-log.ts'

const cycle: { self?: unknown } = {}
cycle.self = cycle
const sparse: unknown[] = [1]
sparse[2] = 3
const named: unknown[] & { name?: string } = [1]
named.name = 'x'

const LOSSY: readonly (readonly [what: string, value: unknown, words: RegExp])[] = [
  ['undefined', { a: undefined }, /a is not lossless JSON: undefined/],
  ['undefined in an array', [undefined], /\[0\] is not/],
  ['a function', { f: () => 1 }, /a function/],
  ['a symbol', { s: Symbol('s') }, /a symbol/],
  ['a symbol as a key', { [Symbol('s')]: 1 }, /a symbol key/],
  ['a symbol as a key of an array', Object.assign([1], { [Symbol('s')]: 1 }), /a symbol key/],
  ['a BigInt', { n: 1n }, /a bigint/],
  ['NaN', { n: Number.NaN }, /NaN/],
  ['Infinity', [Number.POSITIVE_INFINITY], /Infinity/],
  ['minus Infinity', [Number.NEGATIVE_INFINITY], /-Infinity/],
  ['minus zero', { n: -0 }, /-0/],
  ['a cycle', cycle, /in a cycle/],
  ['a sparse array', sparse, /\[1\] is not/],
  ['an array with named properties', named, /named properties/],
  ['a Date', { d: new Date(0) }, /an instance of Date/],
  ['a Map', new Map(), /an instance of Map/],
  ['a class instance', new (class Point {})(), /an instance of Point/],
  ['an array of a class of its own', new (class List extends Array {})(), /an instance of List/],
  ['a typed array', { bytes: new Uint8Array(1) }, /an instance of Uint8Array/],
]

describe('lossless JSON', () => {
  test.each(LOSSY)('%s is refused, with its place', (_, value, expected) => {
    expect(() => freezeJson(value)).toThrow(expected)
    expect(() => freezeJson({ deep: [value] })).toThrow(/deep\[0\]/)
  })

  test('what is plain comes back equal, frozen all the way down, and is a copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        const value: unknown = JSON.parse(JSON.stringify(raw)) // without -0, which JSON does not keep
        const frozen = freezeJson(value)
        expect(frozen).toEqual(value)
        expect(JSON.stringify(frozen)).toBe(JSON.stringify(value))
        expect(isDeepFrozen(frozen)).toBe(true)
        if (typeof value === 'object' && value !== null) expect(frozen).not.toBe(value)
        expect(jsonEqual(frozen, value)).toBe(true)
      }),
    )
  })

  test('every property is read exactly once', () => {
    const reads: string[] = []
    const counted = (name: string, value: unknown) => ({
      get: () => {
        reads.push(name)
        return value
      },
      enumerable: true,
    })
    const value = Object.defineProperties({}, { a: counted('a', 1), b: counted('b', [2]) })
    expect(freezeJson(value)).toEqual({ a: 1, b: [2] })
    expect(reads).toEqual(['a', 'b'])
  })

  test('a key named __proto__ is a key like any other', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1}}')
    expect(JSON.stringify(freezeJson(value))).toBe('{"__proto__":{"a":1}}')
    expect(Object.getPrototypeOf(freezeJson(value))).toBe(Object.prototype)
  })

  test('an object without a prototype is plain', () => {
    const bare: Record<string, number> = Object.create(null)
    bare.a = 1
    expect(freezeJson(bare)).toEqual({ a: 1 })
  })

  test('nesting beyond 512 levels is refused like a cycle, never a crash', () => {
    let deep: unknown = 1
    for (let i = 0; i < 20_000; i++) deep = [deep]
    expect(() => freezeJson(deep)).toThrow(/nested too deeply/)
  })

  test('L90 what is marked as frozen is shared, not copied again', () => {
    const large = markFrozen([Object.freeze({ a: 1 })])
    expect(freezeJson({ large }).large).toBe(large)
  })
})

test('two values are equal as JSON whatever the order of their keys, and only then', () => {
  expect(jsonEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true)
  expect(jsonEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false)
  expect(jsonEqual([1, 2], [2, 1])).toBe(false)
  expect(jsonEqual([], {})).toBe(false)
  expect(jsonEqual({ a: 1 }, { b: 1 })).toBe(false)
  expect(jsonEqual(null, {})).toBe(false)
})
