// Fits arguments to the JSON Schema of a tool: checks types, and converts where exactly one reading fits.
import type { Json, JsonObject } from '../../storage/log/content.ts'
import { LongInteger, type ReadValue, readJsonText } from './json-text.ts'

export type Fit =
  | { readonly ok: true; readonly value: Json; readonly changed: boolean }
  | { readonly ok: false /** `queries`, `target.id`, `list[2]` */; readonly path: string; readonly problem: string }

const DEPTH_LIMIT = 100

/**
 * Converts text that is JSON where the schema wants an object or array, text that is a number or a truth value where it wants
 * that, a whole number where it wants text, and drops a null that an optional property does not allow. Never turns text into
 * anything where the schema allows text. Bounds, formats and patterns are the tool's own affair.
 */
export const fitSchema = (value: ReadValue, schema: unknown): Fit => fitAt(value, schema, { root: schema, path: '', depth: 0 })

type Place = { readonly root: unknown; readonly path: string; readonly depth: number }
type SchemaObject = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is SchemaObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongInteger)

const fitAt = (value: ReadValue, schema: unknown, place: Place): Fit => {
  if (place.depth > DEPTH_LIMIT) return refuse(place, 'is nested too deeply')
  if (!isObject(schema)) return inside(value, {}, place)
  if (typeof schema.$ref === 'string') return fitAt(value, resolve(schema.$ref, place.root), { ...place, depth: place.depth + 1 })
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return oneOf(value, choices, place)
  const types = typesOf(schema)
  const candidates = types.length === 0 || types.some((type) => isType(value, type)) ? [value] : conversions(value, types)
  const fits = candidates.map((candidate) => inside(candidate, schema, place))
  const good = fits.filter((tried) => tried.ok)
  if (good.length === 1) return candidates[0] === value ? good[0]! : { ...good[0]!, changed: true }
  return candidates[0] === value && fits[0] !== undefined ? fits[0] : refuse(place, `must be ${types.join(' or ')}`)
}

/** The parts of a value whose own type is right. */
const inside = (value: ReadValue, schema: SchemaObject, place: Place): Fit => {
  if (value instanceof LongInteger) {
    return refuse(place, `has more digits (${value.digits}) than a number can hold exactly; where text is allowed, send it as text`)
  }
  if (Array.isArray(value)) {
    const items: Fit[] = value.map((item: ReadValue, index) => fitAt(item, schema.items, deeper(place, `[${index}]`)))
    const bad = items.find((item) => !item.ok)
    if (bad !== undefined) return bad
    return { ok: true, value: items.map((item) => (item.ok ? item.value : null)), changed: items.some((item) => item.ok && item.changed) }
  }
  if (typeof value === 'object' && value !== null) return members(value as { readonly [key: string]: ReadValue }, schema, place)
  const allowed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (Array.isArray(allowed) && !allowed.includes(value)) return refuse(place, `must be one of ${JSON.stringify(allowed)}`)
  return { ok: true, value: value as Json, changed: false }
}

const members = (value: { readonly [key: string]: ReadValue }, schema: SchemaObject, place: Place): Fit => {
  const declared = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const entries: [string, Json][] = []
  let changed = false
  for (const [key, held] of Object.entries(value)) {
    const known = Object.hasOwn(declared, key)
    const at = deeper(place, place.path === '' ? key : `.${key}`)
    if (!known && schema.additionalProperties === false) return refuse(at, 'is not a parameter of this tool')
    const fitted = fitAt(held, known ? declared[key] : schema.additionalProperties, at)
    if (fitted.ok) {
      entries.push([key, fitted.value])
      changed ||= fitted.changed
    } else if (held === null && known && !required.includes(key)) {
      changed = true
    } else {
      return fitted
    }
  }
  const missing = required.find((key) => typeof key === 'string' && !Object.hasOwn(value, key))
  if (missing !== undefined) return refuse(deeper(place, place.path === '' ? missing : `.${missing}`), 'is missing')
  return { ok: true, value: Object.fromEntries(entries), changed }
}

const oneOf = (value: ReadValue, choices: readonly unknown[], place: Place): Fit => {
  const fits = choices.map((choice) => fitAt(value, choice, { ...place, depth: place.depth + 1 }))
  const asItIs = fits.find((tried) => tried.ok && !tried.changed)
  if (asItIs !== undefined) return asItIs
  const readings = new Map(fits.flatMap((tried) => (tried.ok ? [[JSON.stringify(tried.value), tried] as const] : [])))
  const [only] = readings.values()
  return readings.size === 1 && only !== undefined ? only : refuse(place, 'fits none of the allowed forms, or more than one')
}

const typesOf = (schema: SchemaObject): readonly string[] => {
  if (typeof schema.type === 'string') return [schema.type]
  if (Array.isArray(schema.type)) return schema.type.filter((type) => typeof type === 'string')
  return isObject(schema.properties) ? ['object'] : []
}

const isType = (value: ReadValue, type: string): boolean => {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value) || value instanceof LongInteger
    case 'number':
      return typeof value === 'number' || value instanceof LongInteger
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

const conversions = (value: ReadValue, types: readonly string[]): readonly ReadValue[] => {
  if (types.includes('string')) {
    // With a fraction or an exponent there is more than one way to write it as text.
    if (value instanceof LongInteger) return /^-?\d+$/.test(value.digits) ? [value.digits] : []
    return Number.isSafeInteger(value) ? [String(value)] : []
  }
  if (typeof value !== 'string') return []
  const read = readJsonText(value.trim())
  if (!read.ok || read.forgiven || read.outOfRange || read.end !== value.trim().length) return []
  return types.some((type) => isType(read.value, type)) ? [read.value] : []
}

const resolve = (reference: string, root: unknown): unknown => {
  let target = root
  for (const step of reference.replace(/^#\/?/, '').split('/')) {
    if (step === '') continue
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return target
}

const deeper = (place: Place, step: string): Place => ({ root: place.root, path: place.path + step, depth: place.depth + 1 })
const refuse = (place: Place, problem: string): Fit => ({ ok: false, path: place.path, problem })

/** For callers that have an object and a schema already. */
export const isJsonObject = (value: unknown): value is JsonObject => isObject(value)
