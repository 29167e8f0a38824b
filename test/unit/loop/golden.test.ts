// The golden logs: whole runs, event by event, against JSON Lines fixtures in test/sessions.
import { expect, test } from 'vitest'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { gate } from '../../kit/gate.ts'
import { expectGolden } from '../../kit/golden.ts'
import { cutToolCall, hold, reply, text, throws, toolCall } from '../../kit/replies.ts'
import { eventWhere, testRuntime } from '../../kit/test-runtime.ts'

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  parameters: { text: { type: 'string', required: true } },
  execute: ({ text: words }) => words,
})

test('golden 1, L1 L3 L5 one text turn, in its live order', async () => {
  const { runtime, start } = testRuntime([text('ok', { chunks: ['o', 'k'] })], { identity: 'You are a test.' })
  const live: string[] = []
  runtime.on('agent/queued', () => void live.push('queued'))
  runtime.on('agent/status', (_, status) => void live.push(status))
  runtime.on('agent/pre-step', () => void live.push('pre-step'))
  runtime.on('session/event', (_, { type }) => void live.push(type))
  runtime.on('session/flush', async () => {
    await Promise.resolve()
    live.push('flush')
  })
  const agent = start()
  agent.send('hi', { id: 'message-1' })
  live.push(`send returns, ${agent.status}`)
  await agent.whenIdle()
  expectGolden(agent.session, '01')
  expect(live).toEqual([
    'queued',
    'send returns, idle',
    'running',
    'turn/start',
    'user/message',
    'pre-step',
    'step/start',
    'request/header',
    ...Array<string>(6).fill('assistant/chunk'),
    'assistant/message',
    'step/end',
    'turn/end',
    'flush',
    'idle',
  ])
})

test('golden 2, L3 L4 a tool round has two steps and one header', async () => {
  const { runtime, start } = testRuntime([reply(text('I will.'), toolCall('echo', { text: 'x' }, 'c1')), text('done')])
  runtime.tools.register(echo)
  const agent = start()
  agent.send('go', { id: 'message-1' })
  await agent.whenIdle()
  expectGolden(agent.session, '02')
})

test('golden 3, L10 a second prompt while the first runs becomes the next turn, with no idle between', async () => {
  const pause = gate()
  const { runtime, start } = testRuntime([text('one', { chunks: ['o', pause, 'ne'] }), text('two')])
  const statuses: string[] = []
  runtime.on('agent/status', (_, status) => void statuses.push(status))
  const agent = start()
  agent.send('first', { id: 'message-1' })
  await pause.reached
  agent.send('second', { id: 'message-2' })
  expect(agent.inbox.waiting.map(({ id }) => id)).toEqual(['message-2'])
  pause.open()
  await agent.whenIdle()
  expectGolden(agent.session, '03')
  expect(statuses).toEqual(['running', 'idle'])
})

test('golden 4, L12 an idle injection is a turn of its own at once, and the next request holds it', async () => {
  const { runtime, model, start } = testRuntime([text('ok')])
  let flushes = 0
  runtime.on('session/flush', () => void flushes++)
  const agent = start()
  agent.inject('the tide is high', { source: { kind: 'plugin', plugin: 'tides' } })
  expect(agent.session.events.length).toBe(3)
  expect(agent.status).toBe('idle')
  await agent.whenIdle()
  expect(flushes).toBe(1)
  agent.send('hi', { id: 'message-1' })
  await agent.whenIdle()
  expectGolden(agent.session, '04')
  expect(model.requests[0]?.messages[0]?.content).toEqual([
    { type: 'text', text: '<context source="plugin">' },
    { type: 'text', text: 'the tide is high' },
    { type: 'text', text: '</context>' },
  ])
})

test('golden 5, L20 L21 a cancel while the model streams keeps what was visible', async () => {
  const pause = gate()
  const { start } = testRuntime([text('partial and more', { chunks: ['partial', pause, ' and more'] })])
  const agent = start()
  agent.send('go', { id: 'message-1' })
  await pause.reached
  agent.cancel('user interrupt')
  await agent.whenIdle()
  expectGolden(agent.session, '05')
})

test('golden 5, L21 with nothing visible streamed there is no message', async () => {
  const pause = gate()
  const { start } = testRuntime([reply(hold(pause), text('never'))])
  const agent = start()
  agent.send('go')
  await pause.reached
  agent.cancel()
  await agent.whenIdle()
  expect(agent.session.events.some(({ type }) => type === 'assistant/message')).toBe(false)
  expect(agent.session.events.at(-1)?.data).toEqual({ turn: 1, reason: { kind: 'aborted', reason: 'cancelled' } })
})

test('golden 9, L32 L40 the model fails and nothing recovers it', async () => {
  const { runtime, start } = testRuntime([throws(new Error('the model is down'))])
  const errors: string[] = []
  runtime.on('agent/error', (_agent, turn, step, error) => void errors.push(`${turn}.${step} ${error.message}`))
  const agent = start()
  agent.send('go', { id: 'message-1' })
  await agent.whenIdle()
  expectGolden(agent.session, '09')
  expect(errors).toEqual(['1.1 the model is down'])
})

test('golden 9, L40 L61 a failure before the step opens leaves no step events', async () => {
  const { runtime, start } = testRuntime([])
  runtime.systemPrompt.section({ name: 'where', order: 10, text: 'You are in {{place}}.' })
  const agent = start()
  agent.send('go', { id: 'message-1' })
  await agent.whenIdle()
  expectGolden(agent.session, '09b')
})

test('golden 10, L2 when all prompts are blocked the turn is rejected without a step', async () => {
  const { runtime, start } = testRuntime([])
  runtime.on('agent/prompt-submit', async () => ({ kind: 'block', reason: 'why' }))
  const agent = start()
  agent.send('go', { id: 'message-1' })
  await eventWhere(runtime, agent, ({ type }) => type === 'turn/end')
  await agent.whenIdle()
  expectGolden(agent.session, '10')
})

test('golden 6, L22 a cancel in a batch of two calls: the first has its result, the second never started', async () => {
  const running = gate()
  const { runtime, start } = testRuntime([reply(toolCall('slow', {}, 'c1'), toolCall('slow', {}, 'c2'))])
  runtime.tools.register(
    defineTool({
      name: 'slow',
      description: 'Ends when it is told to stop.',
      parameters: {},
      execute: (_, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => resolve('stopped halfway'))
          running.arrive()
        }),
    }),
  )
  const agent = start()
  agent.send('go', { id: 'message-1' })
  await running.reached
  agent.cancel('enough')
  await agent.whenIdle()
  expectGolden(agent.session, '06')
})

test('golden 12, L30 the output limit: the text is kept, the cut call is dropped', async () => {
  const { start } = testRuntime([reply(text('I will'), cutToolCall('echo', '{"te', 'c1'))])
  const agent = start()
  agent.send('go', { id: 'message-1' })
  await agent.whenIdle()
  expectGolden(agent.session, '12')
})
