// When a server says that it may be asked again: in headers of several forms, or as a hint in the body.

export type HeaderReader = { get(name: string): string | null }

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  秒: 1000,
  分: 60_000,
  小时: 3_600_000,
}

const AMOUNT = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-z])`
/** "Please try again in 1m30.5s", "retry after 20 seconds", "resets in 350ms", "30 秒后重试". */
const WORDS = new RegExp(
  String.raw`(?:again|retry|wait|resets?)\b[^.\d]{0,30}?\b(?:in|after|for)?\s*((?:${AMOUNT}\s*(?:and\s+)?)+)|(\d+\s*(?:秒|分|小时))钟?[之以]?后`,
  'i',
)

/** `retry-after-ms`, `retry-after` (seconds or a date), reset headers, the body's own field, words in the message. Milliseconds. Dates need `now`. */
export const retryAfter = (
  headers: HeaderReader | undefined,
  fields: ReadonlyMap<string, unknown>,
  message: string,
  now: number | undefined,
): number | undefined => {
  // Bodies spell the names of headers in every way: `retry_after_ms`, `retryAfter`.
  const inBody = new Map([...fields].map(([name, value]) => [name.replace(/[-_]/g, ''), value]))
  const header = (name: string): string => headers?.get(name)?.trim() ?? String(inBody.get(name.replace(/-/g, '')) ?? '')
  const milliseconds = plainNumber(header('retry-after-ms')) ?? plainNumber(header('x-ms-retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds
  // Hugging Face estimates when a model is loaded; ChatGPT's plans say when a limit is reset.
  for (const name of ['retry-after', 'retry-after-seconds', 'resets-in-seconds', 'estimated-time', 'x-ratelimit-reset-after']) {
    const given = secondsOrDate(header(name), now) ?? (/^[\d.]+m?[smh]$/.test(header(name)) ? duration(header(name)) : undefined)
    if (given !== undefined) return given
  }
  // google.rpc.RetryInfo: "retryDelay": "34s".
  const hinted = duration(header('retry-delay')) ?? duration(WORDS.exec(message)?.find((words, at) => at > 0 && words) ?? '')
  if (hinted !== undefined) return hinted
  const until = (name: string) => duration(header(name)) ?? moment(header(name), now) ?? date(header(name), now)
  // A limit that is used up is the one to wait for.
  for (const limit of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
    for (const [left, reset] of [
      [`anthropic-ratelimit-${limit}-remaining`, `anthropic-ratelimit-${limit}-reset`],
      [`x-ratelimit-remaining-${limit}`, `x-ratelimit-reset-${limit}`],
    ] as const) {
      const given = header(left) === '0' ? until(reset) : undefined
      if (given !== undefined) return given
    }
  }
  for (const name of ['x-ratelimit-reset-requests', 'x-ratelimit-reset-tokens', 'ratelimit-reset', 'x-ratelimit-reset']) {
    const given = until(name)
    if (given !== undefined) return given
  }
  return undefined
}

const plainNumber = (text: string): number | undefined => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)

const secondsOrDate = (text: string, now: number | undefined): number | undefined => {
  const seconds = plainNumber(text)
  return seconds === undefined ? date(text, now) : seconds * 1000
}

const date = (text: string, now: number | undefined): number | undefined => {
  // Not every engine refuses words with a number in them as a date; an HTTP date has a day and a time.
  const at = /\d{1,2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) || now === undefined ? undefined : Math.max(0, at - now)
}

/** "6m0s", "1.5s", "20 seconds", "350ms". */
const duration = (text: string): number | undefined => {
  let total: number | undefined
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[smhd秒分]|小时)[a-z]*/gi)) {
    const key = unit!.toLowerCase() === 'milli' ? 'ms' : unit!.toLowerCase()
    total = (total ?? 0) + Number(amount) * (UNITS[key] ?? 0)
  }
  return total
}

/** A reset given as seconds from now, as epoch seconds or as epoch milliseconds: told apart by its size. */
const moment = (text: string, now: number | undefined): number | undefined => {
  const value = plainNumber(text)
  if (value === undefined) return undefined
  if (value < 1e8) return value * 1000
  if (now === undefined) return undefined
  return Math.max(0, (value > 1e11 ? value : value * 1000) - now)
}
