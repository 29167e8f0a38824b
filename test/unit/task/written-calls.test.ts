// T14: a call that was written as text is told from an answer that merely shows one.
import { describe, expect, test } from 'vitest'
import { findWrittenCall } from '../../../src/worker/plugins/task/written-call.ts'
import { text } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { complete, notes, reminders, sh, taskSetup } from './kit.ts'

const fence = (language: string, body: string): string => `\`\`\`${language}\n${body}\n\`\`\``
const tools = ['bash', 'read_file']

const WRITTEN: readonly (readonly [string, string])[] = [
  ['a shell block alone', fence('bash', 'ls -la')],
  ['a shell block after a short announcement', `I'll look at the files.\n\n${fence('sh', 'ls')}`],
  ['several shell blocks, the last one at the end', `First:\n${fence('bash', 'ls')}\nThen:\n${fence('shell', 'cat a')}`],
  ['a tool_code block', `Looking.\n${fence('tool_code', 'bash(command="ls")')}\nDone.`],
  ['an inline call', 'Now bash{"command": "ls"} gives the files.'],
  ['an inline call in parentheses', 'read_file({"path": "/a"})'],
  ['markup of a model family', 'Sure.\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'],
  ['other markup', '<function=bash><parameter=command>ls</parameter></function>'],
  ['JSON that names a tool', '{"name": "read_file", "arguments": {"path": "/a"}}'],
  ['JSON in a block', fence('json', '{"name": "read_file", "parameters": {"path": "/a"}}')],
  ['a block that was not closed', '```bash\nls'],
]

const SHOWN: readonly (readonly [string, string])[] = [
  ['plain prose', 'All files are in place.'],
  ['a shell block that is quoted as an example', `You can start it with:\n\n${fence('bash', 'npm start')}`],
  ['an example by name', `For example:\n${fence('bash', 'npm test')}`],
  ['a block for the person to run', `To run it yourself, type this in a terminal:\n${fence('sh', 'npm start')}`],
  [
    'a shell block with an explanation behind it',
    `${fence('bash', 'npm start')}\n\nThis starts the server on port 3000 and opens the page.`,
  ],
  ['a block in a quotation', '> ```bash\n> ls\n> ```'],
  ['a block in a list', '1. Install:\n   ```bash\n   npm ci\n   ```\n2. Start.'],
  ['code of another language', fence('js', 'console.log(1)')],
  ['an inline span', 'The command `bash{"command": "ls"}` is wrong.'],
  ['markup in a span', 'Some models write `<tool_call>` for that.'],
  ['markup in a block', fence('text', '<tool_call>{"name": "bash"}</tool_call>')],
  ['JSON of something else', '{"name": "sideloop", "version": "1.0.0"}'],
  ['JSON that names no tool of ours', '{"name": "search", "arguments": {}}'],
  ['another word with a brace', 'The object foo{"a": 1} is odd.'],
]

describe('T14 decides on the whole answer', () => {
  test.each(WRITTEN)('T14 %s is a call written as text', (_, answer) => {
    expect(findWrittenCall(answer, tools)).toMatchObject({ tool: expect.stringMatching(/bash|read_file/) })
  })

  test.each(SHOWN)('T14 %s is none', (_, answer) => {
    expect(findWrittenCall(answer, tools)).toBeUndefined()
  })

  test('T14 without tools nothing is', () => {
    for (const [, answer] of WRITTEN) expect(findWrittenCall(answer, [])).toBeUndefined()
  })

  test('T14 a shell block is none where there is no shell', () => {
    expect(findWrittenCall(fence('bash', 'ls'), ['read_file'])).toBeUndefined()
  })

  test.each([
    ['backticks of all lengths', Array.from({ length: 400 }, (_, i) => '`'.repeat(i)).join('x')],
    ['backticks', '` '.repeat(50_000)],
    ['open braces', 'bash{"'.repeat(20_000)],
    ['blank lines', '\n \t'.repeat(50_000)],
    ['fences', '```bash\n'.repeat(20_000)],
  ])('T14 100 KB of %s are read in no time', (_, answer) => {
    const before = performance.now()
    findWrittenCall(answer, tools)
    expect(performance.now() - before).toBeLessThan(1_000)
  })
})

describe('T14 in a run', () => {
  test('T14 the wrong and the right form are explained, without using up a nudge', async () => {
    const { run, agent } = taskSetup([text(fence('bash', 'ls')), complete()])
    expect(await run('do it', { maxNudges: 0 })).toMatchObject({ success: true })
    const [words = ''] = reminders(agent.session.events)
    expect(words).toContain('Wrong:')
    expect(words).toContain('Right:')
    expect(words).toContain('"bash"')
    expect(words).not.toContain('Rule:')
    expect(dataOf(agent.session.events, 'task/noted').find(({ name }) => name === 'malformed_tool_call')?.data).toEqual({
      retry: 1,
      maxRetries: 2,
      totalFailures: 1,
      form: 'a block "bash"',
    })
  })

  test('T14 at most two in a row, then nudges; from the third in a run the rule is repeated', async () => {
    const { run, agent } = taskSetup([
      ...[1, 2, 3].map((n) => text(fence('bash', `ls ${n}`))),
      sh('ls'),
      text(fence('bash', 'ls 4')),
      complete(),
    ])
    expect(await run()).toMatchObject({ success: true })
    expect(notes(agent.session.events).filter((name) => name !== 'iteration')).toEqual([
      ...['malformed_tool_call', 'malformed_tool_call', 'nudge', 'malformed_tool_call', 'exit_reason'],
    ])
    expect(reminders(agent.session.events).map((words) => words.includes('Rule:'))).toEqual([false, false, true, true])
  })

  test('T14 a run that is a conversation may show a command', async () => {
    const { run, agent } = taskSetup([text(`Like this?\n${fence('bash', 'ls')}`)])
    expect(await run('ask', { kind: 'interview' })).toMatchObject({ exitReason: 'awaiting_user' })
    expect(reminders(agent.session.events)).toEqual([])
  })

  test('T14 an example is no error: it is nudged like any text', async () => {
    const { run, agent } = taskSetup([text(`You can start it with:\n${fence('bash', 'npm start')}`), complete()])
    expect(await run()).toMatchObject({ success: true })
    expect(notes(agent.session.events)).toContain('nudge')
    expect(notes(agent.session.events)).not.toContain('malformed_tool_call')
  })

  test('T14 when no tools were sent, nobody is scolded', async () => {
    const { run, agent } = taskSetup([text(fence('bash', 'ls')), text('b')], { tools: [] })
    expect(await run('do it', { maxNudges: 1 })).toMatchObject({ exitReason: 'nudge_exhaustion' })
    expect(notes(agent.session.events)).not.toContain('malformed_tool_call')
  })

  test('T14 beside a real call a block is only words', async () => {
    const { run, agent } = taskSetup([[text(`I run this:\n${fence('bash', 'ls')}`), sh('ls')], complete()])
    expect(await run()).toMatchObject({ success: true })
    expect(reminders(agent.session.events)).toEqual([])
  })
})
