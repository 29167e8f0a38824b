// The README of the tools shows an example that works.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTools, textOf } from './bare-call.ts'
import { wordCount } from './word-count-example.ts'

test('the example in the README is this file, and runs', async () => {
  const readme = readFileSync(new URL('../../../src/worker/tools/README.md', import.meta.url), 'utf8')
  const example = readFileSync(new URL('./word-count-example.ts', import.meta.url), 'utf8')
  const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? 'no example'
  expect(example.endsWith(shown)).toBe(true)
  const { registry, call } = createTools()
  registry.register(wordCount())
  expect(textOf(await call('word_count', { text: 'three short words' }))).toBe('3 words')
})
