// A body that is a JSON list of events, or one object: its objects one by one, as far as they came.
import { readJsonText } from '../json-text.ts'
import { type Fields, isFields, parsedJson } from './fields.ts'

/**
 * What is cut at the end is left out. Gives false when the text is not JSON from some place on; the objects before it were given.
 */
export const readJsonList = (text: string, take: (fields: Fields, text: string) => void): boolean => {
  for (let at = 0; ; ) {
    while (at < text.length && /[\s[\],\uFEFF]/.test(text[at]!)) at += 1
    if (at >= text.length) return true
    const read = readJsonText(text, at)
    if (!read.ok) return read.reason === 'truncated'
    const data = text.slice(at, read.end)
    const fields = parsedJson(data)
    if (!isFields(fields)) return false
    take(fields, data)
    at = read.end
  }
}
