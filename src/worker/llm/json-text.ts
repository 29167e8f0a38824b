// Reads one JSON value out of text that a model wrote: forgives what has one reading, and keeps the digits that a number would lose.
import type { Json } from '../../storage/log/content.ts'

/** A number that a JavaScript number cannot hold, mostly a long integer: its digits as they stood in the text. */
export class LongInteger {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
}
export type ReadValue = Json | LongInteger | readonly ReadValue[] | { readonly [key: string]: ReadValue }

export type JsonReading =
  | {
      readonly ok: true
      readonly value: ReadValue /** Where the value ends in the text. */
      readonly end: number
      readonly forgiven: boolean
      /** A number in it is too big or too small for any number there is. */
      readonly outOfRange: boolean
    }
  | { readonly ok: false; readonly reason: 'truncated' | 'not-json' }

const DEPTH_LIMIT = 200
/** The longest whole number has 309 digits; whatever is longer is not worth comparing. */
const NUMBER_LENGTH_LIMIT = 400
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** The text ends in the middle of a number. */
const PART_OF_NUMBER = /-?(?:\d+(?:\.|(?:\.\d+)?[eE][+-]?))?$/y
const LITERALS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** Forgives a trailing comma and raw control characters inside strings; nothing that could be read in a second way. */
export const readJsonText = (text: string, from = 0): JsonReading => {
  let at = from
  let forgiven = false
  let outOfRange = false

  const blanks = () => {
    while (at < text.length && ' \t\n\r'.includes(text[at]!)) at += 1
  }
  const fail = (): never => {
    throw new Unreadable(at >= text.length ? 'truncated' : 'not-json')
  }

  const string = (): string => {
    const start = at
    at += 1
    let raw = false
    for (;;) {
      if (at >= text.length) fail()
      const code = text.charCodeAt(at)
      if (code === 34) break
      if (code < 32) raw = true
      // A backslash before a raw line break can be read in two ways.
      if (code === 92 && text.charCodeAt(at + 1) < 32) throw new Unreadable('not-json')
      at += code === 92 ? 2 : 1
    }
    at += 1
    const quoted = text.slice(start, at)
    if (raw) forgiven = true
    try {
      return JSON.parse(raw ? quoted.replace(/\p{Cc}/gu, escaped) : quoted)
    } catch {
      throw new Unreadable('not-json') // an escape that JSON does not have, as in a Windows path
    }
  }

  const number = (): number | LongInteger => {
    PART_OF_NUMBER.lastIndex = at
    if (PART_OF_NUMBER.test(text)) at = text.length
    NUMBER.lastIndex = at
    const found = NUMBER.exec(text)
    if (found === null) return fail()
    at += found[0].length
    const value = Number(found[0])
    if (isKept(found[0], value)) return value
    outOfRange ||= !Number.isFinite(value) || value === 0
    return new LongInteger(found[0])
  }

  // A list of members up to its closing bracket, each read by `member`; a comma before the bracket is forgiven.
  const members = (close: string, member: () => void) => {
    at += 1
    blanks()
    for (let first = true; text[at] !== close; first = false) {
      if (!first) {
        if (text[at] !== ',') fail()
        at += 1
        blanks()
        if (text[at] === close) {
          forgiven = true
          break
        }
      }
      member()
      blanks()
    }
    at += 1
  }

  const value = (depth: number): ReadValue => {
    if (depth > DEPTH_LIMIT) throw new Unreadable('not-json')
    blanks()
    const head = text[at]
    if (head === '"') return string()
    if (head === '[') {
      const items: ReadValue[] = []
      members(']', () => items.push(value(depth + 1)))
      return items
    }
    if (head === '{') {
      const entries: [string, ReadValue][] = []
      members('}', () => {
        if (text[at] !== '"') fail()
        const key = string()
        blanks()
        if (text[at] !== ':') fail()
        at += 1
        entries.push([key, value(depth + 1)])
      })
      // Not by assignment: `__proto__` is a key like any other.
      return Object.fromEntries(entries)
    }
    for (const [word, meaning] of LITERALS) {
      if (text.startsWith(word, at)) {
        at += word.length
        return meaning
      }
      if (at < text.length && word.startsWith(text.slice(at))) at = text.length
    }
    return number()
  }

  try {
    const read = value(0)
    return { ok: true, value: read, end: at, forgiven, outOfRange }
  } catch (reason) {
    if (!(reason instanceof Unreadable)) throw reason
    return { ok: false, reason: reason.why }
  }
}

/**
 * Kept if the digits come out again as they went in, or if the number is exactly that integer. A fraction may be rounded, but not
 * to an integer.
 */
const isKept = (written: string, value: number): boolean => {
  if (!Number.isInteger(value)) return Number.isFinite(value)
  if (written.length > NUMBER_LENGTH_LIMIT) return false
  return inOneForm(String(value)) === inOneForm(written) || (/^-?\d+$/.test(written) && BigInt(written) === BigInt(value))
}

/** `-12.50e3` as `-125e2`: equal for equal numbers. */
const inOneForm = (number: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  return short === '' ? '0' : `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}

const escaped = (character: string): string => (character < ' ' ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character)

class Unreadable {
  readonly why: 'truncated' | 'not-json'
  constructor(why: 'truncated' | 'not-json') {
    this.why = why
  }
}

/** A read value as JSON text again, every digit kept. */
export const jsonOf = (value: ReadValue): string => {
  if (value instanceof LongInteger) return value.digits
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, held]) => `${JSON.stringify(key)}:${jsonOf(held)}`)
    .join(',')}}`
}
