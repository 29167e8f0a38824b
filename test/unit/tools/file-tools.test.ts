// read_file, write_file and list_files over real (memory) storage, through the pipeline.
import { expect, test } from 'vitest'
import { createAgentWithFiles, personWrites } from './agent-with-files.ts'
import { textOf } from './bare-call.ts'

test('C1 a file that was written can be read, with line numbers', async () => {
  const { call } = createAgentWithFiles()
  const written = await call('write_file', { path: 'notes/today.md', content: '# Today\n\nünï 😀\n' })
  expect(textOf(written)).toBe('Created /notes/today.md: 3 lines, 20 B.')
  expect(written.meta).toEqual({ path: '/notes/today.md', created: true, version: 1, lines: 3, bytes: 20 })
  const read = await call('read_file', { path: '/notes/today.md' })
  expect(textOf(read)).toBe('1\t# Today\n2\t\n3\tünï 😀')
  expect(read.meta).toEqual({ path: '/notes/today.md', version: 1, bytes: 20, lines: 3, from: 1, to: 3 })
})

test('C1 a range is read, and what is left out is said', async () => {
  const { call } = createAgentWithFiles()
  await call('write_file', { path: '/n.txt', content: Array.from({ length: 5_000 }, (_, n) => `line ${n + 1}`).join('\n') })
  expect(textOf(await call('read_file', { path: '/n.txt', from: 10, to: 11 }))).toBe('10\tline 10\n11\tline 11\n[lines 10 to 11 of 5000]')
  const first = await call('read_file', { path: '/n.txt' })
  expect(textOf(first)).toMatch(/^1\tline 1\n[\s\S]*\n2000\tline 2000\n\[lines 1 to 2000 of 5000\]$/)
  expect(textOf(await call('read_file', { path: '/n.txt', from: 4_999 }))).toBe(
    '4999\tline 4999\n5000\tline 5000\n[lines 4999 to 5000 of 5000]',
  )
  expect(textOf(await call('read_file', { path: '/n.txt', from: 6_000 }))).toBe('Error: /n.txt has only 5000 lines; "from" is 6000.')
  expect(textOf(await call('read_file', { path: '/n.txt', from: 5, to: 2 }))).toBe('Error: "to" (2) is before "from" (5).')
})

test('C12 a file of one huge line is cut, not sent whole', async () => {
  const { call } = createAgentWithFiles()
  await call('write_file', { path: '/one.txt', content: 'x'.repeat(1_000_000) })
  expect(textOf(await call('read_file', { path: '/one.txt' })).length).toBeLessThan(3_000)
})

test('C1 an empty file is told as such', async () => {
  const { call } = createAgentWithFiles()
  await call('write_file', { path: '/e', content: '' })
  expect(textOf(await call('read_file', { path: '/e' }))).toBe('/e is empty.')
})

test('C1 overwriting a file that was not read is refused with what to do', async () => {
  const { files, call } = createAgentWithFiles()
  await personWrites(files, '/list.md', 'milk')
  const refused = await call('write_file', { path: '/list.md', content: 'bread' })
  expect(refused.isError).toBe(true)
  expect(textOf(refused)).toBe('Error: /list.md exists and you have not read it. Nothing was written. Read it first, then write.')
  expect(textOf(await call('read_file', { path: '/list.md' }))).toBe('1\tmilk')
  expect(textOf(await call('write_file', { path: '/list.md', content: 'milk\nbread' }))).toBe('Updated /list.md: 2 lines, 10 B, version 2.')
})

test('C1 overwriting what the person changed meanwhile is refused', async () => {
  const { files, call } = createAgentWithFiles()
  await call('write_file', { path: '/list.md', content: 'milk' })
  await personWrites(files, '/list.md', 'milk and honey')
  expect(textOf(await call('write_file', { path: '/list.md', content: 'bread' }))).toContain('was changed since you read it')
  expect(textOf(await call('read_file', { path: '/list.md' }))).toBe('1\tmilk and honey')
  expect((await call('write_file', { path: '/list.md', content: 'bread' })).isError).toBe(false)
})

test('C1 a file that was removed and made anew counts as changed, though its version is the same', async () => {
  const { files, call } = createAgentWithFiles()
  await call('write_file', { path: '/a', content: 'mine' })
  await files.remove('session-1', '/a')
  await personWrites(files, '/a', 'theirs')
  expect(textOf(await call('write_file', { path: '/a', content: 'again' }))).toContain('was changed since you read it')
})

test('C1 the agent may change what it wrote itself', async () => {
  const { call } = createAgentWithFiles()
  await call('write_file', { path: '/a', content: 'one' })
  expect((await call('write_file', { path: '/a', content: 'two' })).meta).toMatchObject({ created: false, version: 2 })
})

test('C1 sessions do not see each other', async () => {
  const { callAs } = createAgentWithFiles()
  await callAs('one')('write_file', { path: '/a', content: 'secret' })
  expect(textOf(await callAs('two')('read_file', { path: '/a' }))).toBe('Error: There is no file /a. List the files to see what there is.')
  expect(textOf(await callAs('two')('list_files', {}))).toBe('/ is empty: no files yet.')
})

test('C1 relative paths start in the folder of the session', async () => {
  const { callAs } = createAgentWithFiles()
  const call = callAs('session-1', '/work')
  await call('write_file', { path: 'a.txt', content: 'x' })
  expect(textOf(await call('list_files', {}))).toBe('/work: 1 file, 1 B\n/work/a.txt  1 B')
})

test('C1 a listing shows every file below with its size', async () => {
  const { call } = createAgentWithFiles()
  for (const [path, content] of [
    ['/b.txt', 'x'.repeat(1_500)],
    ['/a/1.txt', 'x'],
    ['/a/b/2.txt', ''],
    ['/__proto__', 'plain'],
  ] as const) {
    await call('write_file', { path, content })
  }
  expect(textOf(await call('list_files', {}))).toBe('/: 4 files, 1.5 KB\n/__proto__  5 B\n/a/1.txt  1 B\n/a/b/2.txt  0 B\n/b.txt  1.5 KB')
  expect(textOf(await call('list_files', { folder: 'a/' }))).toBe('/a: 2 files, 1 B\n/a/1.txt  1 B\n/a/b/2.txt  0 B')
  expect(textOf(await call('list_files', { folder: '/b.txt' }))).toBe('Error: /b.txt is a file, not a folder. Read it instead.')
  expect(textOf(await call('list_files', { folder: '/nope' }))).toBe('Error: There is no folder /nope. List "/" to see what there is.')
})

test('C1 very many files are listed folder by folder', async () => {
  const { files, call } = createAgentWithFiles()
  for (let n = 0; n < 250; n += 1) await personWrites(files, `/many/${n}.txt`, 'x')
  await personWrites(files, '/top.txt', 'x')
  expect(textOf(await call('list_files', {}))).toBe('/: 251 files, 251 B\n/many/  250 files, 250 B\n/top.txt  1 B')
  expect(textOf(await call('list_files', { folder: '/many' }))).toContain('… and 50 more. List one of the folders.')
})

test.each([
  ['read_file', { path: '../x' }, 'has ".."'],
  ['write_file', { path: '/a\\b', content: '' }, 'has a backslash'],
  ['write_file', { path: '/', content: '' }, 'names a folder'],
  ['read_file', { path: '/missing.md' }, 'There is no file /missing.md'],
  ['read_file', { path: '/docs' }, '/docs is a folder'],
  ['read_file', { path: '/Guide.md' }, 'Did you mean /docs/guide.md?'],
  ['read_file', { path: '/docs/picture.png' }, 'is not text (5 bytes of binary data)'],
  ['write_file', { path: '/docs', content: '' }, '/docs is a folder. Choose another name'],
  ['write_file', { path: '/docs/guide.md/x', content: '' }, '/docs/guide.md is a file, so nothing can be inside it'],
  ['write_file', { path: '/half', content: 'a\ud83d' }, 'half of a character'],
  ['write_file', { path: '/huge', content: 'x'.repeat(6_000_000) }, 'larger than 5 MB'],
  ['write_file', { path: 5, content: '' }, 'path: expected string, got the number 5'],
  ['write_file', { path: '/a' }, 'content: required, but missing (string)'],
])('C12 %s of %j is answered with what is wrong', async (name, args, message) => {
  const { files, call } = createAgentWithFiles()
  await personWrites(files, '/docs/guide.md', 'text')
  await files.write('session-1', '/docs/picture.png', new Uint8Array([137, 80, 0, 1, 255]), { modifiedAt: 0 })
  const outcome = await call(name, args)
  expect(outcome.isError).toBe(true)
  expect(textOf(outcome)).toContain(message)
})

test('C12 the number of files has a limit', async () => {
  const { files, call } = createAgentWithFiles()
  for (let n = 0; n < 2_000; n += 1) await personWrites(files, `/${n}`, '')
  expect(textOf(await call('write_file', { path: '/one-more', content: '' }))).toContain('There are 2000 files already')
})

test('C1 a call without a session has no files', async () => {
  const { registry } = createAgentWithFiles()
  const outcome = await registry.execute({ callId: 'c', name: 'list_files', arguments: {}, signal: new AbortController().signal })
  expect(textOf(outcome)).toBe('Error: Files belong to a session; make this call as an agent.')
})

test('L53 reading and listing run in parallel, writing and running do not', () => {
  const { registry } = createAgentWithFiles()
  expect(registry.isConcurrencySafe('read_file', { path: '/a' })).toBe(true)
  expect(registry.isConcurrencySafe('list_files', {})).toBe(true)
  expect(registry.isConcurrencySafe('write_file', { path: '/a', content: '' })).toBe(false)
  expect(registry.isConcurrencySafe('run_js', { code: '1' })).toBe(false)
})

test('L22 a write whose turn was stopped writes nothing', async () => {
  const { files, call } = createAgentWithFiles()
  const outcome = await call('write_file', { path: '/a', content: 'x' }, AbortSignal.abort(new Error('stopped')))
  expect(outcome.isError).toBe(true)
  expect(await files.read('session-1', '/a')).toBeUndefined()
})
