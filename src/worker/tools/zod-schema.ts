// JSON Schema for schemas of zod/mini, which carry none of their own: read from the definitions that zod keeps for its tools.
import type { Json, JsonSchema } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import { isRecord } from './record.ts'

/** The part of zod 4's public `_zod` internals that is read here. zod's own converter would add 8 KB to every page. */
export type ZodSchema = { readonly _zod: { readonly def: ZodDefinition; readonly optin?: string } }
type ZodDefinition = { readonly type: string; readonly [key: string]: unknown }

export const isZodSchema = (value: unknown): value is ZodSchema =>
  isRecord(value) && isRecord(value._zod) && isRecord(value._zod.def) && typeof value._zod.def.type === 'string'

/** The JSON Schema of what a model has to write (zod's input side). Errors: `command/invalid` for what JSON cannot say. */
export const schemaOfZod = (schema: ZodSchema): JsonSchema => ({ ...convert(schema, 0), ...descriptionOf(schema) })

const DEEPEST = 32

const convert = (schema: ZodSchema, depth: number): { readonly [key: string]: Json } => {
  if (depth > DEEPEST)
    throw new SideloopError('command/invalid', 'The parameters refer to themselves. Give a JSON Schema with $ref instead.')
  const { def } = schema._zod
  const inner = (key: string): JsonSchema => part(def[key], depth)
  switch (def.type) {
    case 'string':
      return { type: 'string', ...stringChecks(def) }
    case 'number':
      return numberSchema(def)
    case 'boolean':
    case 'null':
      return { type: def.type }
    case 'any':
    case 'unknown':
      return {}
    case 'literal':
      return literalSchema(def.values as readonly Json[])
    case 'enum':
      return { enum: enumValues(def.entries as Record<string, string | number>) }
    case 'array':
      return { type: 'array', items: inner('element'), ...lengthChecks(def, 'minItems', 'maxItems') }
    case 'tuple':
      return {
        type: 'array',
        prefixItems: (def.items as readonly unknown[]).map((item) => part(item, depth)),
        ...(def.rest ? { items: inner('rest') } : {}),
      }
    case 'object':
      return objectSchema(def, depth)
    case 'record':
      return { type: 'object', additionalProperties: inner('valueType') }
    case 'union':
      return { anyOf: (def.options as readonly unknown[]).map((option) => part(option, depth)) }
    case 'intersection':
      return { allOf: [inner('left'), inner('right')] }
    case 'nullable':
      return { anyOf: [inner('innerType'), { type: 'null' }] }
    case 'default':
    case 'prefault':
      return { ...inner('innerType'), default: def.defaultValue as Json }
    case 'optional':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return inner('innerType')
    case 'pipe':
      return inner('in')
    case 'lazy':
      return part((def.getter as () => unknown)(), depth)
    default:
      throw new SideloopError(
        'command/invalid',
        `A zod "${def.type}" cannot be said in JSON. Use a type that JSON has, or give a JSON Schema.`,
      )
  }
}

const part = (schema: unknown, depth: number): { readonly [key: string]: Json } => {
  if (!isZodSchema(schema)) throw new SideloopError('command/invalid', 'A part of the zod schema is not a zod schema.')
  return { ...convert(schema, depth + 1), ...descriptionOf(schema) }
}

const objectSchema = (def: ZodDefinition, depth: number): { readonly [key: string]: Json } => {
  const shape = Object.entries(def.shape as Record<string, ZodSchema>)
  const required = shape.filter(([, property]) => property._zod.optin === undefined).map(([name]) => name)
  const rest = isZodSchema(def.catchall) ? def.catchall : undefined
  const additional = rest === undefined ? undefined : rest._zod.def.type === 'never' ? false : part(rest, depth)
  return {
    type: 'object',
    properties: Object.fromEntries(shape.map(([name, property]) => [name, part(property, depth)])),
    ...(required.length > 0 ? { required } : {}),
    ...(additional === undefined ? {} : { additionalProperties: additional }),
  }
}

const literalSchema = (values: readonly Json[]): { readonly [key: string]: Json } => {
  if (values.some((value) => typeof value === 'bigint' || value === undefined)) {
    throw new SideloopError('command/invalid', 'A literal of the zod schema cannot be said in JSON.')
  }
  return values.length === 1 ? { const: values[0]! } : { enum: values }
}

// A TypeScript enum of numbers also holds the way back from number to name.
const enumValues = (entries: Record<string, string | number>): readonly (string | number)[] => {
  const numbers = Object.values(entries).filter((value) => typeof value === 'number')
  return Object.entries(entries).flatMap(([key, value]) => (numbers.includes(Number(key)) ? [] : [value]))
}

type Check = { readonly check: string; readonly [key: string]: unknown }
const checksOf = (def: ZodDefinition): readonly Check[] => {
  const checks = Array.isArray(def.checks) ? def.checks : []
  const own = typeof def.check === 'string' ? [def as unknown] : []
  return [...own, ...checks.map((check: unknown) => (isZodCheck(check) ? check._zod.def : undefined))].filter(isCheck)
}
const isZodCheck = (value: unknown): value is { readonly _zod: { readonly def: unknown } } => isRecord(value) && isRecord(value._zod)
const isCheck = (value: unknown): value is Check => isRecord(value) && typeof value.check === 'string'

const lengthChecks = (def: ZodDefinition, least: string, most: string): { readonly [key: string]: Json } => {
  const limits: Record<string, Json> = {}
  for (const check of checksOf(def)) {
    if (check.check === 'min_length') limits[least] = check.minimum as number
    if (check.check === 'max_length') limits[most] = check.maximum as number
    if (check.check === 'length_equals') limits[least] = limits[most] = check.length as number
  }
  return limits
}

const stringChecks = (def: ZodDefinition): { readonly [key: string]: Json } => {
  const limits: Record<string, Json> = { ...lengthChecks(def, 'minLength', 'maxLength') }
  for (const check of checksOf(def)) {
    if (check.check !== 'string_format') continue
    if (check.format === 'regex' && check.pattern instanceof RegExp) limits.pattern = check.pattern.source
    else if (typeof check.format === 'string') limits.format = check.format === 'url' ? 'uri' : check.format
  }
  return limits
}

const numberSchema = (def: ZodDefinition): { readonly [key: string]: Json } => {
  const schema: Record<string, Json> = { type: 'number' }
  for (const check of checksOf(def)) {
    if (check.check === 'number_format' && String(check.format).includes('int')) schema.type = 'integer'
    if (check.check === 'greater_than') schema[check.inclusive ? 'minimum' : 'exclusiveMinimum'] = check.value as number
    if (check.check === 'less_than') schema[check.inclusive ? 'maximum' : 'exclusiveMaximum'] = check.value as number
    if (check.check === 'multiple_of') schema.multipleOf = check.value as number
  }
  return schema
}

/** zod keeps descriptions in one registry for all its copies on a page. */
const descriptionOf = (schema: ZodSchema): { readonly description?: string } => {
  const registry = (globalThis as { readonly __zod_globalRegistry?: { get(schema: ZodSchema): unknown } }).__zod_globalRegistry
  const meta = registry?.get(schema)
  return isRecord(meta) && typeof meta.description === 'string' ? { description: meta.description } : {}
}
