// The arguments of a tool call, read from the raw text that the model wrote (W8): repaired only where there is exactly one reading.
import type { JsonObject, JsonSchema } from '../../storage/log/content.ts'
import { fitSchema, isJsonObject } from './fit-schema.ts'
import { type ReadValue, readJsonText } from './json-text.ts'
import { mayLoseDigits } from './lost-digits.ts'

export type ArgumentsReading =
  | {
      readonly ok: true
      readonly value: JsonObject /** It took more than plain JSON and the schema as they were. */
      readonly repaired: boolean
    }
  | {
      readonly ok: false
      /** `concatenated`: two values glued together. `out-of-range`: a number that would be infinite or zero. `schema`: readable, but of the wrong shape; `path` names the place. */
      readonly reason: 'truncated' | 'not-json' | 'not-an-object' | 'concatenated' | 'out-of-range' | 'schema'
      readonly path?: string
      /** For the model: what is wrong, what it sent, how to go on. */
      readonly message: string
    }

type Refusal = Extract<ArgumentsReading, { ok: false }>['reason']
type TextReading = { readonly value: ReadValue; readonly repaired: boolean } | Refusal

const QUOTE_LENGTH = 200

/**
 * Blank text is `{}`. Forgiven: one code fence or prose around the one object, a trailing comma, raw line breaks in strings, the
 * object written as a JSON string, and what `fitSchema` converts. Refused: everything cut, everything with two readings, and a
 * list around the object. Without a schema only the text is judged.
 */
export const readArguments = (raw: string, schema?: JsonSchema): ArgumentsReading => {
  const read = readText(raw)
  if (typeof read === 'string') return refusal(read, raw)
  const fitted = fitSchema(read.value, schema)
  if (!fitted.ok) return refusal('schema', raw, fitted.path, fitted.problem)
  if (!isJsonObject(fitted.value)) return refusal('not-an-object', raw)
  return { ok: true, value: fitted.value, repaired: read.repaired || fitted.changed }
}

const readText = (raw: string): TextReading => {
  const text = raw.trim()
  if (text === '') return { value: {}, repaired: false }
  const read = exactly(text) ?? forgivingly(text)
  if (typeof read === 'string' || isJsonObject(read.value)) return read
  // The whole object once more inside a string: one layer is unwrapped, no more.
  if (typeof read.value !== 'string' || !/^\s*\{/.test(read.value)) return 'not-an-object'
  const inner = exactly(read.value) ?? forgivingly(read.value.trim())
  if (typeof inner === 'string') return inner
  return isJsonObject(inner.value) ? { value: inner.value, repaired: true } : 'not-an-object'
}

/** Plain JSON; `undefined` if it is not, or if a number in it may have lost digits. */
const exactly = (text: string): TextReading | undefined => {
  try {
    return mayLoseDigits(text) ? undefined : { value: JSON.parse(text), repaired: false }
  } catch {
    return undefined // the forgiving reader says what is wrong with it
  }
}

const forgivingly = (text: string): TextReading => {
  const body = unwrapped(text)
  const start = /^["[{\d-]/.test(body) ? 0 : body.indexOf('{')
  if (start < 0 || /[[\]}]/.test(body.slice(0, start))) return 'not-json'
  const read = readJsonText(body, start)
  if (!read.ok) return read.reason
  if (read.outOfRange) return 'out-of-range'
  const after = body.slice(read.end).trim()
  if (after.startsWith('{') && start === 0) return 'concatenated'
  if (/[[\]{}]/.test(after) || (after !== '' && body[start] !== '{')) return 'not-json'
  return { value: read.value, repaired: read.forgiven || body !== text || after !== '' || start > 0 }
}

/** What is inside the one code fence of a text that does not begin as JSON itself. */
const unwrapped = (text: string): string => {
  if (/^["[{]/.test(text)) return text
  const fence = /(```|~~~)[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*\1/.exec(text)
  if (fence === null) return text
  const around = text.slice(0, fence.index) + text.slice(fence.index + fence[0].length)
  return /[[\]{}]|```|~~~/.test(around) ? text : fence[2]!.trim()
}

const WORDS: Readonly<Record<Refusal, string>> = {
  truncated: 'The arguments end in the middle; the call was not run.',
  'not-json': 'The arguments are not valid JSON.',
  'not-an-object': 'The arguments must be one JSON object.',
  concatenated: 'The arguments hold two JSON values; make one call for each.',
  'out-of-range': 'The arguments hold a number that is beyond the range of numbers.',
  schema: 'The arguments do not fit the parameters of this tool',
}

const refusal = (reason: Refusal, raw: string, path?: string, problem?: string): ArgumentsReading => {
  const detail = problem === undefined ? '' : `: ${path === '' || path === undefined ? 'the whole' : path} ${problem}.`
  const start = raw.length <= QUOTE_LENGTH ? raw : `${raw.slice(0, QUOTE_LENGTH)}…`
  return {
    ok: false,
    reason,
    ...(path === undefined ? {} : { path }),
    message: `${WORDS[reason]}${detail} You sent: ${start}\nCall the tool again with one JSON object that fits its parameters.`,
  }
}
