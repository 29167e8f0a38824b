// The way of one tool call (L50 to L52), driven through the registry as the loop drives it.
import { afterEach, expect, test, vi } from 'vitest'
import type { Json } from '../../../src/storage/log/content.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import type { ToolReturn } from '../../../src/worker/tools/tool.ts'
import { createTools, textOf } from './bare-call.ts'

afterEach(() => vi.useRealTimers())

/** Writes down that something happened, and gives the value. */
const note = <T>(list: unknown[], entry: unknown, value: T): T => {
  list.push(entry)
  return value
}

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  parameters: { text: { type: 'string', required: true } },
  execute: ({ text }) => text,
})

const toolReturning = (value: unknown) => defineTool({ name: 'odd', description: '', parameters: {}, execute: () => value as ToolReturn })

test('L50 the steps run in the order of the contract', async () => {
  const { bus, registry, call } = createTools()
  const order: string[] = []
  registry.register(defineTool({ ...echoShape('trace'), execute: () => note(order, 'body', 'done') }))
  bus.on('tools/pre-execute', (_execution, next) => note(order, 'pre-execute', next)())
  registry.guard(() => note(order, 'guard', undefined))
  bus.on('tools/execute', async (_execution, next) => {
    order.push('execute')
    const outcome = await next()
    order.push('executed')
    return outcome
  })
  bus.on('tools/post-execute', (_execution, _outcome, next) => note(order, 'post-execute', next)())
  bus.on('tools/result', () => void order.push('result'))
  await call('trace', {})
  expect(order).toEqual(['pre-execute', 'guard', 'execute', 'body', 'executed', 'post-execute', 'result'])
})

const echoShape = (name: string) => ({ name, description: '', parameters: {} })

test('L50 the arguments are frozen before any listener or tool sees them', async () => {
  const { bus, registry, call } = createTools()
  const seen: unknown[] = []
  bus.on('tools/pre-execute', (execution, next) => note(seen, execution.arguments, next)())
  registry.register(
    defineTool({
      name: 'mutate',
      description: '',
      parameters: { list: { type: 'array', required: true, items: { type: 'number' } } },
      execute: ({ list }) => {
        seen.push(list)
        ;(list as number[]).push(4)
        return 'changed'
      },
    }),
  )
  const outcome = await call('mutate', { list: [1, 2, 3] })
  expect(outcome.isError).toBe(true)
  expect(Object.isFrozen(seen[0])).toBe(true)
  expect(seen[1]).toEqual([1, 2, 3])
})

test('L50 a denied call never runs and still passes post-execute and tools/result', async () => {
  const { bus, registry, call } = createTools()
  const ran: string[] = []
  registry.register(defineTool({ ...echoShape('danger'), execute: () => note(ran, 'danger', 'boom') }))
  bus.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'not on a Sunday' }))
  const judged: string[] = []
  bus.on('tools/post-execute', (_execution, outcome, next) => note(judged, outcome.error?.code, next)())
  bus.on('tools/result', (_execution, outcome) => void judged.push(textOf(outcome)))
  const outcome = await call('danger', {})
  expect(ran).toEqual([])
  expect(outcome).toMatchObject({ isError: true, error: { code: 'DENIED' } })
  expect(judged).toEqual(['DENIED', 'Error: this call was denied: not on a Sunday'])
})

test('L50 asking with nobody to ask is a no', async () => {
  const { bus, registry, call } = createTools()
  registry.register(echo)
  bus.on('tools/pre-execute', async () => ({ kind: 'ask', reason: 'it writes' }))
  const outcome = await call('echo', { text: 'x' })
  expect(outcome.error?.code).toBe('DENIED')
  expect(textOf(outcome)).toBe('Error: this call was denied: it needs the approval of a person, and nobody is there to give it (it writes)')
})

test.each([
  [{ kind: 'allow' } as const, false, 'x'],
  [{ kind: 'deny', reason: 'no thanks' } as const, true, 'Error: this call was denied: no thanks'],
])('L50 the answer of a person decides a call that was asked about: %o', async (answer, isError, text) => {
  const asked: (string | undefined)[] = []
  const { bus, registry, call } = createTools({ ask: async (_execution, reason) => note(asked, reason, answer) })
  registry.register(echo)
  bus.on('tools/pre-execute', async () => ({ kind: 'ask', reason: 'it writes' }))
  const outcome = await call('echo', { text: 'x' })
  expect(asked).toEqual(['it writes'])
  expect(outcome.isError).toBe(isError)
  expect(textOf(outcome)).toBe(text)
})

test('L50 a guard has the last word, also over a person who allowed it', async () => {
  const { bus, registry, call } = createTools({ ask: async () => ({ kind: 'allow' }) })
  registry.register(echo)
  bus.on('tools/pre-execute', async () => ({ kind: 'ask' }))
  const remove = registry.guard(({ name }) => (name === 'echo' ? 'echo is switched off' : undefined))
  registry.guard(() => undefined)
  expect(textOf(await call('echo', { text: 'x' }))).toBe('Error: this call was denied: echo is switched off')
  await remove()
  expect(textOf(await call('echo', { text: 'x' }))).toBe('x')
})

test('L50 post-execute replaces the content and keeps the rest', async () => {
  const { bus, registry, call } = createTools()
  registry.register(toolReturning({ content: [{ type: 'text', text: 'long' }], meta: { ms: 3 } }))
  bus.on('tools/post-execute', async () => ({ kind: 'accept', content: [{ type: 'text', text: 'short' }] }))
  expect(await call('odd', {})).toEqual({ content: [{ type: 'text', text: 'short' }], isError: false, meta: { ms: 3 } })
})

test('L50 post-execute blocks a result with feedback for the model', async () => {
  const { bus, registry, call } = createTools()
  registry.register(echo)
  bus.on('tools/post-execute', async () => ({ kind: 'block', feedback: 'Say it politely.' }))
  const outcome = await call('echo', { text: 'x' })
  expect(outcome.isError).toBe(true)
  expect(textOf(outcome)).toBe('Say it politely.')
})

test('L50 contexts come from the tool first, then from post-execute', async () => {
  const { bus, registry, call } = createTools()
  const context = (text: string) => ({ content: [{ type: 'text' as const, text }], source: { kind: 'plugin' as const, plugin: 'p' } })
  registry.register(
    defineTool({
      ...echoShape('defer'),
      execute: (_args, { deferContext }) => {
        deferContext(context('from the tool'))
        throw new Error('after deferring')
      },
    }),
  )
  bus.on('tools/post-execute', async () => ({ kind: 'accept', additionalContexts: [context('from the judge')] }))
  const outcome = await call('defer', {})
  expect(outcome.additionalContexts).toEqual([context('from the tool'), context('from the judge')])
})

test('L50 tools/result only observes: what it throws is reported and changes nothing', async () => {
  const { bus, registry, call, reported } = createTools()
  registry.register(echo)
  bus.on('tools/result', () => {
    throw new Error('observer')
  })
  expect(textOf(await call('echo', { text: 'x' }))).toBe('x')
  expect(reported).toHaveLength(1)
})

test('L40 a listener that throws is not a tool that fails: the call rejects', async () => {
  const { bus, registry, call } = createTools()
  registry.register(echo)
  bus.on('tools/pre-execute', () => {
    throw new Error('policy broke')
  })
  await expect(call('echo', { text: 'x' })).rejects.toThrow('policy broke')
})

test('L51 text, blocks and an object with content are results', async () => {
  const { registry, call } = createTools()
  const dispose = registry.register(toolReturning([{ type: 'text', text: 'a' }]))
  expect(await call('odd', {})).toEqual({ content: [{ type: 'text', text: 'a' }], isError: false })
  await dispose()
  registry.register(toolReturning({ content: [{ type: 'text', text: 'b' }], isError: true, meta: { exitCode: 2 } }))
  expect(await call('odd', {})).toEqual({ content: [{ type: 'text', text: 'b' }], isError: true, meta: { exitCode: 2 } })
})

test('L51 a throw becomes one text block with the code TOOL_FAILED', async () => {
  const { registry, call } = createTools()
  registry.register(
    defineTool({
      ...echoShape('broken'),
      execute: () => {
        throw new RangeError('no such row')
      },
    }),
  )
  expect(await call('broken', {})).toEqual({
    content: [{ type: 'text', text: 'Error: no such row' }],
    isError: true,
    error: { name: 'RangeError', code: 'TOOL_FAILED' },
  })
})

test('L51 a throw of something that is no Error is told too', async () => {
  const { registry, call } = createTools()
  registry.register(defineTool({ ...echoShape('broken'), execute: () => Promise.reject('just text') }))
  expect(await call('broken', {})).toMatchObject({ content: [{ text: 'Error: just text' }], error: { code: 'TOOL_FAILED' } })
})

test('L51 P-c04 an unknown tool is answered with the real names and the nearest one', async () => {
  const { registry, call } = createTools()
  for (const name of ['write_file', 'read_file', 'run_js']) registry.register(defineTool({ ...echoShape(name), execute: () => '' }))
  const outcome = await call('read_flie', {})
  expect(outcome.error?.code).toBe('UNKNOWN_TOOL')
  expect(textOf(outcome)).toBe(
    'Error: there is no tool named "read_flie". Did you mean read_file? The tools are: read_file, run_js, write_file.',
  )
  expect(textOf(await call('teleport', {}))).toBe('Error: there is no tool named "teleport". The tools are: read_file, run_js, write_file.')
})

test('L51 bad arguments are answered with every problem and its path, and nothing runs', async () => {
  const { bus, registry, call } = createTools()
  const asked: unknown[] = []
  bus.on('tools/pre-execute', (_execution, next) => note(asked, 'asked', next)())
  registry.register(echo)
  const outcome = await call('echo', { text: 5, txt: 'x' })
  expect(outcome.error?.code).toBe('INVALID_ARGS')
  expect(textOf(outcome)).toBe(
    'Error: the arguments do not fit echo; nothing was done. Correct this and call again:\n- text: expected string, got the number 5',
  )
  expect(asked).toEqual([])
})

test.each([
  ['a BigInt in meta', { content: [], meta: { n: 1n } }],
  ['a Map in meta', { content: [], meta: new Map() }],
  ['an undefined in a block', [{ type: 'text', text: 'x', extra: undefined }]],
  ['a class instance', new (class Thing {})()],
  ['a bare BigInt', 1n],
  ['nothing at all', undefined],
  ['NaN in meta', { content: [{ type: 'text', text: 'x' }], meta: { n: Number.NaN } }],
])('L52 %s is not lossless JSON and becomes exactly that error, without meta', async (_what, value) => {
  const { registry, call } = createTools()
  registry.register(toolReturning(value))
  expect(await call('odd', {})).toEqual({
    content: [{ type: 'text', text: 'Error: tool result must be losslessly JSON-serializable' }],
    isError: true,
    error: { name: 'TypeError', code: 'NOT_JSON' },
  })
})

test('L52 what post-execute put in is checked too', async () => {
  const { bus, registry, call } = createTools()
  registry.register(echo)
  bus.on('tools/post-execute', async () => ({
    kind: 'accept',
    additionalContexts: [{ content: [], source: { kind: 'user' }, meta: new Map() as never }],
  }))
  const outcome = await call('echo', { text: 'x' })
  expect(outcome.error?.code).toBe('NOT_JSON')
  expect(outcome.additionalContexts).toBeUndefined()
})

test('L52 lossless JSON of the wrong shape is the mistake of the tool, and said so', async () => {
  const { registry, call } = createTools()
  registry.register(toolReturning({ answer: 42 }))
  expect(await call('odd', {})).toMatchObject({ isError: true, error: { code: 'TOOL_FAILED' } })
})

test('L52 the outcome is frozen all the way down', async () => {
  const { registry, call } = createTools()
  registry.register(toolReturning({ content: [{ type: 'text', text: 'x' }], meta: { list: [1] } }))
  const outcome = await call('odd', {})
  expect(Object.isFrozen(outcome.content[0])).toBe(true)
  expect(Object.isFrozen((outcome.meta as { list: number[] }).list)).toBe(true)
})

test('C12 a tool that takes too long is told to stop and answered with TOOL_TIMEOUT, though it ignores its signal', async () => {
  vi.useFakeTimers()
  const { registry, call } = createTools()
  let signal: AbortSignal | undefined
  registry.register(
    defineTool({
      ...echoShape('slow'),
      timeoutMs: 1_000,
      execute: (_args, context) => {
        signal = context.signal
        return new Promise<string>(() => {})
      },
    }),
  )
  const pending = call('slow', {})
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await pending).toMatchObject({ isError: true, error: { code: 'TOOL_TIMEOUT' } })
  expect(signal?.aborted).toBe(true)
})

test('L22 a call whose turn was stopped meanwhile never starts', async () => {
  const { bus, registry, call } = createTools()
  const stop = new AbortController()
  const ran: string[] = []
  registry.register(defineTool({ ...echoShape('late'), execute: () => note(ran, 'late', '') }))
  bus.on('tools/pre-execute', (_execution, next) => {
    stop.abort()
    return next()
  })
  expect((await call('late', {}, stop.signal)).error?.code).toBe('ABORTED_BEFORE_DISPATCH')
  expect(ran).toEqual([])
})

test('L22 a tool that stops with its signal has the code ABORTED', async () => {
  const { registry, call } = createTools()
  const stop = new AbortController()
  registry.register(
    defineTool({
      ...echoShape('wait'),
      execute: (_args, { signal }) => {
        queueMicrotask(() => stop.abort())
        return new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
      },
    }),
  )
  expect(await call('wait', {}, stop.signal)).toMatchObject({ content: [{ text: 'Error: stopped' }], error: { code: 'ABORTED' } })
})

test('L50 progress is shown while the tool runs, and dropped afterwards', async () => {
  const shown: Json[] = []
  const { registry, call } = createTools({ onProgress: (_agent, callId, data) => void shown.push({ callId, data }) })
  let late: () => void = () => {}
  registry.register(
    defineTool({
      ...echoShape('work'),
      execute: (_args, { progress }) => {
        progress({ done: 1 })
        late = () => progress({ done: 2 })
        return 'ready'
      },
    }),
  )
  await call('work', {})
  late()
  expect(shown).toEqual([{ callId: 'call-1', data: { done: 1 } }])
})
