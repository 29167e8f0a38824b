// The arguments of a call as the loop takes them: plain JSON that fits is taken as it is, all else goes to the rules of repair, which
// are loaded when they are first needed.
import type { JsonObject, JsonSchema } from '../../storage/log/content.ts'
import { freezeJson } from '../../storage/log/lossless-json.ts'
import { validateJson } from '../tools/validate.ts'

export type CallArguments = { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly message: string }

/** Undefined for what is not one plain object that fits, and for numbers that may have lost digits. */
const asTheyAre = (raw: string, schema: JsonSchema | undefined): JsonObject | undefined => {
  if (raw.trim() === '') return {}
  try {
    const value: unknown = /\d{16}/.test(raw) ? undefined : JSON.parse(raw)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const object = freezeJson(value as JsonObject)
    return schema === undefined || validateJson(schema, object).length === 0 ? object : undefined
  } catch {
    return undefined // the rules of repair say what is wrong with it
  }
}

export const readCallArguments = async (raw: string, schema: JsonSchema | undefined): Promise<CallArguments> => {
  const value = asTheyAre(raw, schema)
  if (value !== undefined) return { ok: true, value }
  try {
    const { readArguments } = await import('../llm/tool-arguments.ts')
    return readArguments(raw, schema)
  } catch {
    return { ok: false, message: 'The arguments are not plain JSON that fits the parameters of this tool. Send one JSON object.' }
  }
}
