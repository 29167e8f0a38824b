// The arguments of a call as the loop takes them: plain JSON that fits is taken as it is, all else goes to the rules of repair, which
// are loaded when they are first needed.
import type { JsonObject, JsonSchema } from '../../storage/log/content.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import { mayLoseDigits } from '../llm/lost-digits.ts'
import { validateJson } from '../tools/validate.ts'

export type CallArguments = { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly message: string }

/** Undefined for what is not one plain object that fits, and for numbers that may have lost digits. */
const asTheyAre = (raw: string, schema: JsonSchema | undefined): JsonObject | undefined => {
  if (raw.trim() === '') return {}
  try {
    const value: unknown = mayLoseDigits(raw) ? undefined : JSON.parse(raw)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const object = freezeJson(value as JsonObject)
    return schema === undefined || validateJson(schema, object).length === 0 ? object : undefined
  } catch {
    return undefined // the rules of repair say what is wrong with it
  }
}

/** A tool that assigned such a key to a copy of its arguments would give the copy another prototype. */
const hasProtoKey = (value: JsonObject): boolean => JSON.stringify(value).includes('"__proto__":')

export const readCallArguments = async (raw: string, schema: JsonSchema | undefined): Promise<CallArguments> => {
  const read = await readText(raw, schema)
  if (!read.ok || !hasProtoKey(read.value)) return read
  return { ok: false, message: 'The arguments hold a key "__proto__", which no tool takes. Call the tool again without it.' }
}

const readText = async (raw: string, schema: JsonSchema | undefined): Promise<CallArguments> => {
  const value = asTheyAre(raw, schema)
  if (value !== undefined) return { ok: true, value }
  try {
    const { readArguments } = await import('../llm/tool-arguments.ts')
    return readArguments(raw, schema)
  } catch {
    return { ok: false, message: 'The arguments are not plain JSON that fits the parameters of this tool. Send one JSON object.' }
  }
}
