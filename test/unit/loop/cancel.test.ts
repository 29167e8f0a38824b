// L20 to L23: what a cancel keeps, what it drops, and what it says of the calls that ran.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { hold, type Part, rawChunks, reasoning, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'
import { echo, words } from './samples.ts'

const never = new Promise<never>(() => {})
const plugin = { kind: 'plugin', plugin: 'p' } as const

describe('L20 the reason of a cancelled turn', () => {
  const cancelled = async (cancel: (agent: ReturnType<ReturnType<typeof testRuntime>['start']>) => void) => {
    const pause = gate()
    const { start } = testRuntime([reply(hold(pause))])
    const agent = start()
    agent.send('go')
    await pause.reached
    cancel(agent)
    await agent.whenIdle()
    return dataOf(agent.session.events, 'turn/end')
  }

  test('is exactly what was given', async () => {
    expect(await cancelled((agent) => agent.cancel('  odd {"reason"} '))).toStrictEqual([
      { turn: 1, reason: { kind: 'aborted', reason: '  odd {"reason"} ' } },
    ])
  })

  test('is "cancelled" if none was given', async () => {
    expect(await cancelled((agent) => agent.cancel())).toStrictEqual([{ turn: 1, reason: { kind: 'aborted', reason: 'cancelled' } }])
  })

  test('is the first one of two', async () => {
    const twice = cancelled((agent) => {
      agent.cancel('first')
      agent.cancel('second')
    })
    expect(await twice).toStrictEqual([{ turn: 1, reason: { kind: 'aborted', reason: 'first' } }])
  })
})

describe('L20 what waits', () => {
  const withWaiting = async () => {
    const pause = gate()
    const made = testRuntime([reply(text('a'), hold(pause)), text('b'), text('c')])
    const agent = made.start()
    agent.send('go')
    await pause.reached
    agent.send('next', { id: 'next' })
    agent.steer('left', { id: 'left' })
    return { ...made, agent }
  }

  test('is cleared with a cancel, queue and steering', async () => {
    const { agent, model } = await withWaiting()
    agent.cancel()
    expect(agent.inbox.waiting).toEqual([])
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
  })

  test('is kept with hold, and none of it runs', async () => {
    const { agent, model } = await withWaiting()
    agent.cancel('stop', { queue: 'hold' })
    await agent.whenIdle()
    expect(agent.inbox.held).toBe(true)
    expect(agent.inbox.waiting.map(({ id }) => id)).toEqual(['next', 'left'])
    agent.send('by a plugin', { id: 'p', source: plugin })
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
    expect(agent.status).toBe('idle')
  })

  test.each(['send', 'steer', 'continue', 'release'] as const)('that is held runs when a person acts by %s', async (act) => {
    const { agent } = await withWaiting()
    agent.cancel('stop', { queue: 'hold' })
    await agent.whenIdle()
    if (act === 'send') agent.send('go on', { id: 'on' })
    if (act === 'steer') agent.steer('go on', { id: 'on' })
    if (act === 'continue') agent.continue()
    if (act === 'release') agent.inbox.release()
    await agent.whenIdle()
    expect(agent.inbox.held).toBe(false)
    expect(agent.inbox.waiting).toEqual([])
    const ids = dataOf(agent.session.events, 'user/message').map(({ id }) => id)
    expect(ids.slice(1)).toEqual(['next', 'left', ...(act === 'send' || act === 'steer' ? ['on'] : [])])
  })

  test('is no longer held once nothing waits: what comes next is not stuck', async () => {
    const { agent } = await withWaiting()
    agent.cancel('stop', { queue: 'hold' })
    agent.cancel('stop') // before the turn has ended: now the queue is cleared
    await agent.whenIdle()
    expect(agent.inbox.held).toBe(false)
    agent.send('by a plugin', { id: 'p', source: plugin })
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toContain('p')
  })

  test('a prompt that is queued after the cancel runs', async () => {
    const { agent } = await withWaiting()
    agent.cancel()
    agent.send('after', { id: 'after' })
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['aborted', 'completed'])
    expect(
      dataOf(agent.session.events, 'user/message')
        .map(({ id }) => id)
        .at(-1),
    ).toBe('after')
  })
})

describe('L21 a stream cancelled', () => {
  const cancelAfter = async (...parts: readonly Part[]) => {
    const pause = gate()
    const made = testRuntime([reply(...parts, hold(pause)), text('next')])
    const agent = made.start()
    agent.send('go')
    await pause.reached
    agent.cancel()
    await agent.whenIdle()
    return { ...made, agent, messages: dataOf(agent.session.events, 'assistant/message') }
  }

  test('after visible text keeps it as interrupted, citing its chunks, and the next request holds it', async () => {
    const { agent, model, messages } = await cancelAfter(text('seen'))
    expect(messages).toStrictEqual([
      { turn: 1, step: 1, content: words('seen'), provenance: { provider: 'test', model: 'scripted' }, interrupted: true },
    ])
    const message = agent.session.events.find(({ type }) => type === 'assistant/message')
    const chunks = agent.session.events.filter(({ type }) => type === 'assistant/chunk').map(({ seq }) => seq)
    expect(message).toMatchObject({ sourceEventSeqs: chunks })
    agent.send('and?')
    await agent.whenIdle()
    expect(model.requests[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: words('seen'),
      provenance: { provider: 'test', model: 'scripted' },
    })
  })

  test('after visible reasoning keeps it too', async () => {
    const { messages } = await cancelAfter(reasoning('thought'))
    expect(messages[0]?.content).toEqual([{ type: 'reasoning', text: 'thought' }])
  })

  test('is kept without tool calls', async () => {
    const { agent, messages } = await cancelAfter(text('I will.'), toolCall('echo', { text: 'x' }))
    expect(messages[0]?.content).toEqual(words('I will.'))
    expect(dataOf(agent.session.events, 'tool/call')).toEqual([])
  })

  test.each([
    ['a tool call only', [toolCall('echo', { text: 'x' })]],
    ['white space only', [text(' \n')]],
    ['an opened block only', [rawChunks({ type: 'block-start', index: 0, blockType: 'text' })]],
  ])('after %s leaves no message', async (_, parts) => {
    const { messages } = await cancelAfter(...parts)
    expect(messages).toEqual([])
  })

  test('at once, although the model ignores its signal, and what it sends later is not logged', async () => {
    const pause = gate()
    const { model, start } = testRuntime([reply(text('seen'), hold(pause, 'ignore'), text('later'))])
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.cancel()
    await agent.whenIdle()
    const length = agent.session.events.length
    expect(dataOf(agent.session.events, 'assistant/message')[0]?.content).toEqual(words('seen'))
    pause.open()
    await vi.waitUntil(() => model.open === 0)
    expect(agent.session.events).toHaveLength(length)
  })

  test('during agent/step-result keeps what was visible, and does not run its calls', async () => {
    const { runtime, start } = testRuntime([reply(text('seen'), toolCall('echo', { text: 'x' }))])
    runtime.tools.register(echo)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    runtime.on('agent/step-result', (agent) => {
      agent.cancel()
      return never
    })
    const agent = start()
    agent.send('go')
    await vi.advanceTimersByTimeAsync(250)
    vi.useRealTimers()
    expect(dataOf(agent.session.events, 'assistant/message')).toMatchObject([{ content: words('seen'), interrupted: true }])
    expect(dataOf(agent.session.events, 'tool/call')).toEqual([])
  })
})

describe('L22 in a batch of calls', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  const codes = (agent: ReturnType<ReturnType<typeof testRuntime>['start']>) =>
    dataOf(agent.session.events, 'tool/result').map(({ callId, isError, error }) => [callId, isError ? error?.code : 'ok'])

  const batch = (execute: (signal: AbortSignal) => Promise<string>, parallel = false) => {
    const started = gate()
    const made = testRuntime([reply(toolCall('work', {}, 'c1'), toolCall('work', {}, 'c2'), toolCall('work', {}, 'c3')), text('next')])
    made.runtime.tools.register({
      name: 'work',
      description: 'd',
      parameters: {},
      isConcurrencySafe: () => parallel,
      execute: (_args: never, { signal }) => {
        started.arrive()
        return execute(signal)
      },
    })
    const agent = made.start()
    agent.send('go')
    return { ...made, agent, started }
  }

  test('a started call that settles in time has its real result; those behind it were never dispatched', async () => {
    const { agent, started } = batch(() => new Promise((resolve) => void setTimeout(() => resolve('done'), 100)))
    await started.reached
    agent.cancel()
    await vi.advanceTimersByTimeAsync(250)
    expect(codes(agent)).toEqual([
      ['c1', 'ok'],
      ['c2', 'ABORTED_BEFORE_DISPATCH'],
      ['c3', 'ABORTED_BEFORE_DISPATCH'],
    ])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('a started call that obeys its signal is drained at once', async () => {
    const { agent, started } = batch(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    )
    await started.reached
    agent.cancel()
    await vi.advanceTimersByTimeAsync(0)
    expect(codes(agent)[0]).toEqual(['c1', 'ABORTED'])
    expect(dataOf(agent.session.events, 'turn/end')).toHaveLength(1)
  })

  test('L23 a started call that ignores its signal has an unknown outcome, and its late result is noted', async () => {
    let finish: (text: string) => void = () => {}
    const { agent, started } = batch(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    await started.reached
    agent.cancel('stop')
    await vi.advanceTimersByTimeAsync(250)
    expect(codes(agent)[0]).toEqual(['c1', 'TOOL_OUTCOME_UNKNOWN'])
    expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'aborted', reason: 'stop' } }])
    expect(agent.status).toBe('idle')
    finish('after all')
    await vi.advanceTimersByTimeAsync(0)
    expect(agent.session.events.at(-1)).toMatchObject({ type: 'tool/late', data: { callId: 'c1', isError: false } })
    agent.send('next')
    await vi.advanceTimersByTimeAsync(0)
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('parallel calls are drained together, within one limit', async () => {
    const { agent, started } = batch(() => never, true)
    await started.reached
    agent.cancel()
    await vi.advanceTimersByTimeAsync(250)
    expect(codes(agent)).toEqual([
      ['c1', 'TOOL_OUTCOME_UNKNOWN'],
      ['c2', 'TOOL_OUTCOME_UNKNOWN'],
      ['c3', 'TOOL_OUTCOME_UNKNOWN'],
    ])
    expect(dataOf(agent.session.events, 'turn/end')).toHaveLength(1)
  })

  test('the request built later is valid: every call has its result right behind it', async () => {
    const { agent, model, started } = batch(() => never)
    await started.reached
    agent.cancel()
    agent.inject('meanwhile')
    await vi.advanceTimersByTimeAsync(250)
    agent.send('next')
    await vi.advanceTimersByTimeAsync(0)
    expect(model.requests).toHaveLength(2)
    const roles = model.requests[1]?.messages.map(({ content }) => content[0]?.type)
    expect(roles).toEqual(['text', 'tool-call', 'tool-result', 'tool-result', 'tool-result', 'text', 'text'])
  })

  test('nothing starts after a cancel that came before the first call', async () => {
    const { runtime, agent } = batch(() => Promise.resolve('done'))
    runtime.on('session/event', (_, { type }) => void (type === 'assistant/message' && agent.cancel()))
    await vi.advanceTimersByTimeAsync(250)
    expect(codes(agent).map(([, code]) => code)).toEqual(Array(3).fill('ABORTED_BEFORE_DISPATCH'))
  })
})

test('L23 on the real clock: a tool and a model that ignore their signal end in well under a second', async () => {
  const { runtime, start } = testRuntime([toolCall('stuck', {}, 'c1')])
  const started = gate()
  const execute = (): Promise<string> => {
    started.arrive()
    return never
  }
  runtime.tools.register({ name: 'stuck', description: 'd', parameters: {}, execute })
  const agent = start()
  agent.send('go')
  await started.reached
  const before = performance.now()
  agent.cancel()
  await agent.whenIdle()
  expect(performance.now() - before).toBeGreaterThan(150)
  expect(performance.now() - before).toBeLessThan(3000) // 250 ms, and room for a machine that is busy
})
