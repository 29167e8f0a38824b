// Judges `tool-args` cases: what the raw text of a model is read as.
import type { JsonSchema } from '../../src/storage/log/content.ts'
import { type ArgumentsReading, readArguments } from '../../src/worker/llm/tool-arguments.ts'
import { pairCases } from './case-files.ts'
import { type Fields, fieldsOf, isFields, listOf, mismatch, same, unknownKeys } from './expectations.ts'

export const judgeArguments = (raw: unknown, expectation: unknown): readonly string[] =>
  pairCases(raw, expectation).flatMap(({ n, input, expected }) => {
    const where = `case ${n}: `
    if (typeof input.raw !== 'string') return [`${where}has no raw text`]
    const reading = readArguments(input.raw, isFields(input.schema) ? (input.schema as JsonSchema) : undefined)
    return judge(expected, reading, where)
  })

const KNOWN = ['n', 'args', 'repaired', 'invalid', 'path', 'exactInteger', 'anyOf', 'invalidOr']

const judge = (expected: Fields, reading: ArgumentsReading, where: string): readonly string[] => {
  const problems = [...unknownKeys(expected, KNOWN, where)]
  const value = reading.ok ? reading.value : undefined
  const reasons = reading.ok ? [] : reading.reason === 'concatenated' ? ['concatenated', 'not-json'] : [reading.reason]
  const path = reading.ok ? undefined : reading.path
  if (Object.hasOwn(expected, 'args') && !same(expected.args, value)) problems.push(mismatch(`${where}args`, expected.args, reading))
  if (Object.hasOwn(expected, 'repaired') && !(reading.ok && reading.repaired === expected.repaired)) {
    problems.push(mismatch(`${where}repaired`, expected.repaired, reading))
  }
  if (Object.hasOwn(expected, 'invalid') && !reasons.includes(String(expected.invalid))) {
    problems.push(mismatch(`${where}invalid`, expected.invalid, reading))
  }
  if (Object.hasOwn(expected, 'path') && expected.path !== path) problems.push(mismatch(`${where}path`, expected.path, path))
  if (Object.hasOwn(expected, 'exactInteger')) {
    const kept = new Set([...leaves(value)].map(String))
    const wanted = [...leaves(expected.exactInteger)].map(String).filter((digits) => /^-?\d+$/.test(digits))
    if (!wanted.every((digits) => kept.has(digits))) problems.push(mismatch(`${where}exactInteger`, expected.exactInteger, reading))
  }
  if (Object.hasOwn(expected, 'anyOf')) {
    const tries = listOf(expected.anyOf).map((one) => judge(fieldsOf(one), reading, where))
    if (!tries.some((tried) => tried.length === 0)) problems.push(...tries.flat())
  }
  if (Object.hasOwn(expected, 'invalidOr') && reading.ok) {
    const allowed = fieldsOf(expected.invalidOr)
    problems.push(...unknownKeys(allowed, ['argsAnyOf'], `${where}invalidOr.`))
    if (!listOf(allowed.argsAnyOf).some((one) => same(one, value))) problems.push(mismatch(`${where}invalidOr`, allowed.argsAnyOf, value))
  }
  return problems
}

function* leaves(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) yield value
  else for (const held of Object.values(value)) yield* leaves(held)
}
