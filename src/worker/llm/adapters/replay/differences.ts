// Where two JSON values differ, in words that a person can find the place by.

const MOST = 5
const QUOTE = 160

/** At most five places, each with both values. Empty when they are the same. */
export const differences = (recorded: unknown, asked: unknown): readonly string[] => {
  const found: string[] = []
  compare(recorded, asked, '', found)
  return found
}

type Fields = { readonly [key: string]: unknown }
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const compare = (recorded: unknown, asked: unknown, place: string, found: string[]): void => {
  if (found.length >= MOST || Object.is(recorded, asked)) return
  if (!isFields(recorded) || !isFields(asked) || Array.isArray(recorded) !== Array.isArray(asked)) {
    found.push(`${place || 'the whole'}: recorded ${shown(recorded, asked)}, asked ${shown(asked, recorded)}`)
    return
  }
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)])) {
    const inner = Array.isArray(recorded) ? `${place}[${key}]` : place === '' ? key : `${place}.${key}`
    compare(recorded[key], asked[key], inner, found)
  }
}

/** Long texts from a little before the place where they part. */
const shown = (value: unknown, other: unknown): string => {
  if (value === undefined) return 'nothing'
  if (typeof value !== 'string' || typeof other !== 'string' || value.length <= QUOTE) return cut(JSON.stringify(value))
  let same = 0
  while (same < value.length && value[same] === other[same]) same += 1
  const from = Math.max(0, same - 20)
  return `${from === 0 ? '' : '…'}${cut(JSON.stringify(value.slice(from)))}`
}

const cut = (text: string): string => (text.length <= QUOTE ? text : `${text.slice(0, QUOTE)}…`)
