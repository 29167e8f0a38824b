// L20, L22, L23: a cancel in each of its windows, with listeners, tools and models that obey, and with such that never answer.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EventType } from '../../../src/storage/log/events.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import type { Hooks } from '../../../src/worker/hooks/hooks.ts'
import type { Runtime } from '../../../src/worker/loop/scope.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { echo } from './samples.ts'

const never = new Promise<never>(() => {})

/** A run of two steps with a tool between; everything that can be a window happens in it. */
const arrange = (at: (runtime: Runtime, once: (agent: Agent) => void) => void) => {
  const made = testRuntime([
    reply(text('I will.'), toolCall('echo', { text: 'x' }, 'c1'), toolCall('echo', { text: 'y' }, 'c2')),
    text('done'),
  ])
  made.runtime.tools.register(echo)
  const agent = made.start()
  let fired = false
  at(made.runtime, () => {
    if (fired) return
    fired = true
    agent.cancel('user interrupt')
  })
  return { ...made, agent, wasFired: () => fired }
}

/** After a cancelled turn the next prompt runs as if nothing had been. */
const expectNextPromptRuns = async ({ agent, model }: ReturnType<typeof arrange>): Promise<void> => {
  const turns = agent.session.events.filter(({ type }) => type === 'turn/end').length
  model.add(text('next'), text('next'), text('next'))
  agent.send('next')
  await agent.whenIdle()
  const ends = dataOf(agent.session.events, 'turn/end')
  expect(ends).toHaveLength(turns + 1)
  expect(ends.at(-1)?.reason).toEqual({ kind: 'completed' })
  expect(problemsOf(agent.session.events)).toEqual([])
}

const expectAborted = (agent: Agent): void => {
  expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'aborted', reason: 'user interrupt' } }])
  expect(problemsOf(agent.session.events)).toEqual([])
  expect(agent.status).toBe('idle')
}

const ASYNC_HOOKS = [
  'agent/prompt-submit',
  'system-prompt/assemble',
  'agent/session-prefix',
  'agent/pre-step',
  'agent/request',
  'agent/step-result',
  'tools/pre-execute',
  'tools/execute',
  'tools/post-execute',
  'agent/turn-continuation',
  'agent/turn-stop',
] as const satisfies readonly (keyof Hooks)[]

const OBSERVED: readonly EventType[] = [
  'turn/start',
  'user/message',
  'step/start',
  'request/header',
  'assistant/chunk',
  'assistant/message',
  'tool/call',
  'tool/result',
  'step/end',
]

describe('L20 a cancel', () => {
  test.each(ASYNC_HOOKS)('in %s ends the turn with exactly its reason', async (hook) => {
    const run = arrange((runtime, cancel) =>
      runtime.on(hook, (...args: unknown[]) => {
        cancel(run.agent)
        const next = args.at(-1)
        return typeof next === 'function' ? next() : undefined
      }),
    )
    run.agent.send('go')
    await run.agent.whenIdle()
    expect(run.wasFired()).toBe(true)
    expectAborted(run.agent)
    await expectNextPromptRuns(run)
  })

  test.each(OBSERVED)('from the observer of %s ends the turn with exactly its reason', async (type) => {
    const run = arrange((runtime, cancel) => runtime.on('session/event', (_, event) => void (event.type === type && cancel(run.agent))))
    run.agent.send('go')
    await run.agent.whenIdle()
    expect(run.wasFired()).toBe(true)
    expectAborted(run.agent)
    await expectNextPromptRuns(run)
  })

  test.each(['agent/prompt-submit', 'system-prompt/assemble', 'agent/session-prefix', 'agent/pre-step'] as const)(
    'in %s opens no step, and the model is never asked',
    async (hook) => {
      const run = arrange((runtime, cancel) =>
        runtime.on(hook, (...args: unknown[]) => {
          cancel(run.agent)
          const next = args.at(-1)
          return typeof next === 'function' ? next() : undefined
        }),
      )
      run.agent.send('go')
      await run.agent.whenIdle()
      expect(typesOf(run.agent.session.events)).not.toContain('step/start')
      expect(run.model.requests).toEqual([])
    },
  )

  test('right behind a send, before the driver woke, clears the queue: there is no turn', async () => {
    const { runtime, start } = testRuntime([])
    const statuses: string[] = []
    runtime.on('agent/status', (_, status) => void statuses.push(status))
    const agent = start()
    agent.send('go')
    agent.cancel()
    await agent.whenIdle()
    expect(agent.session.events).toHaveLength(0)
    expect(statuses).toEqual([])
  })

  test('from the listener of the running status clears the queue: there is no turn', async () => {
    const { runtime, start } = testRuntime([])
    runtime.on('agent/status', (agent, status) => void (status === 'running' && agent.cancel()))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(agent.session.events).toHaveLength(0)
    expect(agent.status).toBe('idle')
  })

  test('from an observer of the inbox, while its turn takes the message, stops that turn', async () => {
    const { model, start } = testRuntime([])
    const agent = start()
    agent.send('go')
    agent.inbox.onChange(() => void (agent.inbox.waiting.length === 0 && agent.cancel('early')))
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'aborted', reason: 'early' } }])
    expect(model.requests).toEqual([])
  })

  test('behind turn/end, while the flush is awaited, hits neither that turn nor a later prompt', async () => {
    const { runtime, start } = testRuntime([text('one'), text('two')])
    let flushes = 0
    runtime.on('session/flush', () => void (++flushes === 1 && agent.cancel('too late')))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    agent.send('again')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['completed', 'completed'])
  })

  test('from the observer of turn/end changes nothing of that turn', async () => {
    const run = arrange((runtime, cancel) => runtime.on('session/event', (_, { type }) => void (type === 'turn/end' && cancel(run.agent))))
    run.agent.send('go')
    await run.agent.whenIdle()
    expect(dataOf(run.agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'completed' } }])
  })

  test('while idle is a no-op and never hits a later prompt', async () => {
    const { start } = testRuntime([text('ok')])
    const agent = start()
    agent.cancel('nothing')
    agent.cancel('nothing', { queue: 'hold' })
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toEqual({ kind: 'completed' })
  })
})

test('L20 a cancel is no error: agent/error is not told of it', async () => {
  for (const hook of ASYNC_HOOKS) {
    const errors: Error[] = []
    const run = arrange((runtime, cancel) => {
      runtime.on('agent/error', (_agent, _turn, _step, error) => void errors.push(error))
      runtime.on(hook, (...args: unknown[]) => {
        cancel(run.agent)
        const next = args.at(-1)
        return typeof next === 'function' ? next() : undefined
      })
    })
    run.agent.send('go')
    await run.agent.whenIdle()
    expect(errors, hook).toEqual([])
  }
})

test('L20 a cancel comes before the rejection of a turn whose prompts were all blocked', async () => {
  const { runtime, start } = testRuntime([])
  runtime.on('agent/prompt-submit', async () => ({ kind: 'block', reason: 'no' }))
  runtime.on('session/event', (_, { type }) => void (type === 'prompt/blocked' && agent.cancel('user interrupt')))
  const agent = start()
  agent.send('go')
  await agent.whenIdle()
  expectAborted(agent)
})

test('L20 L13 behind a cancel while prompts are judged nothing of a step begins, and steering opens a fresh turn', async () => {
  const run = arrange((runtime, cancel) => {
    runtime.on('session/event', (_, { type }) => {
      if (type !== 'user/message' || run.wasFired()) return
      cancel(run.agent)
      run.agent.steer('but first', { id: 's' })
    })
    runtime.on('system-prompt/assemble', (_assembly, _context, next) => {
      assembled.push(run.agent.session.events.filter(({ type }) => type === 'turn/start').length)
      return next()
    })
  })
  const assembled: number[] = []
  run.agent.send('go')
  await run.agent.whenIdle()
  expect(assembled).not.toContain(1)
  expect(dataOf(run.agent.session.events, 'user/message').map(({ id }) => id)).toContain('s')
  expect(dataOf(run.agent.session.events, 'turn/end')[0]?.reason.kind).toBe('aborted')
})

test('L20 behind a cancel at the request/header the model is not asked', async () => {
  const run = arrange((runtime, cancel) =>
    runtime.on('session/event', (_, { type }) => void (type === 'request/header' && cancel(run.agent))),
  )
  run.agent.send('go')
  await run.agent.whenIdle()
  expect(run.model.requests).toEqual([])
  expectAborted(run.agent)
})

test('L43 a cancelled call is not a failed one: nobody is asked to try it again', async () => {
  const run = arrange((runtime, cancel) => {
    runtime.on('session/event', (_, { type }) => void (type === 'assistant/chunk' && cancel(run.agent)))
    runtime.on('agent/request-error', (_agent, _turn, _step, _error, next) => {
      asked = true
      return next()
    })
  })
  let asked = false
  run.agent.send('go')
  await run.agent.whenIdle()
  expect(asked).toBe(false)
  expectAborted(run.agent)
})

test('L20 behind step/start nobody is asked with which model to call', async () => {
  const run = arrange((runtime, cancel) => {
    runtime.on('session/event', (_, { type }) => void (type === 'step/start' && cancel(run.agent)))
    runtime.on('agent/request', (_agent, _turn, _step, _config, next) => {
      asked = true
      return next()
    })
  })
  let asked = false
  run.agent.send('go')
  await run.agent.whenIdle()
  expect(asked).toBe(false)
  expectAborted(run.agent)
})

test('L13 steering that comes behind the cancel, while calls are drained, opens a fresh turn', async () => {
  const { runtime, start } = testRuntime([toolCall('stop', {}, 'c1'), text('ok')])
  const execute = (): string => {
    agent.cancel('user interrupt')
    agent.steer('but first', { id: 's' })
    return 'stopped'
  }
  runtime.tools.register({ name: 'stop', description: 'd', parameters: {}, execute })
  const agent = start()
  agent.send('go')
  await agent.whenIdle()
  expect(dataOf(agent.session.events, 'steering/message')).toEqual([])
  expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toContain('s')
  expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['aborted', 'completed'])
})

test('L22 L23 nobody is asked about calls that will not start', async () => {
  const run = arrange((runtime, cancel) =>
    runtime.on('tools/pre-execute', async ({ callId }, next) => {
      asked.push(callId)
      cancel(run.agent)
      return next()
    }),
  )
  const asked: string[] = []
  run.agent.send('go')
  await run.agent.whenIdle()
  expect(asked).toEqual(['c1'])
  expectAborted(run.agent)
})

test('L23 a listener of agent/request that answers after the turn has ended changes no log', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { runtime, start } = testRuntime([])
  let answer: (config: { provider: string; model: string }) => void = () => {}
  runtime.on('agent/request', (agent) => {
    agent.cancel('user interrupt')
    return new Promise((resolve) => {
      answer = resolve
    })
  })
  const agent = start()
  agent.send('go')
  await vi.advanceTimersByTimeAsync(250)
  vi.useRealTimers()
  expectAborted(agent)
  const length = agent.session.events.length
  answer({ provider: 'test', model: 'late' })
  for (let i = 0; i < 10; i++) await Promise.resolve()
  expect(agent.session.events).toHaveLength(length)
})

test('L23 a listener of agent/session-prefix that answers after the turn has ended does not change the prefix of a later one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { runtime, model, start } = testRuntime([text('ok'), text('ok')])
  const say = (words: string) => [{ role: 'user' as const, content: [{ type: 'text' as const, text: words }] }]
  let answer: (prefix: ReturnType<typeof say>) => void = () => {}
  let asked = 0
  runtime.on('agent/session-prefix', (agent) => {
    if (++asked > 1) return Promise.resolve(say('in time'))
    agent.cancel('user interrupt')
    return new Promise((resolve) => {
      answer = resolve
    })
  })
  const agent = start()
  agent.send('go')
  await vi.advanceTimersByTimeAsync(250)
  vi.useRealTimers()
  agent.send('again')
  await agent.whenIdle()
  answer(say('too late'))
  for (let i = 0; i < 10; i++) await Promise.resolve()
  agent.send('and again')
  await agent.whenIdle()
  expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual([say('in time')[0]?.content, say('in time')[0]?.content])
  expect(asked).toBe(2)
})

describe('L23 a cancel ends the turn within 250 ms', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test.each(ASYNC_HOOKS)('although %s never answers', async (hook) => {
    let calls = 0
    const run = arrange((runtime, cancel) =>
      runtime.on(hook, (...args: unknown[]) => {
        cancel(run.agent)
        if (++calls === 1) return never
        const next = args.at(-1)
        return typeof next === 'function' ? next() : undefined
      }),
    )
    run.agent.send('go')
    await vi.advanceTimersByTimeAsync(250)
    expectAborted(run.agent)
    await expectNextPromptRuns(run)
  })

  test('although each of five prompts is judged for 150 ms', async () => {
    const { runtime, start } = testRuntime([])
    runtime.on('agent/prompt-submit', (agent, _content, _source, next) => {
      agent.cancel('user interrupt')
      return new Promise((resolve) => void setTimeout(() => resolve(next()), 150))
    })
    const agent = start()
    for (let i = 1; i <= 5; i++) agent.send(`${i}`, { id: `m${i}` })
    await vi.advanceTimersByTimeAsync(250)
    expectAborted(agent)
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toEqual(['m1'])
    expect(dataOf(agent.session.events, 'prompt/blocked').map(({ id }) => id)).toEqual(['m2', 'm3', 'm4', 'm5'])
  })

  test('although a tool never ends', async () => {
    const { runtime, start } = testRuntime([reply(toolCall('stuck', {}, 'c1'), toolCall('stuck', {}, 'c2'))])
    const execute = (): Promise<string> => {
      agent.cancel('user interrupt')
      return never
    }
    runtime.tools.register({ name: 'stuck', description: 'd', parameters: {}, execute })
    const agent = start()
    agent.send('go')
    await vi.advanceTimersByTimeAsync(250)
    expectAborted(agent)
  })
})
