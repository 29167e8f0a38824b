// Anything that a model server answers instead of a reply → a failure in facts and plain words. The knowledge is in failure-table.ts.
import type { ModelFailure } from '../../storage/log/model-call.ts'
import { FAILURE_TABLE, type FailureRow } from './failure-table.ts'
import { type HeaderReader, retryAfter } from './retry-after.ts'

export type FailureEvidence = {
  /** HTTP status; absent for an error inside a stream that names none. */
  readonly status?: number
  readonly headers?: HeaderReader
  /** The body: parsed JSON, or text of any kind. */
  readonly body: unknown
  /** Epoch milliseconds. Without it, dates in headers are not read. */
  readonly now?: number
}

const QUOTE_LENGTH = 400
const INNER_DEPTH = 6

/** Never throws, whatever the body is. */
export const classifyFailure = (evidence: FailureEvidence): ModelFailure => {
  const fields = fieldsOf(evidence.body)
  const status = evidence.status !== undefined && evidence.status >= 400 ? evidence.status : statusIn(fields)
  const said = messageIn(evidence.body, fields)
  const code = textField(fields, 'code') ?? textField(fields, 'type') ?? textField(fields, 'error_code')
  const wait = retryAfter(evidence.headers, fields, said, evidence.now)
  const kind = ['type', 'code', 'error_type', 'status', 'reason'].flatMap((name) => textField(fields, name) ?? []).join(' · ')
  const found = { status, wait, kind, all: `${said} · ${kind}`, nameless: `${withoutNames(said)} · ${kind}` }
  const row = FAILURE_TABLE.find((candidate) => holds(candidate, found)) ?? otherwise(evidence.status, status)
  const transient = row.transient && evidence.headers?.get('x-should-retry') !== 'false'
  const requestId = evidence.headers?.get('x-request-id') ?? evidence.headers?.get('request-id') ?? textField(fields, 'request_id')
  return {
    class: row.class,
    message: sentence(row.advice, said, status, transient ? wait : undefined),
    transient,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(wait === undefined || !transient ? {} : { retryAfterMs: wait }),
    ...(requestId === undefined || requestId === null ? {} : { requestId }),
  }
}

/**
 * Whether an event of a stream, or a whole body, tells of a failure instead of being a part of a reply: every server names it in its
 * own way. `name`: of the event, '' without one.
 */
export const tellsFailure = (fields: { readonly [key: string]: unknown }, name = ''): boolean => {
  const { type, error, errors, base_resp: base } = fields
  if (name === 'error' || type === 'error' || fields.object === 'error' || fields.success === false) return true
  // MiniMax puts it beside every chunk; 0 is well.
  const status = typeof base === 'object' && base !== null && 'status_code' in base ? base.status_code : 0
  if (isSaid(error) || isSaid(errors) || isSaid(status)) return true
  // Beside a part of a reply these words have other meanings.
  const isReply = Array.isArray(fields.choices) || String(type).startsWith('response.')
  return !isReply && (isSaid(fields.detail) || isSaid(fields.code) || isSaid(fields.error_code))
}

const isSaid = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : Boolean(value) && !/^(0|200|ok|success)$/i.test(String(value))

type Found = {
  readonly status: number | undefined
  readonly wait: number | undefined
  readonly kind: string
  readonly all: string
  readonly nameless: string
}

const holds = (row: FailureRow, { status, wait, kind, all, nameless }: Found): boolean => {
  const words = row.namesCount === true ? all : nameless
  return (
    (row.status === undefined || (status !== undefined && row.status.includes(status))) &&
    (row.kind === undefined || row.kind.test(kind)) &&
    (row.words === undefined || row.words.test(words)) &&
    (row.noWait !== true || wait === undefined) &&
    row.butNot?.test(words) !== true
  )
}

/** Names of tools and fields decide nothing. They have no blanks; what stands as a value, in quoted JSON or after `=`, is no name. */
const withoutNames = (said: string): string => said.replace(/(?<![\\=]|["']\s?:\s?)(['"`])[^\s'"`]{1,200}\1/g, '…')

const otherwise = (httpStatus: number | undefined, status: number | undefined): Pick<FailureRow, 'class' | 'transient' | 'advice'> => {
  if (status === undefined && httpStatus !== undefined) {
    return {
      class: 'protocol',
      transient: false,
      advice: 'The server answered with something that is not a reply of a model. Check the base URL of the provider.',
    }
  }
  if (status === undefined || status >= 500) {
    return { class: 'provider', transient: true, advice: 'The server reported an error in the middle of its answer. Try again.' }
  }
  return { class: 'provider', transient: false, advice: 'The server did not accept this request.' }
}

const sentence = (advice: string, said: string, status: number | undefined, wait: number | undefined): string => {
  const until =
    wait === undefined || wait === 0
      ? ''
      : ` The server asks to wait ${wait < 1000 ? `${Math.ceil(wait)} ms` : `${Math.ceil(wait / 1000)} s`}.`
  const number = status === undefined ? '' : ` (${status})`
  return said === ''
    ? `${advice}${until}${number === '' ? '' : ` The server gave no reason${number}.`}`
    : `${advice}${until} The server said${number}: ${said}`
}

/** Every named value of a body, outer before inner, names in lower case: bodies nest theirs in ever new places. */
const fieldsOf = (body: unknown): ReadonlyMap<string, unknown> => {
  const fields = new Map<string, unknown>()
  const keep = (name: string, value: unknown) => {
    const key = name === 'raw' ? 'message' : name
    const held = fields.get(key)
    if (held === undefined) fields.set(key, value)
    // "Provider returned error": the words of the server behind it say more.
    else if (key === 'message' && !String(held).includes(String(value))) fields.set(key, `${held} ${value}`)
  }
  let level: readonly unknown[] = [parsedIfJson(body)]
  for (let depth = 0; depth < INNER_DEPTH && level.length > 0; depth += 1) {
    const inner: unknown[] = []
    for (const value of level) {
      if (Array.isArray(value)) inner.push(...value.slice(0, 20))
      else if (typeof value === 'object' && value !== null) {
        for (const [name, held] of Object.entries(value).slice(0, 60)) {
          // A gateway quotes what the server behind it said as text.
          const read = parsedIfJson(held)
          if (typeof read === 'object' && read !== null) inner.push(read)
          // Anthropic's outer `type` says no more than that this is an error.
          else if (read !== null && read !== '' && read !== 'error') keep(name.toLowerCase(), read)
        }
      }
    }
    level = inner
  }
  return fields
}

const parsedIfJson = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value // text that only begins like JSON
  }
}

const textField = (fields: ReadonlyMap<string, unknown>, name: string): string | undefined => {
  const value = fields.get(name)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

const statusIn = (fields: ReadonlyMap<string, unknown>): number | undefined => {
  for (const name of ['code', 'status', 'status_code', 'http_code']) {
    const value = Number(fields.get(name))
    if (Number.isInteger(value) && value >= 400 && value < 600) return value
  }
  return undefined
}

/** Where bodies hold what the server said, by preference. */
const SAYING = 'message error detail msg error_msg error_message errormessage error_description status_msg faultstring title reason'.split(
  ' ',
)

const messageIn = (body: unknown, fields: ReadonlyMap<string, unknown>): string => {
  const found = SAYING.map((name) => fields.get(name)).find((held) => typeof held === 'string')
  if (typeof found === 'string') return quoted(found)
  return typeof body === 'string' ? quoted(plainText(body)) : ''
}

const plainText = (body: string): string => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]
  return title ?? body.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
}

const quoted = (words: string): string => {
  // Vendors quote the key, in part or whole, in what they say about it.
  const clean = words
    .replace(/\b(sk|pk|key|gsk|xai)-[\w*.-]{6,}/gi, '[key]')
    .replace(/\s+/g, ' ')
    .trim()
  return clean.length <= QUOTE_LENGTH ? clean : `${clean.slice(0, QUOTE_LENGTH)}…`
}
