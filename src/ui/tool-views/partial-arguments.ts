// Arguments of a tool call as a view can use them, also while the model is still writing them.

/** The value of a top-level string field of a JSON object, as far as it has come. Undefined when it has not begun or is no string. */
export const stringField = (json: string, name: string): string | undefined => {
  const whole = parsed(json)
  if (whole !== undefined) {
    const value = whole[name]
    return typeof value === 'string' ? value : undefined
  }
  return partialField(json.slice(0, MAX_PARTIAL), name)
}

/** The arguments when they are a complete JSON object. */
export const parsed = (json: string): Readonly<Record<string, unknown>> | undefined => {
  if (json !== last.json) last = { json, value: parse(json) }
  return last.value
}

/** Several places of a card read the same arguments, and reading some megabytes takes a while. */
let last: { readonly json: string; readonly value: Readonly<Record<string, unknown>> | undefined } = { json: '', value: undefined }

const parse = (json: string): Readonly<Record<string, unknown>> | undefined => {
  if (!json.trimEnd().endsWith('}')) return undefined // not complete, which is told without reading all of it
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // not complete yet, or broken: what can be read of it is read below
  }
}

/** Of what is not complete the beginning is read only, or each new word would cost as much as all before it. */
const MAX_PARTIAL = 100_000

const partialField = (json: string, name: string): string | undefined => {
  const key = new RegExp(
    `^\\s*\\{(?:\\s*"(?:[^"\\\\]|\\\\.)*"\\s*:\\s*(?:"(?:[^"\\\\]|\\\\.)*"|[^",{}[\\]\\s]+)\\s*,)*\\s*"${name}"\\s*:\\s*"`,
  )
  const match = key.exec(json)
  if (match === null) return undefined
  const rest = json.slice(match[0].length)
  const end = /^(?:[^"\\]|\\.)*/s.exec(rest)?.[0] ?? ''
  return unescaped(end)
}

/** A `\u` escape whose digits have not all come is left out until they do; other escapes were matched whole or not at all. */
const unescaped = (text: string): string => {
  const complete = text.replace(/(^|[^\\])((?:\\\\)*)\\u[\da-fA-F]{0,3}$/, '$1$2')
  try {
    return JSON.parse(`"${complete}"`) as string
  } catch {
    return complete // not JSON: the model's own characters are better than none
  }
}
