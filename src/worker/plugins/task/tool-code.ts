// Reads the calls in a `tool_code` block: `bash(command="ls")`, `bash({"command": "ls"})`, `bash{"command": "ls"}`, or JSON with a name.
import type { Json, JsonObject } from '../../../storage/log/content.ts'

export type ReadCall = { readonly name: string; readonly arguments: JsonObject }

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller tries another form
  }
}

/** Where the JSON object that begins at `from` ends; undefined when it does not. */
const endOfObject = (text: string, from: number): number | undefined => {
  let depth = 0
  let inString = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{') depth++
    else if (character === '}') {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

/** The object at `from`, and where it ends. */
export const readObject = (text: string, from: number): { readonly value: JsonObject; readonly end: number } | undefined => {
  const end = text[from] === '{' ? endOfObject(text, from) : undefined
  const value = end === undefined ? undefined : parse(text.slice(from, end))
  return end !== undefined && isObject(value) ? { value, end } : undefined
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
const unescaped = (text: string): string => text.replace(/\\([\s\S])/g, (_, character: string) => ESCAPES[character] ?? character)

const WORDS: Readonly<Record<string, Json>> = { True: true, true: true, False: false, false: false, None: null, null: null }

const VALUE = /\s*(?:("""|'''|"|')((?:\\[\s\S]|(?!\1)[^\\])*)\1|(-?\d+(?:\.\d+)?)|([A-Za-z]+))\s*/y

/** One Python literal, and where it ends. */
const readValue = (text: string, from: number): { readonly value: Json; readonly end: number } | undefined => {
  VALUE.lastIndex = from
  const found = VALUE.exec(text)
  if (found === null) return undefined
  const [, quote, words = '', number, word] = found
  if (quote !== undefined) return { value: unescaped(words), end: VALUE.lastIndex }
  if (number !== undefined) return { value: Number(number), end: VALUE.lastIndex }
  return word !== undefined && Object.hasOwn(WORDS, word) ? { value: WORDS[word]!, end: VALUE.lastIndex } : undefined
}

/** A text that opens objects without end would be read to its end for each of them. */
export const MOST_UNREADABLE = 100

const KEY = /\s*([A-Za-z_]\w*)\s*=/y

/** `command="ls", depth=2)`, from behind the opening parenthesis; undefined for what is no list of named literals. */
const readKeywords = (text: string, from: number): { readonly value: JsonObject; readonly end: number } | undefined => {
  const entries: [string, Json][] = []
  let at = from
  for (;;) {
    KEY.lastIndex = at
    const key = KEY.exec(text)?.[1]
    const read = key === undefined ? undefined : readValue(text, KEY.lastIndex)
    if (key !== undefined && read === undefined) return undefined
    if (key !== undefined && read !== undefined) {
      entries.push([key, read.value])
      at = read.end
      if (text[at] === ',') {
        at++
        continue
      }
    }
    const end = /\s*\)/y
    end.lastIndex = at
    return end.test(text) ? { value: Object.fromEntries(entries), end: end.lastIndex } : undefined
  }
}

const named = (value: unknown, tools: readonly string[]): ReadCall | undefined => {
  if (!isObject(value)) return undefined
  const name = tools.find((tool) => tool === (value.name ?? value.tool))
  const given = value.arguments ?? value.parameters ?? value.args ?? {}
  const args = typeof given === 'string' ? parse(given) : given
  return name === undefined || !isObject(args) ? undefined : { name, arguments: args }
}

/** Calls of declared tools, in order; what is none is passed over. */
export const readToolCode = (body: string, tools: readonly string[]): readonly ReadCall[] => {
  const whole = parse(body)
  const listed = (Array.isArray(whole) ? whole : [whole]).flatMap((value: unknown) => named(value, tools) ?? [])
  if (listed.length > 0) return listed
  const calls: ReadCall[] = []
  const opening = /(?<![\w.])([A-Za-z_][\w-]*)\s*([({])/g
  let unreadable = 0
  for (let found = opening.exec(body); found !== null && unreadable < MOST_UNREADABLE; found = opening.exec(body)) {
    const [, name = '', bracket] = found
    if (!tools.includes(name)) continue
    const inside = opening.lastIndex
    const read = bracket === '{' ? readObject(body, inside - 1) : (readObject(body, inside) ?? readKeywords(body, inside))
    if (read === undefined) unreadable++
    else {
      calls.push({ name, arguments: read.value })
      opening.lastIndex = read.end
    }
  }
  return calls
}
