// The validator: every keyword that tools use, messages that name the path and what was expected, and no way to hang it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/storage/log/content.ts'
import { validateJson } from '../../../src/worker/tools/validate.ts'

const cases: readonly [string, object, Json, readonly string[]][] = [
  ['type', { type: 'string' }, 5, ['arguments: expected string, got the number 5']],
  ['several types', { type: ['string', 'null'] }, true, ['arguments: expected string or null, got the boolean true']],
  ['integer', { type: 'integer' }, 1.5, ['arguments: expected integer, got the number 1.5']],
  ['a whole float is an integer', { type: 'integer' }, 2, []],
  ['null is no object', { type: 'object' }, null, ['arguments: expected object, got null']],
  ['an array is no object', { type: 'object' }, [], ['arguments: expected object, got an empty array']],
  ['enum', { enum: ['a', 'b'] }, 'c', ['arguments: expected one of "a", "b", got the string "c"']],
  ['enum of objects', { enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 }, []],
  ['const', { const: 1 }, 2, ['arguments: expected 1, got the number 2']],
  [
    'required',
    { properties: { a: { enum: [1, 2] } }, required: ['a', 'b'] },
    {},
    ['a: required, but missing (one of 1, 2)', 'b: required, but missing'],
  ],
  [
    'nested paths',
    { properties: { a: { items: { properties: { b: { type: 'string' } } } } } },
    { a: [{}, { b: 1 }] },
    ['a[1].b: expected string, got the number 1'],
  ],
  ['odd keys in paths', { additionalProperties: { type: 'null' } }, { 'a-b': 1 }, ['["a-b"]: expected null, got the number 1']],
  ['closed objects', { properties: { a: {} }, additionalProperties: false }, { b: 1 }, ['b: unknown; known here: a']],
  [
    'pattern properties',
    { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
    { x1: 1, y: 1 },
    ['y: unknown; nothing is allowed here'],
  ],
  ['lengths', { minLength: 2, maxLength: 3 }, '😀', ['arguments: expected at least 2 characters, got 1']],
  ['long text', { maxLength: 3 }, 'abcd', ['arguments: expected at most 3 characters, got 4']],
  ['pattern', { pattern: '^\\d{4}-\\d{2}$' }, '24-1', ['arguments: expected text that matches /^\\d{4}-\\d{2}$/, got the string "24-1"']],
  ['minimum', { minimum: 3 }, 2, ['arguments: expected at least 3, got 2']],
  ['maximum', { exclusiveMaximum: 3 }, 3, ['arguments: expected less than 3, got 3']],
  ['multiples', { multipleOf: 0.1 }, 0.3, []],
  ['not multiples', { multipleOf: 5 }, 7, ['arguments: expected a multiple of 5, got 7']],
  ['item counts', { minItems: 1, maxItems: 2 }, [1, 2, 3], ['arguments: expected at most 2 items, got 3']],
  ['tuples', { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 'b'], ['[1]: expected number, got the string "b"']],
  [
    'anyOf',
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    true,
    [
      'arguments: fits none of the allowed forms (arguments: expected string, got the boolean true; or arguments: expected number, got the boolean true)',
    ],
  ],
  ['oneOf', { oneOf: [{ type: 'number' }, { minimum: 0 }] }, 1, ['arguments: fits 2 of the allowed forms where exactly one is wanted']],
  ['allOf', { allOf: [{ type: 'number' }, { minimum: 2 }] }, 1, ['arguments: expected at least 2, got 1']],
  ['references', { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } }, 'x', ['arguments: expected number, got the string "x"']],
  ['false allows nothing', { properties: { a: false } }, { a: 1 }, ['a: not allowed here']],
  ['formats are no objection', { type: 'string', format: 'uri' }, 'no uri', []],
]

test.each(cases)('C12 %s', (_what, schema, value, issues) => {
  expect(validateJson(schema, value)).toEqual(issues)
})

test('C12 long values are cut in messages, and there are at most eight', () => {
  const value = { ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'x'.repeat(10_000)])) }
  const issues = validateJson({ additionalProperties: { type: 'number' } }, value)
  expect(issues).toHaveLength(8)
  expect(issues.join('\n').length).toBeLessThan(1_000)
})

test('C12 __proto__ and friends are plain keys', () => {
  const value: Json = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}')
  expect(validateJson({ properties: { toString: { type: 'string' } }, required: ['toString'] }, value)).toEqual([
    'toString: required, but missing (string)',
  ])
  expect(validateJson({ additionalProperties: false }, value)).toHaveLength(2)
  expect(validateJson(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'), value)).toEqual([
    '__proto__: expected string, got an object',
  ])
})

test.each([
  '(a+)+$',
  '(a|a)*$',
  '(a?a)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  'a?'.repeat(40) + 'a'.repeat(40),
  '(.*)\\1\\1',
  'a*a*a*a*a*b',
  '((a{1,9}){1,9}){1,9}$',
])('C12 P-h03 a pattern that could run for ever is not tried: %s', (pattern) => {
  const start = performance.now()
  expect(validateJson({ pattern }, `${'a'.repeat(5_000)}!`)).toEqual([])
  expect(performance.now() - start).toBeLessThan(500)
})

test('C12 no schema and no value make the validator throw or hang', () => {
  const keyword = fc.constantFrom(
    'type',
    'enum',
    'items',
    'properties',
    'required',
    'anyOf',
    'allOf',
    'pattern',
    '$ref',
    'additionalProperties',
  )
  const schema = fc.dictionary(keyword, fc.jsonValue())
  fc.assert(
    fc.property(schema, fc.jsonValue(), (anySchema, value) => {
      expect(Array.isArray(validateJson(anySchema, value as Json))).toBe(true)
    }),
  )
})

test('C12 a schema that refers to itself in every branch ends', () => {
  const branch = { anyOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] }
  const start = performance.now()
  expect(validateJson(branch, 1).length).toBeGreaterThan(0)
  expect(performance.now() - start).toBeLessThan(3_000)
})

test('C12 a value that a type was made from fits that type', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(validateJson({ const: value, enum: [value] }, value as Json)).toEqual([])
    }),
  )
})
