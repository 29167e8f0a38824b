// The inner shapes of events, for logs that come from a file: whatever a program that shows or runs a log relies on.
import type { EventType, SessionEvent, SessionEventData } from './events.ts'

type Check = (value: unknown) => boolean
type Fields = { readonly [field: string]: Check }

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isBlob: Check = (value) => typeof value === 'string' && /^sha256-[0-9a-f]{64}$/.test(value)

const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const having =
  (fields: Fields): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const given = value as Readonly<Record<string, unknown>>
    return Object.keys(fields).every((field) => fields[field]?.(Object.hasOwn(given, field) ? given[field] : undefined) === true)
  }
const byType =
  (kinds: { readonly [type: string]: Check }): Check =>
  (value) => {
    const type = (value as { readonly type?: unknown } | null)?.type
    return typeof type === 'string' && Object.hasOwn(kinds, type) && kinds[type]?.(value) === true
  }

const isContent: Check = (value) => listOf(isBlock)(value)
const isBlock: Check = byType({
  text: having({ text: isText }),
  reasoning: having({ text: isText }),
  image: having({ blob: isBlob, mediaType: isText, name: orAbsent(isText) }),
  'tool-call': having({ id: isText, name: isText, arguments: isText, vendorId: orAbsent(isText) }),
  'tool-result': having({ toolCallId: isText, content: isContent }),
})

const source = having({ kind: isText })
const kinded = having({ kind: isText })
const usage = having({
  inputTokens: isNumber,
  outputTokens: isNumber,
  cacheReadTokens: orAbsent(isNumber),
  cacheWriteTokens: orAbsent(isNumber),
  reasoningTokens: orAbsent(isNumber),
  cost: orAbsent(isNumber),
})
const failure = having({ class: isText, message: isText })
const answers = listOf(having({ id: isText, chosen: listOf(isText), text: orAbsent(isText) }))
const options = orAbsent(listOf(having({ label: isText, detail: orAbsent(isText) })))

/** Only what `event-shape.ts` leaves open: the insides of objects and lists, and words from a closed set. */
const INSIDE: { readonly [T in EventType]?: { readonly [F in keyof SessionEventData[T]]?: Check } } = {
  'turn/start': { trigger: having({ kind: oneOf('message', 'injection', 'continue'), source }) },
  'turn/end': { reason: kinded },
  'user/message': { content: isContent, source },
  'prompt/blocked': { content: isContent, source },
  'context/message': { content: isContent, source, envelope: orAbsent(oneOf('context', 'raw')) },
  'steering/message': { content: isContent, source },
  'request/header': {
    header: having({
      config: having({ provider: isText, model: isText }),
      system: orAbsent(isText),
      tools: orAbsent(listOf(having({ name: isText, description: isText }))),
      messagePrefix: orAbsent(listOf(having({ role: oneOf('user', 'assistant'), content: isContent }))),
    }),
  },
  'assistant/chunk': {
    chunk: (value) =>
      byType({
        'block-start': () => true,
        'text-delta': () => true,
        'reasoning-delta': () => true,
        'tool-call-delta': () => true,
        'block-end': having({ block: isBlock }),
        usage: having({ usage }),
        finish: having({ reason: kinded }),
      })(value),
  },
  'assistant/message': {
    content: isContent,
    provenance: having({ provider: isText, model: isText }),
    usage: orAbsent(usage),
    interrupted: orAbsent(oneOf(true)),
  },
  'tool/result': { content: isContent, error: orAbsent(having({ name: isText, code: isText })) },
  'model/retry': { failure },
  'question/asked': { questions: listOf(having({ id: isText, text: isText, options })) },
  'question/answered': { answers: (value) => value === null || answers(value) },
  'approval/asked': { action: having({ tool: isText, summary: isText }) },
  'approval/decided': { decision: having({ kind: oneOf('allow', 'deny'), reach: oneOf('once', 'session', 'always') }) },
  'todo/write': { todos: listOf(having({ content: isText, status: oneOf('pending', 'in_progress', 'completed') })) },
  'task/started': { prompt: isContent },
  'task/ended': { result: having({ exitReason: isText, summary: isText, totalUsage: usage }) },
  'compaction/start': { trigger: oneOf('pressure', 'overflow', 'manual') },
  'compaction/end': { outcome: oneOf('done', 'unchanged', 'failed', 'aborted'), usage: orAbsent(usage) },
  'artifact/saved': { blob: isBlob },
  'files/snapshot': { tree: isBlob, changed: listOf(isText) },
  'session/title': { by: oneOf('user', 'plugin') },
}

/** The name of the first field whose inside is not of its kind; undefined when all is well. The outer shape was checked before. */
export const misfitInside = ({ type, data }: SessionEvent): string | undefined => {
  const fields: Fields = INSIDE[type] ?? {}
  const given = data as Readonly<Record<string, unknown>>
  return Object.keys(fields).find((field) => fields[field]?.(given[field]) !== true)
}
