// Turns the short form of tool parameters, `{ text: { type: 'string', required: true } }`, into JSON Schema.
import type { Json, JsonSchema } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import { isRecord } from './record.ts'

/** Undeclared keys pass unless `additionalProperties: false` stands beside the properties; defaults are shown, never applied. */
export const schemaOfShortForm = (short: Readonly<Record<string, unknown>>): JsonSchema => {
  const { additionalProperties, ...properties } = short
  // A property that is called additionalProperties has an object as its value, the keyword has a boolean.
  if (typeof additionalProperties === 'boolean') return { ...objectSchema(properties), additionalProperties }
  return objectSchema(short)
}

const objectSchema = (properties: Readonly<Record<string, unknown>>): { readonly [key: string]: Json } => {
  const required = Object.keys(properties).filter((name) => {
    const property = properties[name]
    return isRecord(property) && property.required === true
  })
  const schemas = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, propertySchema(name, property)]))
  return { type: 'object', properties: schemas, ...(required.length > 0 ? { required } : {}) }
}

const propertySchema = (name: string, property: unknown): Json => {
  if (!isRecord(property)) {
    throw new SideloopError(
      'command/invalid',
      `The parameter "${name}" must be an object such as { type: 'string' }. Got ${JSON.stringify(property) ?? typeof property}.`,
    )
  }
  const { required, properties, items, ...rest } = property as Record<string, Json>
  return {
    ...rest,
    ...(isRecord(properties) ? objectSchema(properties) : {}),
    ...(isRecord(items) ? { items: propertySchema(`${name}[]`, items) } : items === undefined ? {} : { items }),
    ...(Array.isArray(required) ? { required } : {}),
  }
}
