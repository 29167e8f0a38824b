// When a server says that it may be asked again: in headers of several forms, or as a hint in the body.

export type HeaderReader = { get(name: string): string | null }

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `retry-after-ms`, `retry-after` (seconds or a date), reset headers, the body's own field, words in the message. Milliseconds. Dates need `now`. */
export const retryAfter = (
  headers: HeaderReader | undefined,
  fields: ReadonlyMap<string, unknown>,
  message: string,
  now: number | undefined,
): number | undefined => {
  const header = (name: string): string => headers?.get(name)?.trim() ?? String(fields.get(name) ?? '')
  const fromRetryAfter = secondsOrDate(header('retry-after'), now)
  const milliseconds = plainNumber(header('retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds
  if (fromRetryAfter !== undefined) return fromRetryAfter
  // google.rpc.RetryInfo: "retryDelay": "34s". Others: "retry_after": 12 (seconds).
  const inBody = duration(String(fields.get('retrydelay') ?? '')) ?? secondsOrDate(String(fields.get('retry_after') ?? ''), now)
  if (inBody !== undefined) return inBody
  // "Please try again in 1m30.5s", "retry after 20 seconds", "in 350ms"
  const words =
    /(?:try again|retry|wait)\b[^.\d]{0,30}?\b(?:in|after|for)?\s*((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-z])\s*)+)/i
  const hinted = duration(words.exec(message)?.[1] ?? '')
  if (hinted !== undefined) return hinted
  // Anthropic names the moment for each of its limits; the one that is used up is the one to wait for.
  for (const limit of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
    const reset = Date.parse(header(`anthropic-ratelimit-${limit}-reset`))
    if (header(`anthropic-ratelimit-${limit}-remaining`) === '0' && now !== undefined && !Number.isNaN(reset))
      return Math.max(0, reset - now)
  }
  for (const name of ['x-ratelimit-reset-requests', 'x-ratelimit-reset-tokens', 'ratelimit-reset', 'x-ratelimit-reset']) {
    const reset = duration(header(name)) ?? moment(header(name), now)
    if (reset !== undefined) return reset
  }
  return undefined
}

const plainNumber = (text: string): number | undefined => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)

const secondsOrDate = (text: string, now: number | undefined): number | undefined => {
  const seconds = plainNumber(text)
  if (seconds !== undefined) return seconds * 1000
  // Not every engine refuses words with a number in them as a date; an HTTP date has a day and a time.
  const at = /\d{1,2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) || now === undefined ? undefined : Math.max(0, at - now)
}

/** "6m0s", "1.5s", "20 seconds", "350ms". */
const duration = (text: string): number | undefined => {
  let total: number | undefined
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[smhd])[a-z]*/gi)) {
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
