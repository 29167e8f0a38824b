// A body that is a JSON list of events, or one object: its objects one by one, as far as they came.
import { readJsonText } from '../json-text.ts'
import { type Fields, isFields, parsedJson } from './fields.ts'

/** `cut`: the text ends in the middle of an object; `unreadable`: from some place on it is no JSON. The objects before it were given. */
export const readJsonList = (text: string, take: (fields: Fields, text: string) => void): 'whole' | 'cut' | 'unreadable' => {
  for (let at = 0; ; ) {
    while (at < text.length && /[\s[\],\uFEFF]/.test(text[at]!)) at += 1
    if (at >= text.length) return 'whole'
    const read = readJsonText(text, at)
    if (!read.ok) return read.reason === 'truncated' ? 'cut' : 'unreadable'
    const data = text.slice(at, read.end)
    const fields = parsedJson(data)
    if (!isFields(fields)) return 'unreadable'
    take(fields, data)
    at = read.end
  }
}
