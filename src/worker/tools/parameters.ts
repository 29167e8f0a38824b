// Reads a tool's parameters, whatever they are written in, into one canonical JSON Schema and one check.
import type { Json, JsonSchema } from '../../storage/log/content.ts'
import { messageOf, SideloopError } from '../../storage/log/errors.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import { isRecord } from './record.ts'
import { schemaOfShortForm } from './short-form.ts'
import { validateJson } from './validate.ts'
import { isZodSchema, schemaOfZod } from './zod-schema.ts'

/** `args` is what the tool gets: the arguments as they are, or what a Standard Schema made of them (defaults, transforms). */
export type Checked = { readonly ok: true; readonly args: unknown } | { readonly ok: false; readonly issues: readonly string[] }

export type Parameters = {
  /** Frozen, of type object, without `$schema`. */
  readonly schema: JsonSchema
  /** A promise only if a Standard Schema checks asynchronously. */
  check(args: Json): Checked | Promise<Checked>
}

/** The part of the Standard Schema and Standard JSON Schema specifications that is used. */
type StandardSchema = {
  readonly '~standard': {
    readonly vendor: string
    validate(value: unknown): StandardResult | Promise<StandardResult>
    readonly jsonSchema?: { input(options: { readonly target: string }): Record<string, unknown> }
  }
}
type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** Errors: `command/invalid` when they are none of the three forms, or do not describe an object. */
export const readParameters = (parameters: unknown): Parameters => {
  if (isStandardSchema(parameters)) return standardParameters(parameters)
  if (!isRecord(parameters)) throw invalid('must be a Standard Schema (zod, zod/mini …), a JSON Schema or the short form')
  const schema = canonical(typeof parameters.type === 'string' ? parameters : schemaOfShortForm(parameters))
  return {
    schema,
    check: (args) => {
      const issues = validateJson(schema, args)
      return issues.length === 0 ? { ok: true, args } : { ok: false, issues }
    },
  }
}

const invalid = (what: string): SideloopError => new SideloopError('command/invalid', `The parameters of a tool ${what}.`)

// Schemas of some libraries are functions.
const isStandardSchema = (value: unknown): value is StandardSchema =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  '~standard' in value &&
  isRecord(value['~standard']) &&
  typeof value['~standard'].validate === 'function'

const standardParameters = (parameters: StandardSchema): Parameters => {
  const schema = canonical(jsonSchemaOf(parameters))
  const read = (args: Json, result: StandardResult): Checked =>
    result.issues === undefined ? { ok: true, args: result.value } : { ok: false, issues: wordsFor(schema, args, result.issues) }
  return {
    schema,
    check: (args) => {
      const result = parameters['~standard'].validate(args)
      return isThenable(result) ? result.then((settled) => read(args, settled)) : read(args, result)
    },
  }
}

const isThenable = (result: StandardResult | Promise<StandardResult>): result is Promise<StandardResult> =>
  'then' in result && typeof result.then === 'function'

const jsonSchemaOf = (parameters: StandardSchema): unknown => {
  const { jsonSchema, vendor } = parameters['~standard']
  try {
    if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' })
  } catch (error) {
    throw invalid(`cannot be said as JSON Schema: ${messageOf(error)}`)
  }
  if (isZodSchema(parameters)) return schemaOfZod(parameters)
  throw invalid(`are a schema of ${vendor} that has no JSON Schema. Use a version that has one, or give a JSON Schema`)
}

const canonical = (schema: unknown): JsonSchema => {
  if (!isRecord(schema) || schema.type !== 'object') throw invalid(`must describe an object: { type: 'object', properties: … }`)
  const { $schema: _, '~standard': __, ...rest } = schema
  // The copy is proven to be JSON by the freezing.
  const copy: unknown = freezeJson({ ...rest, properties: rest.properties ?? {} })
  return copy as JsonSchema
}

// Our own words say what was expected; the library's are used where only it can tell (refinements).
const wordsFor = (schema: JsonSchema, args: Json, issues: Exclude<StandardResult['issues'], undefined>): readonly string[] => {
  const own = validateJson(schema, args)
  if (own.length > 0) return own
  return issues.slice(0, 8).map(({ path, message }) => {
    const at = (path ?? []).map((key) => String(isRecord(key) && 'key' in key ? key.key : key)).join('.')
    return `${at === '' ? 'arguments' : at}: ${message}`
  })
}
