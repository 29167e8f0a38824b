// A case that says what a runner does not know is a failure: nothing may go unjudged.

export type Fields = { readonly [key: string]: unknown }
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Words for people; not judged. */
const WORDS = ['rule', 'mustNot', 'note', 'loop', 'inputRule', 'outputRule', 'onOpaqueFailure']

export const unknownKeys = (fields: Fields, known: readonly string[], where: string): readonly string[] =>
  Object.keys(fields)
    .filter((key) => !known.includes(key) && !WORDS.includes(key))
    .map((key) => `unknown key ${where}${key}`)

/** Deep equality of JSON, key order aside. */
export const same = (left: unknown, right: unknown): boolean => {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => same(item, right[index]))
  if (isFields(left) && isFields(right)) {
    const keys = Object.keys(left)
    return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]))
  }
  return Object.is(left, right)
}

/** Everything that `expected` has is in `actual`, lists item by item. */
export const contains = (actual: unknown, expected: unknown): boolean => {
  if (Array.isArray(expected))
    return Array.isArray(actual) && actual.length === expected.length && expected.every((item, index) => contains(actual[index], item))
  if (isFields(expected)) return isFields(actual) && Object.entries(expected).every(([key, value]) => contains(actual[key], value))
  return Object.is(actual, expected)
}

export const show = (value: unknown): string => {
  const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value)
  return text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 300)}…` : text
}
export const mismatch = (what: string, expected: unknown, actual: unknown): string =>
  `${what}: expected ${show(expected)}, got ${show(actual)}`
