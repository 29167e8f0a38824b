// The parameters of a tool as vendors accept them: at the top an object, with no choice between several.
import type { Json, JsonObject } from '../../../storage/log/content.ts'
import { isFields } from './fields.ts'

const CHOICES = ['allOf', 'anyOf', 'oneOf'] as const

/**
 * OpenAI: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"; Anthropic says the
 * same. The properties of all choices are offered; required is what every choice requires. The tool itself checks what comes.
 */
export const objectSchema = (schema: JsonObject): JsonObject => {
  const choices = CHOICES.flatMap((key) => (Array.isArray(schema[key]) ? [schema[key].filter(isObject)] : []))
  if (choices.length === 0 && schema.type === 'object' && !('enum' in schema) && !('not' in schema)) return schema
  const { allOf, anyOf: _a, oneOf: _o, enum: _e, not: _n, ...rest } = schema
  const together = Array.isArray(allOf) ? allOf.filter(isObject) : []
  const properties = Object.fromEntries([...choices.flat(), schema].flatMap((one) => Object.entries(propertiesOf(one))))
  const alternatives = choices.filter((list) => list.length > 0 && list[0] !== together[0])
  const required = new Set([
    ...requiredOf(schema),
    ...together.flatMap(requiredOf),
    ...alternatives.flatMap((list) => requiredOf(list[0]!).filter((key) => list.every((one) => requiredOf(one).includes(key)))),
  ])
  return { ...rest, type: 'object', properties, ...(required.size === 0 ? {} : { required: [...required] }) }
}

const isObject = (value: Json): value is JsonObject => isFields(value)
const propertiesOf = ({ properties }: JsonObject): JsonObject => (isFields(properties) ? (properties as JsonObject) : {})
const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? required.filter((key): key is string => typeof key === 'string') : []
