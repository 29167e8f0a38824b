// The project's own wire cases (W14), one test each; and that the runner notices what is wrong with a case or with a reader.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { linesOf, runCases } from './run-cases.ts'

// The parts of an expectation file that the tests below change.
type Loose = Record<string, unknown> & {
  http: object
  expect: Record<string, unknown> & { usage: object; toolCalls: [object]; cases: object[] }
}

const OWN = fileURLToPath(new URL('.', import.meta.url))
const results = await runCases(OWN)

describe('W14 the wire cases', () => {
  test.each(results.map((result) => [result.id, result.api, result] as const))('W14 %s (%s) is read as it must be', (_, __, result) => {
    expect(result.details).toEqual([])
    expect(result.verdict).toBe('passed')
  })

  test('W14 the last line is the count', () => {
    expect(linesOf(results).at(-1)).toBe(`${results.length} passed, 0 failed`)
  })
})

describe('W14 the runner', () => {
  const folders: string[] = []
  const altered = async (id: string, alter: (expected: Loose) => void, raw = `${id}.sse`) => {
    const folder = await mkdtemp(join(tmpdir(), 'cases-'))
    folders.push(folder)
    await cp(join(OWN, 'wire', raw), join(folder, raw))
    const expected = JSON.parse(await readFile(join(OWN, 'wire', `${id}.expected.json`), 'utf8'))
    alter(expected)
    await writeFile(join(folder, `${id}.expected.json`), JSON.stringify(expected))
    return (await runCases(folder)).map(({ verdict, details }) => [verdict, ...details])
  }
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  test.each([
    ['text', 'P-a05', 'Looking.'],
    ['executeTools', 'P-a05', false],
    ['toolCalls', 'P-a05', []],
    ['usage', 'P-a05', null],
    ['finishReason', 'P-a08', 'length'],
    ['finishInferred', 'P-a08', false],
    ['outcome', 'P-a09', 'ok'],
    ['error', 'P-a09', { class: 'auth' }],
    ['invalidToolCalls', 'P-a11a', []],
    ['reasoning', 'P-a12a', ''],
    ['refusal', 'P-a14', 'no'],
    ['rawFinishReason', 'P-a10', 'tool_calls'],
  ])('W14 a wrong %s is a failure', async (key, id, value) => {
    const [[verdict, ...details] = []] = await altered(id, (expected) => {
      expected.expect[key] = value
    })
    expect(verdict).toBe('failed')
    expect(details.join()).toContain(`expect.${key}`)
  })

  test('W14 a key that the runner does not know is a failure, at every level', async () => {
    const places: readonly ((expected: Loose) => void)[] = [
      (expected) => Object.assign(expected, { surprise: 1 }),
      (expected) => Object.assign(expected.expect, { surprise: 1 }),
      (expected) => Object.assign(expected.expect.toolCalls[0], { surprise: 1 }),
      (expected) => Object.assign(expected.expect.usage, { surprise: 1 }),
      (expected) => Object.assign(expected.http, { surprise: 1 }),
      (expected) => Object.assign(expected, { context: { surprise: 1 } }),
    ]
    for (const alter of places) expect((await altered('P-a05', alter))[0]?.join()).toContain('surprise')
  })

  test('W14 one good set of keys among anyOf is enough', async () => {
    const good = { finishReason: 'tool_calls' }
    const bad = { finishReason: 'stop' }
    const anyOf = (sets: readonly object[]) => altered('P-a05', (expected) => Object.assign(expected.expect, { anyOf: sets }))
    expect((await anyOf([bad, good]))[0]?.[0]).toBe('passed')
    expect((await anyOf([bad, bad]))[0]?.[0]).toBe('failed')
  })

  test('W14 a raw file that was changed or is missing, and an unknown api, are failures', async () => {
    expect((await altered('P-a05', (expected) => Object.assign(expected, { sha256: '0' })))[0]?.[0]).toBe('failed')
    expect((await altered('P-a05', (expected) => Object.assign(expected, { file: 'nowhere.sse' })))[0]?.[0]).toBe('failed')
    expect((await altered('P-a05', (expected) => Object.assign(expected, { api: 'telegraph' })))[0]?.[0]).toBe('failed')
  })

  test('W14 wrong expectations of the other kinds are failures', async () => {
    const wrong = (id: string, index: number, change: object) =>
      altered(id, (expected) => Object.assign(expected.expect.cases[index] ?? {}, change), `${id}.json`)
    expect((await wrong('P-c01', 0, { args: { path: 'b.txt' } }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-c01', 5, { invalid: 'not-json' }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-c02', 4, { path: 'other' }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-a16', 3, { class: 'context_overflow' }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-a16', 3, { waitMsAtLeast: 7001 }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-a16', 4, { retry: 'backoff' }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-x02', 0, { text: 'x' }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-x03', 1, { text: 'x' }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-x03', 1, { emptyTurn: true }))[0]?.[0]).toBe('failed')
    expect((await wrong('P-a15', 1, { headersExcludeNames: ['authorization'] }))[0]?.[0]).toBe('failed')
    expect(
      (await altered('P-b03', (expected) => Object.assign(expected.expect, { resultOrder: ['i-2', 'i-1'] }), 'P-b03.json'))[0]?.[0],
    ).toBe('failed')
  })
})
