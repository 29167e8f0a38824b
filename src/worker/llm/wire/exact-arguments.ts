// Arguments that a server sent as an object instead of text, as text again, with every digit of a long number.

import { readJsonText } from '../json-text.ts'
import { mayLoseDigits } from '../lost-digits.ts'

/**
 * `position`: of the call in its list; `data`: the JSON text it was parsed from; `field`: what the vendor calls arguments. Parsing
 * has rounded long integers, so where there may be some, the object is cut out of the text as it was sent.
 */
export const exactArguments = (
  value: unknown,
  position: number,
  data: string,
  field: 'arguments' | 'args' | 'input' = 'arguments',
): string => {
  if (!mayLoseDigits(data)) return JSON.stringify(value)
  const opened = new RegExp(`(?<!\\\\)"${field}"\\s*:\\s*(?=[{[])`, 'g')
  const objects = [...data.matchAll(opened)].map((found) => found.index + found[0].length)
  for (const start of [...objects.slice(position), ...objects]) {
    const read = readJsonText(data, start)
    if (!read.ok) continue
    const text = data.slice(start, read.end)
    if (JSON.stringify(JSON.parse(text)) === JSON.stringify(value)) return text
  }
  return JSON.stringify(value)
}
