// A JSON Schema in the subset that Gemini's function declarations take: anything else in it would refuse the whole request.
import type { Json, JsonObject } from '../../../../storage/log/content.ts'
import { type Fields, fieldsOf, isFields } from '../fields.ts'

/** Kept as they are. Everything else is converted below, or left out. */
const KEPT = ['title', 'description', 'minItems', 'maxItems', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum'] as const
/** "only 'enum' and 'date-time' are supported for STRING type". */
const FORMATS: Readonly<Record<string, readonly unknown[]>> = {
  string: ['date-time'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object']

/** The whole schema, and the references that were followed on the way to this place: one that leads to itself is not followed again. */
type Place = {
  readonly root: unknown
  readonly followed: readonly string[] /** Parts that may still be written. */
  readonly room: { parts: number }
}
/** References may multiply: what is beyond this says only that it is an object. */
const MOST_PARTS = 3000

/** `undefined` for a tool without parameters: an object without properties is refused. */
export const writeParameters = (given: unknown): JsonObject | undefined => {
  const { schema, place } = resolved(given, { root: given, followed: [], room: { parts: MOST_PARTS } })
  const written = write(withoutChoices(schema, place), place)
  return written.type === 'object' && isFields(written.properties) ? written : undefined
}

/** The parameters themselves cannot be a choice: all properties of all choices, required where all of them say so. */
const withoutChoices = (schema: Fields, place: Place): Fields => {
  const choices = choicesOf(schema)?.map((choice) => resolved(choice, place).schema)
  if (choices === undefined) return schema
  const { anyOf: _, oneOf: __, required = [], ...own } = schema
  const demanded = choices.map((choice) => (Array.isArray(choice.required) ? choice.required : []))
  return {
    ...own,
    type: 'object',
    properties: Object.assign({}, ...choices.map((choice) => choice.properties), own.properties),
    required: [
      ...(Array.isArray(required) ? required : []),
      ...(demanded[0] ?? []).filter((name) => demanded.every((names) => names.includes(name))),
    ],
  }
}

const write = (given: unknown, from: Place): JsonObject => {
  from.room.parts -= 1
  if (from.room.parts < 0) return { type: 'object' }
  const { schema, place } = resolved(given, from)
  const choices = choicesOf(schema)
  if (choices !== undefined) return writeChoices(choices, schema, place)
  const type = typeOf(schema)
  const written: { [key: string]: Json } = { type }
  for (const key of KEPT) if (typeof schema[key] === 'string' || typeof schema[key] === 'number') written[key] = schema[key]
  if (FORMATS[type]?.includes(schema.format) === true) written.format = schema.format as string
  if (schema.nullable === true) written.nullable = true
  limitsOf(schema, type, written)
  if (type === 'array') written.items = write(schema.items ?? first(schema.prefixItems), place)
  if (type === 'object') Object.assign(written, writeProperties(schema, place))
  return written
}

const writeProperties = (schema: Fields, place: Place): JsonObject => {
  const entries = Object.entries(fieldsOf(schema.properties))
  if (entries.length === 0) return {}
  const names = entries.map(([name]) => name)
  const required = Array.isArray(schema.required) ? schema.required.filter((name): name is string => names.includes(name as string)) : []
  return {
    properties: Object.fromEntries(entries.map(([name, held]) => [name, write(held, place)])),
    ...(required.length === 0 ? {} : { required }),
  }
}

/** `enum` is for text only; what else a value is limited to is told in words. */
const limitsOf = (schema: Fields, type: string, written: { [key: string]: Json }): void => {
  const allowed = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  const values = allowed.filter((value) => value !== null)
  if (values.length < allowed.length) written.nullable = true
  if (values.length > 0) {
    if (type === 'string' && values.every((value) => typeof value === 'string' && value !== '')) written.enum = values as string[]
    else tell(written, `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`)
  }
  if (type === 'integer' && typeof schema.exclusiveMinimum === 'number') written.minimum = Math.floor(schema.exclusiveMinimum) + 1
  else if (typeof schema.exclusiveMinimum === 'number') tell(written, `More than ${schema.exclusiveMinimum}.`)
  if (type === 'integer' && typeof schema.exclusiveMaximum === 'number') written.maximum = Math.ceil(schema.exclusiveMaximum) - 1
  else if (typeof schema.exclusiveMaximum === 'number') tell(written, `Less than ${schema.exclusiveMaximum}.`)
}

const tell = (written: { [key: string]: Json }, words: string): void => {
  written.description = written.description === undefined ? words : `${String(written.description)} ${words}`
}

/** `anyOf` must stand alone, so what is said of the whole is said of each. */
const writeChoices = (choices: readonly unknown[], schema: Fields, place: Place): JsonObject => {
  const held = choices.map((choice) => resolved(choice, place))
  const some = held.filter(({ schema: choice }) => choice.type !== 'null' && choice.const !== null)
  const { anyOf: _, oneOf: __, type: ___, ...own } = schema
  const written = some.flatMap((choice): readonly JsonObject[] => {
    const one = write({ ...own, ...choice.schema }, choice.place)
    return Array.isArray(one.anyOf) ? one.anyOf : [one]
  })
  const nullable = some.length < held.length ? { nullable: true } : {}
  const [only, ...more] = written
  if (only === undefined) return { type: 'string', nullable: true }
  return more.length === 0 ? { ...only, ...nullable } : { anyOf: written.map((choice) => ({ ...choice, ...nullable })) }
}

const choicesOf = (schema: Fields): readonly unknown[] | undefined => {
  const listed = schema.anyOf ?? schema.oneOf
  if (Array.isArray(listed) && listed.length > 0) return listed
  return Array.isArray(schema.type) && schema.type.length > 0 ? schema.type.map((type) => ({ type })) : undefined
}

const typeOf = (schema: Fields): string => {
  if (TYPES.includes(schema.type)) return schema.type as string
  if (isFields(schema.properties)) return 'object'
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array'
  const sample = 'const' in schema ? schema.const : first(schema.enum)
  return typeof sample === 'number' || typeof sample === 'boolean' ? typeof sample : 'string'
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)

/** References replaced by what they name, and `allOf` by all of it together. */
const resolved = (given: unknown, place: Place): { readonly schema: Fields; readonly place: Place } => {
  const { $ref: reference, allOf, ...own } = fieldsOf(given)
  const refers = typeof reference === 'string'
  if (refers && place.followed.includes(reference)) return { schema: { type: 'object', ...own }, place }
  const parts = [...(refers ? [pointed(reference, place.root)] : []), ...(Array.isArray(allOf) ? allOf : [])]
  let at: Place = refers ? { ...place, followed: [...place.followed, reference] } : place
  let schema: Fields = own
  for (const part of parts) {
    const inner = resolved(part, at)
    schema = merged(schema, inner.schema)
    at = inner.place
  }
  return { schema, place: at }
}

const merged = (held: Fields, more: Fields): Fields => ({
  ...more,
  ...held,
  ...(isFields(held.properties) || isFields(more.properties)
    ? { properties: { ...fieldsOf(more.properties), ...fieldsOf(held.properties) } }
    : {}),
  ...(Array.isArray(held.required) && Array.isArray(more.required) ? { required: [...held.required, ...more.required] } : {}),
})

const pointed = (reference: string, root: unknown): unknown => {
  let target: unknown = reference.startsWith('#') ? root : undefined
  for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    target = isFields(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return target
}
