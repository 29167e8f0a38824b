// The tool `bash` over the real interpreter: what comes back, which files it works on, and whom it does not overwrite (C2).
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolOutcome } from '../../../src/worker/hooks/tool.ts'
import { createAgentWithFiles, personWrites } from './agent-with-files.ts'
import { textOf } from './bare-call.ts'

const shell = () => {
  const made = createAgentWithFiles()
  const run = (command: string, more: { readonly timeoutMs?: number } = {}, signal?: AbortSignal): Promise<ToolOutcome> =>
    made.call('bash', { command, ...more }, signal)
  return { ...made, run, said: async (command: string): Promise<string> => textOf(await run(command)) }
}

describe('C2 what comes back', () => {
  test.each([
    ['pipes', 'printf "b\\na\\n" | sort | head -1', 'a'],
    ['redirections', 'echo x > f; cat < f; echo y >> f; wc -l < f', 'x\n2'],
    ['here-documents, their spaces kept', 'cat <<EOF\n  in $((1 + 1))\nEOF', '  in 2'],
    ['here-documents in quotes', "cat <<'EOF'\n$HOME `ls`\nEOF", '$HOME `ls`'],
    ['loops and variables', 'for i in 1 2; do x=$x$i; done; echo $x', '12'],
    ['functions and substitutions', 'f() { echo "<$1>"; }; echo $(f a) $(f "b c")', '<a> <b c>'],
    ['quoting', `printf '%s|' "a b" 'c"d' e\\ f`, 'a b|c"d|e f|'],
    ['several lines', 'if true\nthen\n  echo yes\nfi', 'yes'],
    ['a comment at the end', 'echo a # b', 'a'],
    ['a script of its own', 'printf "#!/bin/bash\\necho run" > s.sh; ./s.sh; bash s.sh', 'run\nrun'],
    ['pipes with names', 'diff <(echo a) <(echo a) && echo same', 'same'],
    ['text that is not English', 'echo "žluťoučký 猫" | tee g | wc -m; cat g', '12\nžluťoučký 猫'],
    ['nothing', 'true', '(no output)'],
  ])('C2 it knows %s', async (_what, command, expected) => {
    expect(await shell().said(command)).toBe(expected)
  })

  test('C2 the exit code decides success, never the text', async () => {
    const { run } = shell()
    expect(await run('echo "error: failed"')).toMatchObject({ isError: false, meta: { exitCode: 0 } })
    const failed = await run('echo done; grep x /nowhere; exit 3')
    expect(failed).toMatchObject({ isError: true, meta: { exitCode: 3 } })
    expect(textOf(failed)).toBe('done\n[stderr]\ngrep: /nowhere: No such file or directory\n[exit code 3]')
    expect(await run('false || true')).toMatchObject({ isError: false })
  })

  test('C2 a command that cannot be read says so and runs nothing', async () => {
    const { run, said } = shell()
    const outcome = await run('echo x > made; echo "open')
    expect(outcome).toMatchObject({ isError: true, meta: { exitCode: 2 } })
    expect(textOf(outcome)).toContain('unexpected EOF')
    expect(await said('ls')).toBe('(no output)')
  })

  test('C2 long output is cut in the middle, and says so', async () => {
    const text = await shell().said('seq 1 20000')
    expect(text.length).toBeLessThan(17_000)
    expect(text).toMatch(/^1\n2\n/)
    expect(text).toMatch(/\n… \d+ characters left out …\n/)
    expect(text).toMatch(/\n20000$/)
  })

  test('C2 what grows without end has an end', async () => {
    const outcome = await shell().run('echo kept; while true; do x=$x$x-; done')
    expect(outcome.isError).toBe(true)
    expect(textOf(outcome)).toMatch(/^kept\n/)
    expect(textOf(outcome)).not.toContain('executionLimits')
  })

  test('C2 at the end of its time a command is stopped, and what it printed and wrote stays', async () => {
    const { run, said } = shell()
    const outcome = await run('echo before; echo x > f; sleep 60; echo after', { timeoutMs: 150 })
    expect(outcome).toMatchObject({ isError: true, meta: { exitCode: 124, timedOut: true } })
    expect(textOf(outcome)).toMatch(/^before\n\[stopped after 150 ms, still running/)
    expect(await said('cat f')).toBe('x')
  })

  test('C2 a stop ends what runs', async () => {
    const { files, run } = shell()
    const stop = new AbortController()
    const { write } = files
    files.write = (...args) => {
      stop.abort(new Error('stopped by the person'))
      return write(...args)
    }
    const outcome = await run('echo x > begun; sleep 60', {}, stop.signal)
    expect(outcome).toMatchObject({ isError: true, error: { code: 'ABORTED' } })
    expect(textOf(outcome)).toBe('Error: stopped by the person')
  })

  test.each(['curl http://localhost', 'wget x', 'nc x 1', 'gzip f', 'python3 -c 1', 'node x'])(
    'C2 there is no network and no other program: %s',
    async (command) => {
      const outcome = await shell().run(command)
      expect(textOf(outcome)).toMatch(/^\[stderr\]\nbash: \S+: command not found\n\[exit code 127\]$/)
    },
  )

  test('C2 each call begins anew in the folder of the session', async () => {
    const { callAs } = createAgentWithFiles()
    const call = callAs('session-2', '/work')
    expect(textOf(await call('bash', { command: 'x=1; mkdir sub; cd sub; pwd; echo hi > f' }))).toBe('/work/sub')
    expect(textOf(await call('bash', { command: 'pwd; echo "[$x]"; ls; cat /work/sub/f' }))).toBe('/work\n[]\nsub\nhi')
  })
})

describe('C2 C1 the files are those of the other tools', () => {
  test('C2 what one writes the other reads', async () => {
    const { call, said } = shell()
    await call('write_file', { path: '/a/b.txt', content: 'one\ntwo\n' })
    expect(await said('find . -type f; grep -n two a/b.txt')).toBe('./a/b.txt\n2:two')
    await said('sed -i s/two/three/ a/b.txt; mv a c; cp c/b.txt d.txt')
    expect(textOf(await call('read_file', { path: '/c/b.txt' }))).toBe('1\tone\n2\tthree')
    expect(textOf(await call('list_files', {}))).toContain('/d.txt')
  })

  test('C2 folders that hold nothing stay while the session is open, and a folder outlives its last file', async () => {
    const { said } = shell()
    expect(await said('mkdir -p a/b c; echo x > c/f; rm c/f')).toBe('(no output)')
    expect(await said('find . -type d | sort; rmdir a/b; ls a; ls')).toBe('.\n./a\n./a/b\n./c\na\nc')
    expect(await said('rm -r a c; ls')).toBe('(no output)')
  })

  test('C2 bytes stay bytes', async () => {
    const { files, said } = shell()
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    await files.write('session-1', '/all', bytes, { modifiedAt: 1 })
    await said('cat all > copy; cp all second; cat all | base64 | base64 -d > third; mv copy moved')
    for (const path of ['/moved', '/second', '/third']) expect((await files.read('session-1', path))?.bytes, path).toEqual(bytes)
  })

  test('C2 no path leads out, and /dev is not among the files', async () => {
    const { files, said } = shell()
    await said('cd /; echo x > ../../../up; echo y > /dev/null; cat <(echo z) > /dev/stdout; mkdir -p /dev/d')
    expect((await files.list('session-1', '/')).map(({ path }) => path)).toEqual(['/up'])
    expect(await said('ls; ls -a / | grep dev')).toContain('up')
  })

  test('C2 a path that the files do not take is refused with its reason', async () => {
    const { run } = shell()
    const outcome = await run("echo x > 'a\\b'; true")
    expect(textOf(outcome)).toContain('Separate folders with "/"')
  })

  test('C2 S1 __proto__ is a name like any other', async () => {
    expect(await shell().said('mkdir __proto__; echo x > __proto__/constructor; cat __proto__/constructor; ls')).toBe('x\n__proto__')
  })
})

describe('C2 C1 nobody is overwritten blindly', () => {
  test('C2 what was not read is not overwritten, and the reason stands there', async () => {
    const { files, run, said } = shell()
    await personWrites(files, '/notes', 'mine')
    const outcome = await run('echo first; echo x > notes; echo never')
    expect(outcome).toMatchObject({ isError: true, meta: { exitCode: 1, refused: ['/notes'] } })
    expect(textOf(outcome)).toMatch(/^first\n/)
    expect(textOf(outcome)).toContain('[not changed: /notes: /notes exists and you have not read it.')
    expect(await said('cat notes')).toBe('mine')
    expect(await said('echo x > notes; cat notes')).toBe('x')
  })

  test('C2 what was seen whole may be overwritten by the other tools too, what only passed through may not', async () => {
    const { files, call, said } = shell()
    await personWrites(files, '/a', 'one\ntwo\n')
    await said('grep -c o a')
    expect(textOf(await call('write_file', { path: '/a', content: 'x' }))).toContain('you have not read it')
    await said('cat a')
    expect(textOf(await call('write_file', { path: '/a', content: 'x' }))).toContain('Updated /a')
  })

  test('C2 a command may change what it has read itself: that keeps what the person wrote', async () => {
    const { files, said } = shell()
    await personWrites(files, '/a', 'one\n')
    expect(await said('sed -i s/one/1/ a; echo two >> a; sort -o a a; cat a')).toBe('1\ntwo')
  })

  test('C2 what a command made of a file that the agent does not know, it does not know either', async () => {
    const { files, call, said } = shell()
    await personWrites(files, '/a', 'one\n')
    await said('sed -i s/one/two/ a')
    expect(textOf(await call('write_file', { path: '/a', content: 'x' }))).toContain('you have not read it')
    await said('echo new > b; sed -i s/new/newer/ b')
    expect(textOf(await call('write_file', { path: '/b', content: 'x' }))).toContain('Updated /b')
  })

  test('C2 a change by the person stops what the agent knew before', async () => {
    const { files, call, said } = shell()
    await call('write_file', { path: '/a', content: 'agent' })
    await personWrites(files, '/a', 'person')
    for (const command of ['echo x > a', 'rm a', 'mv a b', 'rm -rf /'])
      expect(await said(command), command).toContain('changed since you read it')
    expect(await said('cat a')).toBe('person')
  })
})

test('C2 C12 whatever the command is, there is a result', async () => {
  const { run } = shell()
  const word = fc.constantFrom(
    'echo',
    'cat',
    '|',
    '>',
    '>>',
    '<',
    '&&',
    '||',
    ';',
    '$(',
    ')',
    '{',
    '}',
    '"',
    "'",
    '`',
    'a',
    '/',
    '..',
    '\\',
    '\n',
    '#',
    '!',
    '*',
    '$x',
    '<<EOF',
    'for',
    'do',
    'done',
    'if',
    'fi',
    '((',
    '\u0000',
    '🙂',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (words) => {
      const outcome = await run(words.join(' '), { timeoutMs: 500 })
      expect(outcome.isError).toBe((outcome.meta as { readonly exitCode: number }).exitCode !== 0)
    }),
    { numRuns: 100 },
  )
}, 60_000)
