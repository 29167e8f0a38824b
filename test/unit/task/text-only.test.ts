// T15: a model without native tools is sent none, and its calls are read from its text.
import { describe, expect, test } from 'vitest'
import { readTextCalls } from '../../../src/worker/plugins/task/text-calls.ts'
import { readToolCode } from '../../../src/worker/plugins/task/tool-code.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { finish, reply, text } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { bash, COMPLETE, notes, reminders, taskSetup, wordsIn } from './kit.ts'

const fence = (language: string, body: string): string => `\`\`\`${language}\n${body}\n\`\`\``
const tools = ['bash', 'read_file']
const callsIn = (answer: string) => readTextCalls(answer, tools).map(({ name, arguments: args }) => [name, JSON.parse(args)])

describe('T15 reads calls from text', () => {
  test.each(['bash', 'shell', 'sh', 'Bash'])('T15 a top-level block %s is a call of bash', (language) => {
    expect(callsIn(`Look:\n${fence(language, 'ls -la\ncat a')}\nThen I go on.`)).toEqual([['bash', { command: 'ls -la\ncat a' }]])
  })

  test('T15 several in their order, with those in prose between', () => {
    expect(callsIn(`${fence('sh', 'ls')}\nread_file{"path": "/a"} and\n${fence('bash', '$ cat b')}`)).toEqual([
      ['bash', { command: 'ls' }],
      ['read_file', { path: '/a' }],
      ['bash', { command: 'cat b' }],
    ])
  })

  test.each([
    ['bash(command="ls -la")', [['bash', { command: 'ls -la' }]]],
    ["print(bash(command='ls'))", [['bash', { command: 'ls' }]]],
    ['bash(command="""ls\ncat a""")', [['bash', { command: 'ls\ncat a' }]]],
    ['bash(command="echo \\"hi\\"\\n")', [['bash', { command: 'echo "hi"\n' }]]],
    ['bash({"command": "ls"})', [['bash', { command: 'ls' }]]],
    ['bash{"command": "ls"}', [['bash', { command: 'ls' }]]],
    ['read_file(path="/a", from=3, whole=True, to=None)', [['read_file', { path: '/a', from: 3, whole: true, to: null }]]],
    ['{"name": "read_file", "arguments": {"path": "/a"}}', [['read_file', { path: '/a' }]]],
    [
      '[{"name": "bash", "parameters": {"command": "a"}}, {"tool": "bash", "args": "{\\"command\\": \\"b\\"}"}]',
      [
        ['bash', { command: 'a' }],
        ['bash', { command: 'b' }],
      ],
    ],
    [
      'bash(command="a")\nbash(command="b")',
      [
        ['bash', { command: 'a' }],
        ['bash', { command: 'b' }],
      ],
    ],
    ['read_file()', [['read_file', {}]]],
    ['other(command="ls")', []],
    ['bash(command=ls)', []],
    ['bash("ls")', []],
    ['import os', []],
  ])('T15 a tool_code block %j', (body, expected) => {
    expect(callsIn(fence('tool_code', body))).toEqual(expected)
  })

  test.each([
    ['a block that was not closed', '```bash\nrm -rf /imp'],
    ['a block in a quotation', '> ```bash\n> ls\n> ```'],
    ['a block in a list', '- so:\n  ```bash\n  ls\n  ```'],
    ['a block inside of another', fence('`markdown', `${fence('bash', 'ls')}\n\``)],
    ['an empty block', fence('bash', '')],
    ['another language', fence('python', 'bash(command="ls")')],
    ['a span', 'write `bash{"command": "ls"}`'],
    ['arguments that are cut', 'bash{"command": "ls'],
    ['arguments that are no JSON', 'bash{"command": ls}'],
    ['a tool that was not declared', 'search{"q": "x"}'],
  ])('T15 %s is no call', (_, answer) => {
    expect(callsIn(answer)).toEqual([])
  })

  test('T15 without a tool bash a shell block is only shown', () => {
    expect(readTextCalls(fence('bash', 'ls'), ['read_file'])).toEqual([])
  })

  test('T15 what looks like a call a hundred thousand times is read in no time', () => {
    const before = performance.now()
    readToolCode('bash("\\\\'.repeat(20_000), tools)
    readToolCode(`bash(command="${'\\\\'.repeat(50_000)}`, tools)
    readTextCalls('bash{"a":'.repeat(20_000), tools)
    expect(performance.now() - before).toBeLessThan(1_500)
  })
})

describe('T15 in a run', () => {
  const info = { tools: false } as const

  test('T15 no tools are sent; the prompt tells how to call them; calls run, and their results come back', async () => {
    const { run, agent, model, commands } = taskSetup([text(`Let me look.\n${fence('bash', 'ls')}`), text(fence('sh', COMPLETE))], { info })
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete_post_tool', toolCount: 2 })
    expect(commands).toEqual(['ls', COMPLETE])
    for (const request of model.requests) expect(request).not.toHaveProperty('tools')
    expect(model.requests[0]?.system).toContain('```bash')
    expect(model.requests[0]?.system).toContain('- bash: Runs a command.')
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([{ type: 'tool-result', isError: false }])
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(rebuildRequests(agent.session.events).map(({ json }) => json)).toEqual(model.requests.map((request) => JSON.stringify(request)))
  })

  test('T15 the text stays as the model wrote it, so that it sees its own form', async () => {
    const answer = `Let me look.\n${fence('bash', 'ls')}`
    const { run, agent } = taskSetup([text(answer), text(fence('bash', COMPLETE))], { info })
    await run()
    const [first] = dataOf(agent.session.events, 'assistant/message')
    expect(first?.content).toEqual([
      { type: 'text', text: answer },
      { type: 'tool-call', id: expect.any(String), name: 'bash', arguments: '{"command":"ls"}' },
    ])
  })

  test('T15 W9 the markup of model families is read too, and hidden', async () => {
    const markup = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'
    const { run, agent, commands } = taskSetup([text(`Looking.\n${markup}`), text(fence('bash', COMPLETE))], { info })
    expect(await run()).toMatchObject({ success: true })
    expect(commands[0]).toBe('ls')
    expect(wordsIn(dataOf(agent.session.events, 'assistant/message')[0]!.content)).not.toContain('tool_call>')
  })

  test('T15 it is never scolded: text is nudged, with the form that it can write', async () => {
    const { run, agent } = taskSetup([text('I think I am done.'), text(fence('bash', COMPLETE))], { info })
    expect(await run()).toMatchObject({ success: true })
    expect(notes(agent.session.events)).not.toContain('malformed_tool_call')
    expect(reminders(agent.session.events)[0]).toContain('```bash\nstatus --task')
  })

  test('T15 a call that the output limit cut does not run', async () => {
    const { run, commands } = taskSetup(
      [reply(text(`${fence('bash', 'ls')}\n\`\`\`bash\nrm -rf /imp`), finish('max-tokens')), text(fence('bash', COMPLETE))],
      { info },
    )
    expect(await run()).toMatchObject({ success: true })
    expect(commands).toEqual([COMPLETE])
  })

  test('T15 a description with {{braces}} in it is no variable', async () => {
    const odd = { ...bash(), description: 'Runs {{anything}}.' }
    const { run, model } = taskSetup([text(fence('bash', COMPLETE))], { info, tools: [odd] })
    expect(await run()).toMatchObject({ success: true })
    expect(model.requests[0]?.system).toContain('Runs {{anything}}.')
  })

  test('T15 a model with native tools may show a block without it being run', async () => {
    const { run, commands } = taskSetup([text(fence('bash', 'rm a')), text('b')], { info: { tools: true } })
    await run('do it', { maxNudges: 0 })
    expect(commands).toEqual([])
  })

  test('T15 outside of a run its text is only text', async () => {
    const { agent, commands } = taskSetup([text(fence('bash', 'ls'))], { info })
    agent.send('chat')
    await agent.whenIdle()
    expect(commands).toEqual([])
  })
})
