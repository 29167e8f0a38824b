// run_js as the model sees it: the real engine, the words of every ending (C3, C12).
import { expect, test } from 'vitest'
import type { Json } from '../../../src/storage/log/content.ts'
import { createAgentWithFiles, personWrites } from './agent-with-files.ts'
import { textOf } from './bare-call.ts'

test('C3 printed lines come first, then the value', async () => {
  const { call } = createAgentWithFiles()
  const outcome = await call('run_js', { code: 'console.log("adding"); console.warn("careful"); [1, 2].map((n) => n * 2)' })
  expect(outcome).toEqual({
    content: [{ type: 'text', text: 'adding\n[warn] careful\n=> [ 2, 4 ]' }],
    isError: false,
    meta: { ms: 1, ending: 'value', consoleLines: 2 },
  })
})

test('C3 code that only prints has no value line, code that does neither is told', async () => {
  const { call } = createAgentWithFiles()
  expect(textOf(await call('run_js', { code: 'console.log("x")' }))).toBe('x')
  expect(textOf(await call('run_js', { code: 'let a = 1' }))).toContain('nothing was printed')
})

test('C3 an error names its line, shows it, and keeps what was printed', async () => {
  const { call } = createAgentWithFiles()
  const outcome = await call('run_js', { code: 'console.log("start")\nconst numbers = [1, 2]\nnumbrs.length' })
  expect(outcome.isError).toBe(true)
  expect(textOf(outcome)).toBe("start\nReferenceError: 'numbrs' is not defined\nline 3: numbrs.length\n    at <eval> (main.js:3:1)")
  expect(outcome.meta).toEqual({
    ms: 1,
    ending: 'error',
    consoleLines: 1,
    error: { name: 'ReferenceError', message: "'numbrs' is not defined", line: 3 },
  })
})

test('C3 a script from a file runs under its own name, with the files that are named', async () => {
  const { files, call } = createAgentWithFiles()
  await personWrites(files, '/count.js', 'const words = readFile("/data/a.txt").split(" ")\nwords.length + Object.keys(files).length')
  await personWrites(files, '/data/a.txt', 'one two three')
  await personWrites(files, '/data/b.txt', 'four')
  expect(textOf(await call('run_js', { file: 'count.js', files: ['data'] }))).toBe('=> 5')
  const broken = await call('run_js', { file: '/count.js' })
  expect(textOf(broken)).toContain('There is no file "/data/a.txt" here. No files were passed in; name it in "files" of the call.')
  expect(textOf(broken)).toContain('(/count.js:1:')
})

test('C1 running a program over a file does not count as having read it', async () => {
  const { files, call } = createAgentWithFiles()
  await personWrites(files, '/a.txt', 'x')
  await call('run_js', { code: '1', files: ['/a.txt'] })
  expect(textOf(await call('write_file', { path: '/a.txt', content: 'y' }))).toContain('you have not read it')
})

test.each<[string, Json, string]>([
  ['an endless loop', { code: 'while (true) {}', timeoutMs: 100 }, 'stopped after 100 ms, still running'],
  ['too much memory', { code: '"x".repeat(2 ** 29)' }, 'out of memory'],
  ['a promise that never settles', { code: 'await new Promise(() => {})' }, 'nothing is left to settle'],
  ['recursion without end', { code: 'const f = () => f() + 1; f()' }, 'Hint: the recursion is too deep'],
  ['modules', { code: 'import fs from "fs"\nfs' }, 'Hint: there are no modules here'],
  ['require', { code: 'require("fs")' }, 'Hint: there are no modules here. Read passed files'],
  ['the network', { code: 'await fetch("https://example.com")' }, 'Hint: this is plain JavaScript; fetch does not exist here.'],
  ['neither code nor file', {}, 'Give either "code" or "file".'],
  ['both code and file', { code: '1', file: '/a.js' }, 'Give either "code" or "file".'],
  ['a file that is not there', { file: '/no.js' }, 'There is no file /no.js'],
  ['a time limit beyond reason', { code: '1', timeoutMs: 1e9 }, 'timeoutMs: expected at most 60000'],
  ['ten megabytes of code', { code: `/*${'x'.repeat(10_000_000)}*/` }, 'The code is longer than 500000 characters'],
])('C12 %s is answered with what to do', async (_what, args, message) => {
  const { call } = createAgentWithFiles()
  const outcome = await call('run_js', args)
  expect(outcome.isError).toBe(true)
  expect(textOf(outcome)).toContain(message)
})

test('C12 long output keeps its head and its tail', async () => {
  const { call } = createAgentWithFiles()
  const text = textOf(
    await call('run_js', { code: 'for (let i = 0; i < 900; i++) console.log("line " + i + " " + "x".repeat(100)); "end"' }),
  )
  expect(text.length).toBeLessThan(17_000)
  expect(text).toMatch(/^line 0 /)
  expect(text).toMatch(/characters left out …/)
  expect(text).toMatch(/line 899 x+\n=> "end"$/)
})

test('L50 console lines are shown while the code runs', async () => {
  const shown: Json[] = []
  const { call } = createAgentWithFiles({ onProgress: (_agent, _callId, data) => void shown.push(data) })
  await call('run_js', { code: 'console.log("one"); console.error("two")' })
  expect(shown).toEqual([{ console: { level: 'log', text: 'one' } }, { console: { level: 'error', text: 'two' } }])
})
