// Parameters in every form that L54 allows, and the types that come out of them.
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { ArgsOf } from '../../../src/worker/tools/define-tool.ts'
import { readParameters } from '../../../src/worker/tools/parameters.ts'

test('L54 the short form becomes JSON Schema', () => {
  const { schema } = readParameters({
    text: { type: 'string', required: true, description: 'What to say.' },
    mode: { type: 'string', enum: ['loud', 'quiet'], default: 'quiet' },
    list: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer', required: true } } } },
  })
  expect(schema).toEqual({
    type: 'object',
    properties: {
      text: { type: 'string', description: 'What to say.' },
      mode: { type: 'string', enum: ['loud', 'quiet'], default: 'quiet' },
      list: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
    },
    required: ['text'],
  })
})

test('L54 the empty short form means no arguments', () => {
  expect(readParameters({}).schema).toEqual({ type: 'object', properties: {} })
})

test('L54 in the short form undeclared keys pass, unless additionalProperties is false', () => {
  expect(readParameters({ a: { type: 'string' } }).check({ b: 1 })).toEqual({ ok: true, args: { b: 1 } })
  expect(readParameters({ a: { type: 'string' }, additionalProperties: false }).check({ b: 1 })).toEqual({
    ok: false,
    issues: ['b: unknown; known here: a'],
  })
})

test('L54 defaults of the short form are shown, never applied', () => {
  expect(readParameters({ a: { type: 'string', default: 'x' } }).check({})).toEqual({ ok: true, args: {} })
})

test('L54 parameters may be called type, required or additionalProperties', () => {
  const { schema, check } = readParameters({ type: { type: 'string', required: true }, additionalProperties: { type: 'number' } })
  expect(schema).toEqual({
    type: 'object',
    properties: { type: { type: 'string' }, additionalProperties: { type: 'number' } },
    required: ['type'],
  })
  expect(check({ type: 'x', additionalProperties: 1 })).toMatchObject({ ok: true })
})

test('L54 a JSON Schema is told by its string type and kept as it is', () => {
  const given = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false } as const
  const { schema, check } = readParameters({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...given })
  expect(schema).toEqual(given)
  expect(check({})).toEqual({ ok: false, issues: ['n: required, but missing (number)'] })
})

const fullForms = z.object({
  path: z.string(),
  depth: z.int().optional(),
  mode: z.enum(['a', 'b']),
  tags: z.array(z.string()),
  extra: z.record(z.string(), z.number()),
  either: z.union([z.string(), z.number()]),
  none: z.boolean().nullable(),
  fixed: z.literal('x'),
})
const miniForms = mini.object({
  path: mini.string(),
  depth: mini.optional(mini.int()),
  mode: mini.enum(['a', 'b']),
  tags: mini.array(mini.string()),
  extra: mini.record(mini.string(), mini.number()),
  either: mini.union([mini.string(), mini.number()]),
  none: mini.nullable(mini.boolean()),
  fixed: mini.literal('x'),
})

test('L54 zod and zod/mini give the same schema', () => {
  const full = readParameters(fullForms).schema as { readonly properties: object; readonly required: readonly string[] }
  const small = readParameters(miniForms).schema as { readonly properties: object; readonly required: readonly string[] }
  expect(small.required).toEqual(full.required)
  expect(Object.keys(small.properties)).toEqual(Object.keys(full.properties))
  expect(small.properties).toEqual({
    path: { type: 'string' },
    depth: { type: 'integer' },
    mode: { enum: ['a', 'b'] },
    tags: { type: 'array', items: { type: 'string' } },
    extra: { type: 'object', additionalProperties: { type: 'number' } },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    none: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    fixed: { const: 'x' },
  })
})

test('L54 limits and descriptions of zod/mini reach the model', () => {
  const { schema } = readParameters(
    mini.strictObject({
      name: mini
        .string()
        .check(mini.minLength(2), mini.maxLength(9), mini.regex(/^a/))
        .register(mini.globalRegistry, { description: 'Who.' }),
      age: mini._default(mini.number().check(mini.gte(0), mini.lt(150)), 30),
      mail: mini.optional(mini.email()),
    }),
  )
  expect(schema).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 9, pattern: '^a', description: 'Who.' },
      age: { type: 'number', minimum: 0, exclusiveMaximum: 150, default: 30 },
      mail: { type: 'string', format: 'email' },
    },
    required: ['name'],
    additionalProperties: false,
  })
})

test('L54 a zod schema fills in its defaults and transforms', () => {
  const { check } = readParameters(mini.object({ n: mini._default(mini.number(), 7) }))
  expect(check({})).toEqual({ ok: true, args: { n: 7 } })
})

test('L51 what does not fit a zod schema is said in words to repair from', () => {
  const { check } = readParameters(mini.object({ list: mini.array(mini.object({ id: mini.number() })) }))
  expect(check({ list: [{ id: 1 }, { id: 'two' }] })).toEqual({
    ok: false,
    issues: ['list[1].id: expected number, got the string "two"'],
  })
})

test('L51 what only the library can check is said in its words', () => {
  const even = mini.number().check(mini.refine((n) => n % 2 === 0, 'must be even'))
  expect(readParameters(mini.object({ n: even })).check({ n: 3 })).toEqual({ ok: false, issues: ['n: must be even'] })
})

test('L54 any Standard Schema with a JSON Schema serves, also one that is a function and checks later', async () => {
  const schema = Object.assign(() => {}, {
    '~standard': {
      version: 1,
      vendor: 'homemade',
      validate: async (value: unknown) => ({ value: { wrapped: value } }),
      jsonSchema: { input: () => ({ $schema: 'x', type: 'object', properties: { a: { type: 'string' } } }) },
    },
  })
  const { schema: shown, check } = readParameters(schema)
  expect(shown).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
  expect(await check({ a: 'b' })).toEqual({ ok: true, args: { wrapped: { a: 'b' } } })
})

test.each([
  ['a Standard Schema without JSON Schema', { '~standard': { version: 1, vendor: 'v', validate: () => ({ value: 1 }) } }, /no JSON Schema/],
  ['a zod date', mini.object({ when: mini.date() }), /"date" cannot be said in JSON/],
  ['a full zod date', z.object({ when: z.date() }), /cannot be said as JSON Schema/],
  ['a schema of text', { type: 'string' }, /must describe an object/],
  ['a property that is no schema', { text: 'string' }, /"text" must be an object/],
  ['null', null, /must be a Standard Schema/],
])('L54 %s is refused with what to do', (_what, parameters, message) => {
  expect(() => readParameters(parameters)).toThrow(message)
})

test('L54 the types of the arguments follow the parameters', () => {
  expectTypeOf<ArgsOf<typeof shortForm>>().toEqualTypeOf<{
    readonly text: string
    readonly mode?: 'a' | 'b'
    readonly at: { readonly line: number; readonly column?: number }
    readonly tags?: readonly string[]
  }>()
  const schema = mini.object({ a: mini.string(), b: mini.optional(mini.number()) })
  expectTypeOf<ArgsOf<typeof schema>>().toEqualTypeOf<{ a: string; b?: number | undefined }>()
  expectTypeOf<ArgsOf<{ type: 'object'; properties: object }>>().toHaveProperty('anything').toBeAny()
})

const shortForm = {
  text: { type: 'string', required: true },
  mode: { enum: ['a', 'b'] },
  at: { type: 'object', required: true, properties: { line: { type: 'integer', required: true }, column: { type: 'number' } } },
  tags: { type: 'array', items: { type: 'string' } },
} as const
