// What the model reads of the built-in tools, word for word, and what it costs (C13).
import { expect, test } from 'vitest'
import { createAgentWithFiles } from './agent-with-files.ts'

// About what common tokenisers need for English and JSON.
const tokens = (text: string): number => Math.ceil(text.length / 4)

test('C13 the descriptions of the built-in tools are these', () => {
  const { registry } = createAgentWithFiles()
  expect(Object.fromEntries(registry.schemas().map(({ name, description }) => [name, description]))).toEqual({
    bash: 'Run a bash command over your files: pipes, redirections, here-documents, loops, and text tools such as grep, sed, awk, jq, sort, find and diff. No network, no other programs. Each call starts in your folder; variables and cd do not stay.',
    list_files: 'List the files in a folder and its folders, with sizes. Very many are shown folder by folder.',
    read_file: 'Read a text file. Lines come back as "number<TAB>text". Long files come in parts of 2000 lines: go on with "from".',
    run_js:
      'Run JavaScript: console output and the value of the last expression come back; top-level await works. No network, DOM, imports or writing of files. Files you name are in files["/path"] and readFile("/path").',
    write_file:
      'Write a text file with the whole new content; folders are made as needed. To change an existing file, read it first, then write all of it.',
  })
})

test('C13 the built-in tools cost at most 570 tokens together, the dearest 180', () => {
  const { registry } = createAgentWithFiles()
  const costs = registry.schemas().map((schema) => tokens(JSON.stringify(schema)))
  expect(Math.max(...costs)).toBeLessThanOrEqual(180)
  expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(570)
})

test('C13 the schemas of the built-in tools are stable', () => {
  const { registry } = createAgentWithFiles()
  expect(
    registry.schemas().map(({ name, parameters }) => [name, Object.keys(parameters.properties as object), parameters.required ?? []]),
  ).toEqual([
    ['bash', ['command', 'timeoutMs'], ['command']],
    ['list_files', ['folder'], []],
    ['read_file', ['path', 'from', 'to'], ['path']],
    ['run_js', ['code', 'file', 'files', 'timeoutMs'], []],
    ['write_file', ['path', 'content'], ['path', 'content']],
  ])
})
