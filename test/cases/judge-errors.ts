// Judges `error-bodies` cases: what an answer of a server means, and what may be done about it.
import type { Chunk, ModelFailure } from '../../src/storage/log/model-call.ts'
import { classifyFailure } from '../../src/worker/llm/failures.ts'
import { pairCases } from './case-files.ts'
import { type Fields, fieldsOf, listOf, mismatch, unknownKeys } from './expectations.ts'
import { observe } from './observe-stream.ts'
import { vendorOfProvider } from './vendors.ts'

const KNOWN = [
  'n',
  'class',
  'classOneOf',
  'retry',
  'waitMsAtLeast',
  'messageContains',
  'outcome',
  'text',
  'finishReason',
  'transient',
  'status',
]

export const judgeErrors = (raw: unknown, expectation: unknown): readonly string[] =>
  pairCases(raw, expectation).flatMap(({ n, input, expected }) => {
    const where = `case ${n}: `
    const status = typeof input.status === 'number' ? input.status : 200
    return [
      ...unknownKeys(expected, KNOWN, where),
      ...(status >= 400 ? judgeFailure(expected, failureOf(input, status), where) : judgeAnswer(expected, input, where)),
    ]
  })

const failureOf = (input: Fields, status: number): ModelFailure => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fieldsOf(input.headers))) headers.set(name, String(value))
  return classifyFailure({ status, headers, body: input.body, now: Date.now() })
}

/** A 200 that may be no stream: the reader of replies decides. */
const judgeAnswer = (expected: Fields, input: Fields, where: string): readonly string[] => {
  const chunks: Chunk[] = []
  const vendor = vendorOfProvider(String(input.provider ?? ''))
  const reader = vendor.reader({ newId: () => 'made-up' }, (chunk) => chunks.push(chunk))
  reader.push(new TextEncoder().encode(typeof input.body === 'string' ? input.body : JSON.stringify(input.body)))
  reader.end()
  const seen = observe(chunks, [])
  const problems: string[] = []
  if (Object.hasOwn(expected, 'outcome') && !seen.outcomes.includes(String(expected.outcome)))
    problems.push(mismatch(`${where}outcome`, expected.outcome, seen))
  if (Object.hasOwn(expected, 'text') && seen.text !== expected.text) problems.push(mismatch(`${where}text`, expected.text, seen.text))
  if (Object.hasOwn(expected, 'finishReason') && !seen.finishReasons.includes(String(expected.finishReason))) {
    problems.push(mismatch(`${where}finishReason`, expected.finishReason, seen.finishReasons))
  }
  return seen.failure === undefined ? problems : [...problems, ...judgeFailure(expected, seen.failure, where)]
}

const judgeFailure = (expected: Fields, failure: ModelFailure, where: string): readonly string[] => {
  const problems: string[] = []
  const judge = (key: string, fits: (wanted: unknown) => boolean, actual: unknown) => {
    if (Object.hasOwn(expected, key) && !fits(expected[key])) problems.push(mismatch(`${where}${key}`, expected[key], actual))
  }
  judge('class', (wanted) => wanted === failure.class, failure)
  judge('classOneOf', (wanted) => listOf(wanted).includes(failure.class), failure)
  judge('transient', (wanted) => wanted === failure.transient, failure)
  judge('status', (wanted) => wanted === failure.status, failure)
  judge('retry', (wanted) => retriesOf(failure).includes(String(wanted)) || String(wanted).includes(' '), retriesOf(failure))
  judge('waitMsAtLeast', (wanted) => (failure.retryAfterMs ?? 0) >= Number(wanted), failure.retryAfterMs)
  judge('messageContains', (wanted) => failure.message.includes(String(wanted)), failure.message)
  return problems
}

/** What the runtime does about a failure; a failure that is shown and one that is never repeated are the same thing here. */
const retriesOf = (failure: ModelFailure): readonly string[] => {
  if (failure.transient) return ['backoff']
  if (failure.class === 'context_overflow' || failure.class === 'request_too_large') return ['after-compaction-once']
  return failure.class === 'invalid_history' ? ['after-repair-once'] : ['never', 'surface']
}
