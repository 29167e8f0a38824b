// Judges a stream case: the whole body, byte by byte, at the listed cuts and at random cuts; all must give the same, and the right, chunks.
import type { Chunk, ToolSchema } from '../../src/storage/log/model-call.ts'
import { classifyFailure } from '../../src/worker/llm/failures.ts'
import type { ReaderContext } from '../../src/worker/llm/wire/reply-reader.ts'
import { textCalls } from '../../src/worker/llm/wire/text-calls/find-calls.ts'
import type { WireCase } from './case-files.ts'
import { contains, type Fields, fieldsOf, isFields, listOf, mismatch, same, unknownKeys } from './expectations.ts'
import { judgeReplay } from './judge-replay.ts'
import { type Observed, observe, type RefusedCall, type SeenCall } from './observe-stream.ts'
import type { Vendor } from './vendors/vendor.ts'

const SYNTH = 'made-up-'
const RANDOM_DELIVERIES = 20

export const judgeStream = (wireCase: WireCase, bytes: Uint8Array, vendor: Vendor): readonly string[] => {
  const { fields } = wireCase
  const http = fieldsOf(fields.http)
  const context = fieldsOf(fields.context)
  const deliveries = fieldsOf(fields.deliveries)
  const tools = listOf(fields.tools).map((tool) => ({ description: '', ...fieldsOf(tool) }) as ToolSchema)
  const problems = [
    ...unknownKeys(http, ['status', 'contentType'], 'http.'),
    ...unknownKeys(context, ['taggedThinking', 'textToolCalls', 'maxOutputTokens'], 'context.'),
    ...unknownKeys(deliveries, ['whole', 'everyByte', 'splitAt'], 'deliveries.'),
  ]
  const status = typeof http.status === 'number' ? http.status : 200
  if (status >= 400) return [...problems, ...judgeExpectation(fields.expect, refused(status, bytes), 'expect.')]

  const read = (pieces: readonly Uint8Array[]): readonly Chunk[] => {
    const chunks: Chunk[] = []
    let made = 0
    const readerContext: ReaderContext = {
      tools,
      newId: () => {
        made += 1
        return `${SYNTH}${made}`
      },
      ...(context.taggedThinking ? { taggedThinking: true } : {}),
      ...(context.textToolCalls ? { textCalls } : {}),
    }
    const reader = vendor.reader(readerContext, (chunk) => chunks.push(chunk))
    for (const piece of pieces) reader.push(piece)
    reader.end()
    return chunks
  }
  const whole = read([bytes])
  const observed = observe(whole, tools)
  problems.push(...shapeProblems(whole), ...judgeExpectation(fields.expect, observed, 'expect.'))
  problems.push(...judgeReplay(fieldsOf(fieldsOf(fields.expect).replay), vendor, observed, tools))
  for (const [name, cuts] of deliveriesOf(deliveries, bytes.length)) {
    const again = read(cutAt(bytes, cuts))
    if (JSON.stringify(again) !== JSON.stringify(whole)) problems.push(`the result differs when the bytes are cut: ${name}`)
  }
  return problems
}

const refused = (status: number, bytes: Uint8Array): Observed => {
  const text = new TextDecoder().decode(bytes)
  const failure = classifyFailure({ status, body: text })
  return observe([{ type: 'finish', reason: { kind: 'error', message: failure.message, failure } }], [])
}

/** Usage before finish, one finish, nothing after it. */
const shapeProblems = (chunks: readonly Chunk[]): readonly string[] => {
  const finishes = chunks.filter((chunk) => chunk.type === 'finish').length
  const problems = finishes === 1 ? [] : [`${finishes} finish chunks`]
  if (chunks.at(-1)?.type !== 'finish') problems.push('something comes after the finish')
  return problems
}

function* deliveriesOf(deliveries: Fields, length: number): Generator<readonly [string, readonly number[]]> {
  const all = Array.from({ length }, (_, index) => index)
  yield ['byte by byte', all]
  const listed = listOf(deliveries.splitAt).filter((at) => typeof at === 'number')
  if (listed.length > 0) yield [`at ${listed.join(', ')}`, listed]
  for (const at of listed) yield [`at ${at}`, [at]]
  yield ['every 7 bytes', all.filter((at) => at % 7 === 0)]
  // Random, but the same at every run: a failure can be seen again.
  let seed = 20_260_101
  for (let round = 1; round <= RANDOM_DELIVERIES; round += 1) {
    const cuts: number[] = []
    for (let at = 0; at < length; ) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      at += 1 + ((seed >>> 16) % (round * 4))
      cuts.push(at)
    }
    yield [`random cut ${round}`, cuts]
  }
}

const cutAt = (bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] => {
  const edges = [...new Set([0, ...cuts.filter((at) => at > 0 && at < bytes.length), bytes.length])].sort((left, right) => left - right)
  return edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge))
}

const KNOWN = [
  ...['outcome', 'text', 'reasoning', 'refusal', 'textOrRefusal', 'finishReason', 'finishReasonOneOf', 'rawFinishReason', 'finishInferred'],
  ...['toolCalls', 'invalidToolCalls', 'executeTools', 'emptyTurn', 'usage', 'error', 'replay', 'compare', 'retry', 'anyOf'],
]

const judgeExpectation = (expectation: unknown, seen: Observed, where: string): readonly string[] => {
  if (!isFields(expectation)) return [`${where.slice(0, -1)} is missing`]
  const problems = [...unknownKeys(expectation, KNOWN, where)]
  const compare = fieldsOf(expectation.compare)
  problems.push(...unknownKeys(compare, ['text', 'reasoning'], `${where}compare.`))
  const judge = (key: string, actual: unknown, fits: (expected: unknown) => boolean) => {
    if (Object.hasOwn(expectation, key) && !fits(expectation[key])) problems.push(mismatch(`${where}${key}`, expectation[key], actual))
  }
  const trimmed = (key: 'text' | 'reasoning', value: string) => (compare[key] === 'trim' ? value.trim() : value)
  judge('outcome', seen.outcomes, (expected) => seen.outcomes.includes(String(expected)))
  // A refusal that only the reason tells of is text all the same.
  const texts = [seen.text, ...(seen.finishReasons.includes('refusal') ? [seen.text + seen.refusal] : [])]
  judge('text', texts, (expected) =>
    texts.some((text) => typeof expected === 'string' && trimmed('text', expected) === trimmed('text', text)),
  )
  judge(
    'reasoning',
    seen.reasoning,
    (expected) => typeof expected === 'string' && trimmed('reasoning', expected) === trimmed('reasoning', seen.reasoning),
  )
  judge('refusal', seen.refusal, (expected) => expected === seen.refusal)
  judge('textOrRefusal', seen.text || seen.refusal, (expected) => expected === seen.text || expected === seen.refusal)
  judge('finishReason', seen.finishReasons, (expected) => seen.finishReasons.includes(String(expected)))
  judge('finishReasonOneOf', seen.finishReasons, (expected) => listOf(expected).some((one) => seen.finishReasons.includes(String(one))))
  judge('rawFinishReason', seen.rawFinishReason, (expected) => expected === (seen.rawFinishReason ?? null))
  judge('finishInferred', seen.finishInferred, (expected) => expected === seen.finishInferred)
  judge('executeTools', seen.executeTools, (expected) => expected === seen.executeTools)
  judge('emptyTurn', seen.emptyTurn, (expected) => seen.emptyTurn.includes(expected === true))
  if (Object.hasOwn(expectation, 'toolCalls')) problems.push(...judgeCalls(listOf(expectation.toolCalls), seen.calls, `${where}toolCalls`))
  if (Object.hasOwn(expectation, 'invalidToolCalls')) {
    problems.push(...judgeRefused(listOf(expectation.invalidToolCalls), seen.refusedCalls, `${where}invalidToolCalls`))
  }
  if (Object.hasOwn(expectation, 'usage')) problems.push(...judgeUsage(expectation.usage, seen, `${where}usage`))
  if (Object.hasOwn(expectation, 'error')) problems.push(...judgeError(fieldsOf(expectation.error), seen, `${where}error`))
  if (Object.hasOwn(expectation, 'anyOf')) {
    const tries = listOf(expectation.anyOf).map((one, index) => judgeExpectation(one, seen, `${where}anyOf[${index}].`))
    if (!tries.some((tried) => tried.length === 0)) problems.push(...tries.flat())
  }
  return problems
}

const idFits = (expected: unknown, call: SeenCall | RefusedCall): boolean => {
  if (expected === undefined) return true
  return expected === 'SYNTH-UNIQUE' ? call.id.startsWith(SYNTH) : expected === (call.vendorId ?? call.id)
}

const judgeCalls = (expected: readonly unknown[], calls: readonly SeenCall[], where: string): readonly string[] => {
  if (expected.length !== calls.length) return [mismatch(`${where}: number`, expected.length, calls)]
  const ids = new Set(calls.map((call) => call.id))
  const problems = ids.size === calls.length ? [] : [`${where}: ids are not unique`]
  expected.forEach((one, index) => {
    const wanted = fieldsOf(one)
    const call = calls[index]!
    problems.push(...unknownKeys(wanted, ['name', 'args', 'id'], `${where}[${index}].`))
    if (Object.hasOwn(wanted, 'name') && wanted.name !== call.name)
      problems.push(mismatch(`${where}[${index}].name`, wanted.name, call.name))
    if (Object.hasOwn(wanted, 'args') && !same(wanted.args, call.args))
      problems.push(mismatch(`${where}[${index}].args`, wanted.args, call.args))
    if (!idFits(wanted.id, call)) problems.push(mismatch(`${where}[${index}].id`, wanted.id, call.vendorId ?? call.id))
  })
  return problems
}

const judgeRefused = (expected: readonly unknown[], calls: readonly RefusedCall[], where: string): readonly string[] => {
  if (expected.length !== calls.length) return [mismatch(`${where}: number`, expected.length, calls)]
  return expected.flatMap((one, index) => {
    const wanted = fieldsOf(one)
    const call = calls[index]!
    const fits =
      (wanted.name === undefined || wanted.name === call.name) &&
      idFits(wanted.id, call) &&
      (wanted.reason === undefined || wanted.reason === call.reason)
    return [
      ...unknownKeys(wanted, ['name', 'id', 'reason'], `${where}[${index}].`),
      ...(fits ? [] : [mismatch(`${where}[${index}]`, wanted, call)]),
    ]
  })
}

const judgeUsage = (expected: unknown, { usage }: Observed, where: string): readonly string[] => {
  if (expected === null) return usage === undefined ? [] : [mismatch(where, null, usage)]
  const wanted = fieldsOf(expected)
  const counted = {
    input: usage && usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0),
    output: usage?.outputTokens,
    cachedInput: usage && (usage.cacheReadTokens ?? 0),
    reasoning: usage && (usage.reasoningTokens ?? 0),
  }
  const judged = Object.fromEntries(Object.entries(wanted).filter(([key]) => Object.hasOwn(counted, key)))
  return [
    ...unknownKeys(wanted, Object.keys(counted), `${where}.`),
    ...(contains(counted, judged) ? [] : [mismatch(where, judged, counted)]),
  ]
}

const judgeError = (wanted: Fields, { failure }: Observed, where: string): readonly string[] => {
  const problems = [...unknownKeys(wanted, ['class', 'transient', 'status', 'messageContains'], `${where}.`)]
  if (failure === undefined) return [...problems, `${where}: there is no failure`]
  for (const key of ['class', 'transient', 'status'] as const) {
    if (Object.hasOwn(wanted, key) && wanted[key] !== failure[key]) problems.push(mismatch(`${where}.${key}`, wanted[key], failure[key]))
  }
  const words = wanted.messageContains
  if (typeof words === 'string' && !failure.message.includes(words))
    problems.push(mismatch(`${where}.messageContains`, words, failure.message))
  return problems
}
