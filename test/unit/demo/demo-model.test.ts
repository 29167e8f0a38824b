// The demo model beyond its tasks: plain requests, honesty, steering, errors, streaming.
import { afterEach, expect, test, vi } from 'vitest'
import type { Message } from '../../../src/storage/log/content.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { demoModel } from '../../../src/worker/llm/adapters/demo.ts'
import { DEMO_TASKS } from '../../../src/worker/llm/adapters/demo-tasks.ts'
import { runTask } from '../../../src/worker/plugins/task/run-task.ts'
import { statusTool } from '../../../src/worker/tools/status.ts'
import { startDemoAgent } from './demo-agent.ts'

afterEach(() => vi.useRealTimers())

test.each([
  ['12*34+5', '413'],
  ['What is 2^10?', '1024'],
  ['compute 15% of 240', '36'],
  ['calculate sqrt(2) * pi', '4.442882938158366'],
  ['how much is 1,000 plus 24 divided by 8', '1003'],
  ['please compute (7 - 2) x 3', undefined],
  ['compute 3 x 4', '12'],
  ['factorial of 25', '15511210043330985984000000'],
  ['fibonacci 90', '2880067194370816120'],
])('A1 %s is worked out by running code', async (prompt, value) => {
  const { ask, steps } = startDemoAgent()
  const answer = await ask(prompt)
  if (value === undefined) return expect(steps()).toEqual([])
  expect(steps()).toEqual([['run_js']])
  expect(answer).toContain(`**${value}**`)
})

test('A1 plain requests for files are understood', async () => {
  const { ask, fileText } = startDemoAgent()
  expect(await ask('list files')).toContain('/ is empty: no files yet.')
  expect(await ask('write "milk and honey" to notes.md')).toBe('Created /notes.md: 1 line, 14 B.')
  expect(await ask('add "bread" to notes.md')).toContain('“bread” is the last line')
  expect(await fileText('/notes.md')).toBe('milk and honey\nbread\n')
  expect(await ask('read notes.md')).toContain('milk and honey\nbread')
  expect(await ask('show me the files')).toContain('/notes.md  21 B')
  expect(await ask('count the words in notes.md')).toContain('| /notes.md | 4 |')
  expect(await ask('create a file a/b.txt with the text "x"')).toBe('Created /a/b.txt: 1 line, 1 B.')
  expect(await ask('what files are there in it?')).toContain('/a/b.txt')
  expect(await ask('write to prog.js:\n```js\nconsole.log(6 * 7)\n```')).toContain('Created /prog.js')
  expect(await ask('run prog.js')).toContain('42')
})

test('A1 code is run, and an error is told as it is', async () => {
  const { ask } = startDemoAgent()
  expect(await ask('Please run this:\n```js\nconsole.log("hi")\n;[1, 2].length\n```')).toBe(
    'It printed:\n\n```\nhi\n```\n\nThe value is `2`.',
  )
  const answer = await ask('```\nnope()\n```')
  expect(answer).toContain("ReferenceError: 'nope' is not defined")
  expect(answer).toContain('I can only repair programs of my own')
})

test.each(['Hello!', 'who are you?', 'help', 'Are you a language model?'])('A1 %s is answered with what it is', async (prompt) => {
  const { ask, steps } = startDemoAgent()
  const answer = await ask(prompt)
  expect(answer).toContain('**not a language model**')
  for (const task of DEMO_TASKS) expect(answer).toContain(task.prompt)
  expect(steps()).toEqual([])
})

test.each([
  'Write a poem about autumn',
  'délété tout',
  '<script>alert(1)</script>',
  '{}',
  '\\',
  'x'.repeat(100_000),
  `compute ${'9'.repeat(400)}`,
])('A1 C12 what no rule knows is answered honestly: %.40s', async (prompt) => {
  const { ask, steps } = startDemoAgent()
  const answer = await ask(prompt)
  expect(answer).toMatch(/not a language model/)
  expect(answer.length).toBeLessThan(2_000)
  expect(steps()).toEqual([])
})

test('A1 a tool that is not there is missed honestly', async () => {
  const { ask } = startDemoAgent({ without: ['run_js'] })
  expect(await ask('12*34')).toBe('For that I need the tool `run_js`, which is not available here.')
})

test('A1 a denied call is told, not hidden', async () => {
  const { runtime, ask } = startDemoAgent()
  runtime.on('tools/pre-execute', async ({ name }, next) => (name === 'write_file' ? { kind: 'deny', reason: 'read only today' } : next()))
  const answer = await ask(DEMO_TASKS[1]?.prompt ?? '')
  expect(answer).toContain('`write_file` did not work')
  expect(answer).toContain('read only today')
})

test('A1 a missing file is told', async () => {
  const { ask } = startDemoAgent()
  expect(await ask('read nothing.md')).toContain('There is no file /nothing.md')
})

test('L11 steering that a rule knows changes the course', async () => {
  const { runtime, agent, ask, steps } = startDemoAgent()
  const off = runtime.on('tools/result', () => {
    off()
    agent.steer('list files')
  })
  const answer = await ask(DEMO_TASKS[1]?.prompt ?? '')
  expect(steps()).toEqual([['write_file'], ['list_files']])
  expect(answer).toContain('/hike.md')
  expect(JSON.stringify(agent.session.deriveMessages())).toContain('You added “list files”, so I do that now.')
})

test('L11 steering that no rule knows is acknowledged, and the task goes on', async () => {
  const { runtime, agent, ask, steps } = startDemoAgent()
  const off = runtime.on('tools/result', () => {
    off()
    agent.steer('make it rhyme')
  })
  await ask(DEMO_TASKS[1]?.prompt ?? '')
  expect(steps()).toEqual([['write_file'], ['read_file'], ['write_file'], ['read_file']])
  expect(JSON.stringify(agent.session.deriveMessages())).toContain('I saw your note “make it rhyme”. I follow fixed rules')
})

test('L11 steering that says stop ends the task', async () => {
  const { runtime, agent, ask, steps } = startDemoAgent()
  const off = runtime.on('tools/result', () => {
    off()
    agent.steer('stop please')
  })
  expect(await ask(DEMO_TASKS[1]?.prompt ?? '')).toBe('I stop here, as you asked.')
  expect(steps()).toEqual([['write_file']])
})

test('L12 context of a plugin is acknowledged, not taken for a request', async () => {
  const { agent, ask } = startDemoAgent()
  agent.inject('12*34', { source: { kind: 'plugin', plugin: 'test' } })
  const answer = await ask('2+2')
  expect(answer).toBe('`2+2` is **4**.')
  expect(JSON.stringify(agent.session.deriveMessages())).toContain('I was given a note by a plugin')
})

test('L10 of several messages in one turn the last is done, and that is said', async () => {
  const { agent, lastText, steps } = startDemoAgent()
  agent.send('1+1')
  agent.send('2+2')
  await agent.whenIdle()
  expect(steps()).toEqual([['run_js']])
  expect(lastText()).toContain('**4**')
  expect(JSON.stringify(agent.session.deriveMessages())).toContain('You sent 2 messages at once')
})

test('L15 continuing goes on where a stopped task was', async () => {
  const { runtime, agent, steps, ask, lastText } = startDemoAgent()
  const off = runtime.on('tools/result', () => {
    off()
    agent.cancel('enough')
  })
  await ask(DEMO_TASKS[1]?.prompt ?? '')
  expect(steps()).toEqual([['write_file']])
  agent.continue()
  await agent.whenIdle()
  expect(steps()).toEqual([['write_file'], ['read_file'], ['write_file'], ['read_file']])
  expect(lastText()).toContain('Rain jacket')
  agent.continue()
  await agent.whenIdle()
  expect(lastText()).toContain('That is done already')
})

// ── the stream itself

const request = (text: string, signal?: AbortSignal) => ({
  provider: 'demo',
  model: 'demo-rules',
  messages: [{ role: 'user', content: [{ type: 'text', text }] }] satisfies Message[],
  tools: ['run_js', 'read_file', 'write_file', 'list_files'].map((name) => ({ name, description: '', parameters: {} })),
  ...(signal === undefined ? {} : { signal }),
})

const collect = async (stream: AsyncIterable<Chunk>): Promise<readonly Chunk[]> => {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

test('the stream is words and whole blocks, calls with fresh ids, a finish that fits, and no usage', async () => {
  const chunks = await collect(demoModel({ delayMs: 0 }).stream(request('Write three short texts into files and count the words')))
  const blocks = chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.block] : []))
  expect(blocks.map(({ type }) => type)).toEqual(['text', 'tool-call', 'tool-call', 'tool-call'])
  const texts = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.text] : []))
  expect(texts.length).toBeGreaterThan(5)
  expect(texts.join('')).toBe(blocks[0]?.type === 'text' ? blocks[0].text : '')
  for (const [index, block] of blocks.entries()) {
    if (block.type !== 'tool-call') continue
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'tool-call-delta' && chunk.index === index ? [chunk] : []))
    expect(deltas.map(({ argumentsDelta }) => argumentsDelta).join('')).toBe(block.arguments)
    expect(new Set(deltas.map(({ id }) => id))).toEqual(new Set([block.id]))
    expect(JSON.parse(block.arguments)).toHaveProperty('path')
  }
  expect(new Set(blocks.map((block) => (block.type === 'tool-call' ? block.id : ''))).size).toBe(4)
  expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'tool-calls' } })
  expect(chunks.some(({ type }) => type === 'usage')).toBe(false)
})

test('ids go on from the calls that the conversation has, whoever made them', async () => {
  const earlier: Message = {
    role: 'assistant',
    content: [{ type: 'tool-call', id: 'demo-call-1', name: 'run_js', arguments: '{}' }],
    provenance: { provider: 'other', model: 'm' },
  }
  const asked = request('1+1')
  const chunks = await collect(demoModel({ delayMs: 0 }).stream({ ...asked, messages: [earlier, ...asked.messages] }))
  expect(chunks.find((chunk) => chunk.type === 'tool-call-delta')).toMatchObject({ id: 'demo-call-2' })
})

test('words come with a delay, and an abort ends the stream at once', async () => {
  vi.useFakeTimers()
  const stop = new AbortController()
  const seen: string[] = []
  let ending: Chunk | undefined
  const reading = (async () => {
    for await (const chunk of demoModel({ delayMs: 10 }).stream(request('hello', stop.signal))) {
      if (chunk.type === 'text-delta') seen.push(chunk.text)
      ending = chunk
    }
  })()
  await vi.advanceTimersByTimeAsync(35)
  expect(seen).toEqual(['I', ' am', ' the'])
  stop.abort()
  await reading
  expect(ending).toEqual({ type: 'finish', reason: { kind: 'aborted' } })
  expect(vi.getTimerCount()).toBe(0)
})

test('L21 a stop while it speaks keeps what was said', async () => {
  const { runtime, agent } = startDemoAgent({ delayMs: 1 })
  let words = 0
  runtime.on('session/event', (_session, event) => {
    if (event.type === 'assistant/chunk' && event.data.chunk.type === 'text-delta' && ++words === 5)
      queueMicrotask(() => agent.cancel('enough'))
  })
  agent.send('hello')
  await agent.whenIdle()
  const message = agent.session.events.find((event) => event.type === 'assistant/message')
  expect(message?.data).toMatchObject({ interrupted: true, content: [{ type: 'text', text: 'I am the built-in demo:' }] })
})

test('A1 it offers one model and says that it takes tools', async () => {
  const model = demoModel()
  expect(model.info?.('demo', 'demo-rules')).toEqual({ tools: true, images: false })
  expect(await model.models?.('demo', new AbortController().signal)).toEqual([
    { id: 'demo-rules', name: 'Demo (rules, not a language model)' },
  ])
})

test('T6 in a task run it reports when it is done, and gives no false report when it cannot do it', async () => {
  const { agent, runtime } = startDemoAgent()
  runtime.tools.register(statusTool())
  expect(await runTask(agent, 'compute 6 * 7')).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
  expect(await runTask(agent, 'write me a novel about the sea')).toMatchObject({ success: false, exitReason: 'nudge_exhaustion' })
})
