// Checks a JSON value against the part of JSON Schema that tools use, with messages that a model can repair from.
import type { Json } from '../../storage/log/content.ts'
import { jsonEqual } from '../../storage/log/lossless-json.ts'
import { isRecord } from './record.ts'
import { matchesSafely } from './safe-pattern.ts'

const MOST_ISSUES = 8
const DEEPEST = 64
// Alternatives that refer to themselves could otherwise be tried for ever.
const MOST_STEPS = 200_000
const LONGEST_PREVIEW = 60

type Schema = Readonly<Record<string, unknown>>
type Walk = { readonly root: Schema; readonly issues: string[]; readonly budget: { steps: number } }

/**
 * What is wrong, at most eight lines, each `path: what was expected, what came`; empty when all is well. Keywords that are not
 * known (formats among them) are no objection. `pattern` is only tried where it cannot run for long.
 */
export const validateJson = (schema: unknown, value: Json): readonly string[] => {
  const walk: Walk = { root: isRecord(schema) ? schema : {}, issues: [], budget: { steps: MOST_STEPS } }
  check(walk, schema, value, '', 0)
  return walk.issues.slice(0, MOST_ISSUES)
}

const check = (walk: Walk, schema: unknown, value: Json, path: string, depth: number): void => {
  if (walk.issues.length >= MOST_ISSUES) return
  walk.budget.steps -= 1
  const obstacle = walk.budget.steps < 0 ? 'too large to check' : depth > DEEPEST ? `nested deeper than ${DEEPEST} levels` : undefined
  if (schema === false || obstacle !== undefined) report(walk, path, obstacle ?? 'not allowed here')
  if (!isRecord(schema) || obstacle !== undefined) return
  if (typeof schema.$ref === 'string') check(walk, resolve(walk.root, schema.$ref), value, path, depth + 1)
  if (!checkType(walk, schema, value, path)) return
  checkChoice(walk, schema, value, path)
  if (typeof value === 'string') checkString(walk, schema, value, path)
  else if (typeof value === 'number') checkNumber(walk, schema, value, path)
  else if (Array.isArray(value)) checkArray(walk, schema, value, path, depth)
  else if (isRecord(value)) checkObject(walk, schema, value as { readonly [key: string]: Json }, path, depth)
  checkCombined(walk, schema, value, path, depth)
}

const report = (walk: Walk, path: string, problem: string): void => {
  walk.issues.push(`${path === '' ? 'arguments' : path}: ${problem}`)
}

const resolve = (root: Schema, ref: string): unknown => {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return true
  let at: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at ?? true
}

const typeOf = (value: Json): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

const checkType = (walk: Walk, schema: Schema, value: Json, path: string): boolean => {
  const types = typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : []
  if (types.length === 0) return true
  const actual = typeOf(value)
  const fits = types.some((type) => type === actual || (type === 'integer' && actual === 'number' && Number.isInteger(value)))
  if (!fits) report(walk, path, `expected ${types.join(' or ')}, got ${quote(value)}`)
  return fits
}

const checkChoice = (walk: Walk, schema: Schema, value: Json, path: string): void => {
  if (Array.isArray(schema.enum) && !schema.enum.some((choice) => jsonEqual(choice, value))) {
    const choices = schema.enum.map((choice) => JSON.stringify(choice)).join(', ')
    report(walk, path, `expected one of ${choices}, got ${quote(value)}`)
  }
  if (schema.const !== undefined && !jsonEqual(schema.const, value)) {
    report(walk, path, `expected ${JSON.stringify(schema.const)}, got ${quote(value)}`)
  }
}

const checkString = (walk: Walk, schema: Schema, value: string, path: string): void => {
  if (typeof schema.minLength === 'number' && length(value) < schema.minLength) {
    report(walk, path, `expected at least ${schema.minLength} characters, got ${length(value)}`)
  }
  if (typeof schema.maxLength === 'number' && length(value) > schema.maxLength) {
    report(walk, path, `expected at most ${schema.maxLength} characters, got ${length(value)}`)
  }
  if (typeof schema.pattern === 'string' && matchesSafely(schema.pattern, value) === false) {
    report(walk, path, `expected text that matches /${schema.pattern}/, got ${quote(value)}`)
  }
}

// JSON Schema counts code points, `.length` counts UTF-16 units; most text has no surrogate pairs and skips the walk.
const length = (text: string): number => (/[\ud800-\udbff]/.test(text) ? [...text].length : text.length)

const checkNumber = (walk: Walk, schema: Schema, value: number, path: string): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) report(walk, path, `expected at least ${minimum}, got ${value}`)
  if (typeof maximum === 'number' && value > maximum) report(walk, path, `expected at most ${maximum}, got ${value}`)
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    report(walk, path, `expected more than ${exclusiveMinimum}, got ${value}`)
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    report(walk, path, `expected less than ${exclusiveMaximum}, got ${value}`)
  if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    report(walk, path, `expected a multiple of ${multipleOf}, got ${value}`)
  }
}

// 0.3 / 0.1 is not quite 3 in floating point.
const isMultiple = (value: number, of: number): boolean => Math.abs(value / of - Math.round(value / of)) < 1e-9

const checkArray = (walk: Walk, schema: Schema, value: readonly Json[], path: string, depth: number): void => {
  if (typeof schema.minItems === 'number' && value.length < schema.minItems) {
    report(walk, path, `expected at least ${schema.minItems} items, got ${value.length}`)
  }
  if (typeof schema.maxItems === 'number' && value.length > schema.maxItems) {
    report(walk, path, `expected at most ${schema.maxItems} items, got ${value.length}`)
  }
  const leading: readonly unknown[] = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  for (const [index, item] of value.entries()) {
    if (walk.issues.length >= MOST_ISSUES) return
    check(walk, index < leading.length ? leading[index] : schema.items, item, `${path}[${index}]`, depth + 1)
  }
}

const checkObject = (walk: Walk, schema: Schema, value: { readonly [key: string]: Json }, path: string, depth: number): void => {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    report(walk, join(path, name), `required, but missing${isRecord(property) ? expectation(property) : ''}`)
  }
  const patterns = isRecord(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
  for (const [key, item] of Object.entries(value)) {
    if (walk.issues.length >= MOST_ISSUES) return
    if (Object.hasOwn(properties, key)) {
      check(walk, properties[key], item, join(path, key), depth + 1)
      continue
    }
    const matching = patterns.filter(([pattern]) => matchesSafely(pattern, key) !== false)
    for (const [, property] of matching) check(walk, property, item, join(path, key), depth + 1)
    if (matching.length > 0 || schema.additionalProperties === undefined) continue
    if (schema.additionalProperties === false) {
      const known = Object.keys(properties)
      report(walk, join(path, key), `unknown; ${known.length > 0 ? `known here: ${known.join(', ')}` : 'nothing is allowed here'}`)
    } else check(walk, schema.additionalProperties, item, join(path, key), depth + 1)
  }
}

const checkCombined = (walk: Walk, schema: Schema, value: Json, path: string, depth: number): void => {
  if (Array.isArray(schema.allOf)) for (const part of schema.allOf) check(walk, part, value, path, depth + 1)
  for (const [keyword, enough] of [
    ['anyOf', (fitting: number) => fitting > 0],
    ['oneOf', (fitting: number) => fitting === 1],
  ] as const) {
    const options = schema[keyword]
    if (!Array.isArray(options) || options.length === 0) continue
    const attempts = options.map((option) => issuesOf(walk, option, value, path, depth + 1))
    const fitting = attempts.filter((issues) => issues.length === 0).length
    if (enough(fitting)) continue
    if (fitting > 1) report(walk, path, `fits ${fitting} of the allowed forms where exactly one is wanted`)
    else report(walk, path, `fits none of the allowed forms (${attempts.map((issues) => issues[0]).join('; or ')})`)
  }
}

const issuesOf = (outer: Walk, schema: unknown, value: Json, path: string, depth: number): readonly string[] => {
  const walk: Walk = { root: outer.root, issues: [], budget: outer.budget }
  check(walk, schema, value, path, depth)
  return walk.issues
}

const join = (path: string, key: string): string => {
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, LONGEST_PREVIEW))}]`
  return path === '' ? key : `${path}.${key}`
}

const expectation = (property: Schema): string => {
  if (Array.isArray(property.enum)) return ` (one of ${property.enum.map((choice) => JSON.stringify(choice)).join(', ')})`
  return typeof property.type === 'string' ? ` (${property.type})` : ''
}

const quote = (value: Json): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, LONGEST_PREVIEW) : value)
  return typeof value === 'string' ? `the string ${text}${value.length > LONGEST_PREVIEW ? '…' : ''}` : `the ${typeof value} ${text}`
}
