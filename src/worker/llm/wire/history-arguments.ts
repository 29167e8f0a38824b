// The arguments of a logged call as they go back to a server: always valid JSON, always an object, whatever the model had written.
import type { Json, JsonObject } from '../../../storage/log/content.ts'
import { LongInteger, type ReadValue, readJsonText } from '../json-text.ts'
import { mayLoseDigits } from '../lost-digits.ts'
import { readArguments } from '../tool-arguments.ts'
import { cutText, wellFormed } from './well-formed.ts'

const QUOTE_UNITS = 4000

/** Valid text goes as it is; repairable text repaired; unreadable text as a stand-in that quotes it, so that the model sees it. */
export const historyArguments = (raw: string): string => {
  const plain = asItIs(raw)
  if (plain !== undefined) return plain
  const read = readArguments(raw)
  const value = read.ok ? read.value : { unreadable_arguments: cutText(raw, QUOTE_UNITS) }
  return wellFormedJson(JSON.stringify(value))
}

/** The same for a vendor that wants an object: an integer longer than a number can hold becomes text, which keeps its digits. */
export const argumentsObject = (json: string): JsonObject => {
  if (!mayLoseDigits(json)) return JSON.parse(json)
  const read = readJsonText(json)
  return (read.ok ? withDigits(read.value) : JSON.parse(json)) as JsonObject
}

const withDigits = (value: ReadValue): Json => {
  if (value instanceof LongInteger) return value.digits
  if (Array.isArray(value)) return value.map(withDigits)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withDigits(held)]))
}

const asItIs = (raw: string): string | undefined => {
  const text = raw.trim()
  if (!text.startsWith('{')) return undefined
  try {
    JSON.parse(text)
  } catch {
    return undefined // the reader of arguments decides
  }
  return wellFormedJson(text)
}

/** Half a pair may hide behind an escape, where it survives until a server decodes it. */
const wellFormedJson = (json: string): string => {
  const text = wellFormed(json)
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text
  return JSON.stringify(JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? wellFormed(value) : value)))
}
