// Parsed JSON that nobody has checked yet: what every reader looks into.

export type Fields = { readonly [key: string]: unknown }
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
/** For a place that should hold an object and may hold anything. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
/** The text in a field; '' when there is something else, or nothing. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `undefined` when the text is no JSON; the caller says what that means. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // cut, or words
  }
}
