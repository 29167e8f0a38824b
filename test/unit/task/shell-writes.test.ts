// T33 with the real shell: a command may run in every run, and each single write in it is judged where it happens.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { text } from '../../kit/replies.ts'
import { COMPLETE, sh } from './kit.ts'
import { shellSetup } from './real-shell.ts'

const BEFORE = { '/a.txt': 'one\ntwo\n', '/notes/b.md': '# b\n', '/notes/deep/c.md': 'c\n' }

const withFiles = async (...replies: Parameters<typeof shellSetup>[0]) => {
  const made = shellSetup(replies)
  for (const [path, content] of Object.entries(BEFORE)) await made.put(path, content)
  return { ...made, before: await made.snapshot() }
}

/** Every way to write that the shell knows. Each would change something if it were let. */
const WRITES: readonly (readonly [what: string, command: string])[] = [
  ['a redirection', 'echo x > new'],
  ['a redirection that appends', 'echo x >> a.txt'],
  ['a redirection over noclobber', 'set -o noclobber; echo x >| a.txt'],
  ['a redirection of errors', 'cat nowhere 2> new'],
  ['a redirection of both', 'ls &> new'],
  ['a redirection of both that appends', 'ls &>> a.txt'],
  ['a redirection without a command', '> a.txt'],
  ['a descriptor', 'exec 3> new; echo x >&3'],
  ['a descriptor to read and write', 'exec 3<> new; echo x >&3'],
  ['a descriptor with a name', 'exec {fd}> new; echo x >&$fd'],
  ['a here-document', 'cat > new <<EOF\nx\nEOF'],
  ['the first part of a pipe', '{ echo x > new; echo y; } | cat'],
  ['the middle of a pipe', 'cat a.txt | tee new | wc -l'],
  ['the end of a pipe', 'cat a.txt | sort > new'],
  ['tee that appends', 'echo x | tee -a a.txt'],
  ['sed -i', 'sed -i s/one/1/ a.txt'],
  ['the w of sed', `sed -n '1w new' a.txt`],
  ['awk that prints into a file', `awk '{ print > "new" }' a.txt`],
  ['sort -o', 'sort -r -o a.txt a.txt'],
  ['split', 'split -l 1 a.txt part'],
  ['mv', 'mv a.txt b.txt'],
  ['mv of a folder', 'mv notes other'],
  ['cp', 'cp a.txt b.txt'],
  ['cp of a folder', 'cp -r notes other'],
  ['rm', 'rm a.txt'],
  ['rm that says nothing', 'rm -f a.txt'],
  ['rm of everything', 'rm -rf /'],
  ['rmdir', 'mkdir x; touch x/y; rm x/y; rmdir x; touch x'],
  ['mkdir', 'mkdir new && touch new/f'],
  ['mkdir -p', 'mkdir -p new/deep && touch new/deep/f'],
  ['touch', 'touch new'],
  ['touch of what is there', 'touch a.txt'],
  ['find that deletes', 'find . -name a.txt -delete'],
  ['find that runs', 'find . -name "*.md" -exec rm {} \\;'],
  ['xargs', 'ls *.txt | xargs rm'],
  ['a substitution', 'echo $(echo x > new)'],
  ['a substitution in a word', 'cat "a$(rm a.txt).txt"'],
  ['a pipe with a name', 'cat a.txt | tee >(cat > new)'],
  ['a subshell', '(cd notes && rm b.md)'],
  ['a loop', 'for f in *.txt; do echo x > $f; done'],
  ['a loop that is redirected', 'while read l; do echo $l; done < a.txt > new'],
  ['a condition', 'if echo x > new; then echo yes; fi'],
  ['a function', 'w() { echo x > "$1"; }; w new'],
  ['eval', 'eval "echo x > new"'],
  ['another shell', 'bash -c "echo x > new"'],
  ['a script from here', `sh <<'EOF'\necho x > new\nEOF`],
  ['a path that climbs', 'cd notes; echo x > ../a.txt'],
  ['a variable', 'f=a.txt; echo x > "$f"'],
]

describe('T33 a kind that only reads', () => {
  test.each(WRITES)('T33 writes nothing by %s, and is told so', async (_what, command) => {
    const { run, snapshot, before, answers } = await withFiles(sh(command), text('report'))
    expect(await run('look', { kind: 'explore' })).toMatchObject({ success: true, exitReason: 'agent_type_exit' })
    expect(await snapshot()).toEqual(before)
    expect(answers()[0]?.text).toMatch(/a run of the kind "explore" only reads\. Put what should be changed/)
  })

  test.each(WRITES)('T33 where it may, the same %s does write', async (_what, command) => {
    const { run, snapshot, before } = await withFiles(sh(`cat a.txt notes/*.md > /dev/null; ${command}`), sh(COMPLETE))
    await run('do it', { kind: 'task' })
    expect(await snapshot()).not.toEqual(before)
  })

  test.each([
    ['ls -la notes; find . -type f | xargs wc -l', '4 total'],
    ['grep -rn one . 2> /dev/null', 'a.txt:1:one'],
    ['cat a.txt | tee /dev/null | sed s/one/1/ | sort -r | head -1', 'two'],
    ['diff <(sort a.txt) <(sort -r a.txt) > /dev/null; echo $?', '1'],
    ['x=$(wc -l < a.txt); echo $((x + 1))', '3'],
    [`awk '{ print toupper($0) }' a.txt`, 'ONE'],
  ])('T33 it reads with %s', async (command, expected) => {
    const { run, answers } = await withFiles(sh(command), text('report'))
    await run('look', { kind: 'plan' })
    expect(answers()[0]).toMatchObject({ isError: false })
    expect(answers()[0]?.text).toContain(expected)
    expect(answers()[0]?.text).not.toContain('not changed')
  })

  test('T33 what comes before a refused write is shown, and its reason', async () => {
    const { run, answers } = await withFiles(sh('wc -l < a.txt; echo x > new; echo never'), text('report'))
    await run('look', { kind: 'explore' })
    expect(answers()[0]).toMatchObject({ isError: true, meta: { exitCode: 1, refused: ['/new'] } })
    expect(answers()[0]?.text).toMatch(/^2\n/)
    expect(answers()[0]?.text).toContain('[not changed: /new: a run of the kind "explore" only reads.')
    expect(answers()[0]?.text).not.toContain('never')
  })

  test('T33 links are made by nobody', async () => {
    const { run, snapshot, before, answers } = await withFiles(sh('ln -s a.txt new'), sh('ln a.txt new'), sh(COMPLETE))
    await run('do it')
    expect(answers().map(({ isError }) => isError)).toEqual([true, true, false])
    expect(await snapshot()).toEqual(before)
  })

  test('T33 in the next run the same agent writes', async () => {
    const { run, model, snapshot } = await withFiles(sh('echo x > new'), text('report'))
    await run('look', { kind: 'explore' })
    model.add(sh('echo x > new; echo'), sh(COMPLETE))
    await run('do it')
    expect((await snapshot())['/new']).toContain('x')
  })

  test('T33 whatever the pipeline is, no byte of the files changes', async () => {
    const target = fc.constantFrom('new', 'a.txt', 'notes/b.md', '/notes', '../a.txt', '"$x"', '$(echo new)', '/dev/null')
    const part = fc.oneof(
      fc.constantFrom(...WRITES.map(([, command]) => command)),
      fc.constantFrom('cat a.txt', 'sort', 'ls -R', 'x=a.txt', 'cd notes', 'true', 'false', 'set -e', 'exec 2>&1', 'wc -l'),
      fc
        .tuple(fc.constantFrom('echo x', 'cat a.txt', 'sort', ':'), fc.constantFrom('>', '>>', '>|', '&>', '2>', '<>'), target)
        .map((words) => words.join(' ')),
      fc
        .tuple(
          fc.constantFrom('tee', 'tee -a', 'rm -rf', 'touch', 'mkdir -p', 'sed -i s/o/0/', 'cp a.txt', 'mv a.txt', 'truncate -s 0'),
          target,
        )
        .map((words) => words.join(' ')),
    )
    const joined = fc.tuple(part, fc.array(fc.tuple(fc.constantFrom(' | ', ' && ', ' || ', '; ', '\n', ' & '), part), { maxLength: 3 }))
    const shaped = fc
      .tuple(
        joined,
        fc.constantFrom(
          '@',
          '(@)',
          '{ @\n}',
          'echo $(@\n)',
          'if true; then @\nfi',
          'for i in 1 2; do @\ndone',
          'f() { @\n}; f',
          '! { @\n}',
        ),
      )
      .map(([[first, more], shape]) => shape.replace('@', () => first + more.flat().join('')))
    await fc.assert(
      fc.asyncProperty(shaped, async (command) => {
        const { run, snapshot, before } = await withFiles(sh(command), text('report'))
        await run('look', { kind: 'explore' })
        expect(await snapshot()).toEqual(before)
      }),
      { numRuns: 100 },
    )
  }, 60_000) // each is a whole run
})

describe('T33 a write scope', () => {
  const scoped = { kind: 'task', writeScope: ['/notes'] } as const

  test.each(WRITES.filter(([what]) => !['mv of a folder', 'a subshell', 'rm of everything', 'find that runs'].includes(what)))(
    'T33 lets nothing outside be written by %s',
    async (_what, command) => {
      const { run, snapshot, before } = await withFiles(sh(command), sh(COMPLETE))
      await run('do it', scoped)
      expect(await snapshot()).toEqual(before)
    },
  )

  test('T33 inside it writes, and what leaves or enters needs both ends inside', async () => {
    const { run, snapshot, before, answers } = await withFiles(
      sh('cd notes; echo x > new; mkdir sub; mv b.md sub/; rm deep/c.md; ls'),
      sh('mv a.txt notes/'),
      sh('mv notes/new /'),
      sh('cp a.txt notes/copy; echo x > notes/../a.txt'),
      sh(COMPLETE),
    )
    await run('do it', scoped)
    expect(Object.keys(await snapshot())).toEqual(['/a.txt', '/notes/copy', '/notes/new', '/notes/sub/b.md'])
    expect((await snapshot())['/a.txt']).toBe(before['/a.txt'])
    expect(answers()[1]?.text).toContain('this run may write only in /notes, and "/a.txt" is outside.')
    expect(answers()[2]?.text).toContain('"/new" is outside.')
  })

  test('T33 that is empty lets nothing be written', async () => {
    const { run, snapshot, before } = await withFiles(sh('echo x > notes/b.md; rm -rf notes'), sh(COMPLETE))
    await run('do it', { kind: 'task', writeScope: [] })
    expect(await snapshot()).toEqual(before)
  })
})
