// Judges `prompt-api-chunks` cases: what is made of the strings that the browser's built-in model streamed.
import type { Chunk } from '../../src/storage/log/model-call.ts'
import { promptApiReader } from '../../src/worker/llm/wire/prompt-api/read-chunks.ts'
import { pairCases } from './case-files.ts'
import { listOf, mismatch, unknownKeys } from './expectations.ts'
import { observe } from './observe-stream.ts'

export const judgePromptChunks = (raw: unknown, expectation: unknown): readonly string[] =>
  pairCases(raw, expectation).flatMap(({ n, input, expected }) => {
    const where = `case ${n}: `
    const chunks: Chunk[] = []
    const form = input.mode === 'cumulative' ? 'cumulative' : 'delta'
    const reader = promptApiReader({ newId: () => 'made-up' }, (chunk) => chunks.push(chunk), form)
    for (const chunk of listOf(input.chunks)) reader.push(String(chunk))
    reader.end()
    const seen = observe(chunks, [])
    const problems = [
      ...unknownKeys(expected, ['n', 'text', 'emptyTurn'], where),
      ...unknownKeys(input, ['n', 'chunks', 'mode'], `${where}input `),
    ]
    if (Object.hasOwn(expected, 'text') && expected.text !== seen.text) problems.push(mismatch(`${where}text`, expected.text, seen.text))
    if (Object.hasOwn(expected, 'emptyTurn') && !seen.emptyTurn.includes(expected.emptyTurn === true))
      problems.push(mismatch(`${where}emptyTurn`, expected.emptyTurn, seen.emptyTurn))
    return problems
  })
