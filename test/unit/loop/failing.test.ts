// L40 to L43: a failure ends the turn, never the driver; what is contained stays contained.
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import type { Hooks } from '../../../src/worker/hooks/hooks.ts'
import { createRuntime } from '../../../src/worker/runtime.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { disconnect, fails, hold, reply, text, throws, toolCall } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { echo, words } from './samples.ts'

const reasons = (agent: Agent) => dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason)

const errorsOf = ({ runtime }: ReturnType<typeof testRuntime>): readonly string[] => {
  const errors: string[] = []
  runtime.on('agent/error', (_agent, turn, step, error) => void errors.push(`${turn}.${step} ${error.message}`))
  return errors
}

const ASYNC_HOOKS = [
  'agent/prompt-submit',
  'system-prompt/assemble',
  'agent/session-prefix',
  'agent/pre-step',
  'agent/request',
  'llm/stream',
  'agent/step-result',
  'tools/pre-execute',
  'tools/execute',
  'tools/post-execute',
  'agent/turn-continuation',
  'agent/turn-stop',
] as const satisfies readonly (keyof Hooks)[]

describe('L40 a listener that throws', () => {
  for (const how of ['at once', 'later'] as const) {
    test.each(ASYNC_HOOKS)(`${how}, in %s, ends the turn, with one agent/error, and the next prompt runs`, async (hook) => {
      const made = testRuntime([toolCall('echo', { text: 'x' }), text('done'), text('next'), text('next')])
      const { runtime, start } = made
      const errors = errorsOf(made)
      runtime.tools.register(echo)
      let thrown = false
      runtime.on(hook, (...args: unknown[]) => {
        const next = args.at(-1)
        if (thrown) return typeof next === 'function' ? next() : undefined
        thrown = true
        const error = new Error(`${hook} failed`)
        if (how === 'at once' || hook === 'llm/stream') throw error
        return Promise.reject(error)
      })
      const agent = start()
      agent.send('go')
      await agent.whenIdle()
      expect(errors).toEqual([`1.1 ${hook} failed`])
      expect(reasons(agent)).toEqual([{ kind: 'error', step: 1, message: `${hook} failed` }])
      expect(problemsOf(agent.session.events)).toEqual([])
      agent.send('again')
      await agent.whenIdle()
      expect(reasons(agent).at(-1)).toEqual({ kind: 'completed' })
      expect(problemsOf(agent.session.events)).toEqual([])
    })
  }

  test('in agent/pre-step leaves no step events, and the step of the reason is 1', async () => {
    const { runtime, start } = testRuntime([])
    runtime.on('agent/pre-step', () => Promise.reject(new Error('no')))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(typesOf(agent.session.events)).toEqual(['turn/start', 'user/message', 'turn/end'])
    expect(reasons(agent)).toEqual([{ kind: 'error', step: 1, message: 'no' }])
  })

  test('in the second step is told with its number', async () => {
    const made = testRuntime([toolCall('echo', { text: 'x' })])
    const errors = errorsOf(made)
    made.runtime.tools.register(echo)
    made.runtime.on('agent/pre-step', (_agent, _turn, step) => (step === 2 ? Promise.reject(new Error('no')) : undefined))
    const agent = made.start()
    agent.send('go')
    await agent.whenIdle()
    expect(errors).toEqual(['1.2 no'])
    expect(reasons(agent)).toEqual([{ kind: 'error', step: 2, message: 'no' }])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test.each(['agent/prompt-submit', 'agent/session-prefix', 'agent/request', 'agent/turn-continuation', 'system-prompt/assemble'] as const)(
    'or forgets to return, in %s, is told what it forgot',
    async (hook) => {
      for (const listener of [() => undefined, async () => undefined]) {
        const { runtime, start } = testRuntime([text('ok')])
        runtime.on(hook, listener as never)
        const agent = start()
        agent.send('go')
        await agent.whenIdle()
        expect(reasons(agent)).toMatchObject([
          { kind: 'error', message: `A listener of ${hook} returned nothing; it must return a value or next()` },
        ])
      }
    },
  )

  test('of a tool policy leaves every call of the batch with its result', async () => {
    const { runtime, start } = testRuntime([reply(toolCall('echo', { text: 'a' }, 'c1'), toolCall('echo', { text: 'b' }, 'c2'))])
    runtime.tools.register(echo)
    runtime.on('tools/pre-execute', () => Promise.reject(new Error('policy')))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'tool/result').map(({ callId, error }) => [callId, error?.code])).toEqual([
      ['c1', 'TOOL_FAILED'],
      ['c2', 'ABORTED_BEFORE_DISPATCH'],
    ])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test.each([
    ['nothing fit', { content: 'text', isError: false }],
    ['no flag', { content: [] }],
    ['blocks that are none', { content: [{ type: 'text' }], isError: false }],
    ['an error that is none', { content: [], isError: true, error: 'E' }],
  ])('of tools/execute that gives an outcome with %s leaves a result all the same', async (_, outcome) => {
    const { runtime, start } = testRuntime([toolCall('echo', { text: 'a' }, 'c1')])
    runtime.tools.register(echo)
    runtime.on('tools/execute', async () => outcome as never)
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'tool/result')).toMatchObject([{ callId: 'c1', isError: true, error: { code: 'TOOL_FAILED' } }])
    expect(reasons(agent)).toMatchObject([{ kind: 'error' }])
    expect(problemsOf(agent.session.events)).toEqual([])
  })
})

describe('L40 L2 prompts whose judge fails', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('judge')), 'judge'],
    ['neither allows nor blocks', async () => ({ kind: 'perhaps' }), 'neither allowed nor blocked'],
    ['gives content that is none', async () => ({ kind: 'allow', content: [{ type: 'text' }] }), 'content'],
    [
      'gives a context that is none',
      async () => ({ kind: 'allow', additionalContexts: [{ source: { kind: 'user' } }] }),
      'content of a context',
    ],
  ])('because it %s are blocked, never lost and never sent', async (_, listener, message) => {
    const { runtime, model, start } = testRuntime([text('ok')])
    let asked = 0
    const off = runtime.on('agent/prompt-submit', ((...args: unknown[]) => {
      asked++
      return JSON.stringify(args[1]).includes('two') ? listener() : (args.at(-1) as () => unknown)()
    }) as never)
    const agent = start()
    agent.send('one', { id: 'm1' })
    agent.send('two', { id: 'm2' })
    agent.send('three', { id: 'm3' })
    await agent.whenIdle()
    expect(asked).toBe(2)
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toEqual(['m1'])
    expect(dataOf(agent.session.events, 'prompt/blocked').map(({ id }) => id)).toEqual(['m2', 'm3'])
    expect(reasons(agent)).toMatchObject([{ kind: 'error', step: 1, message: expect.stringContaining(message) }])
    expect(model.requests).toEqual([])
    expect(agent.inbox.unlogged).toEqual([])
    void off()
    agent.send('four')
    await agent.whenIdle()
    expect(model.requests[0]?.messages.map(({ content }) => content)).toEqual([words('one'), words('four')])
  })

  test('L2 that are blocked without a reason that is text have one all the same', async () => {
    const { runtime, start } = testRuntime([])
    runtime.on('agent/prompt-submit', async () => ({ kind: 'block' }) as never)
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'rejected', reason: 'Blocked without a reason' }])
  })
})

describe('L41 what is contained', () => {
  test('an observer of session/event cannot change the loop: what it throws, at once or later, is reported', async () => {
    const { runtime, reported, start } = testRuntime([text('ok')])
    const mine = new Error('mine')
    runtime.on('session/event', () => {
      throw mine
    })
    runtime.on('session/event', async () => {
      await Promise.resolve()
      throw mine
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    await Promise.resolve()
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
    expect(reported).toHaveLength(agent.session.events.length * 2)
    expect(reported.every(({ error, where }) => error === mine && where === 'session/event')).toBe(true)
  })

  test.each([
    'agent/status',
    'agent/queued',
    'agent/created',
    'agent/session-start',
    'session/created',
    'agent/disposed',
    'session/disposed',
  ] as const)('a throwing listener of %s is reported and changes nothing', async (hook) => {
    const { runtime, reported, start } = testRuntime([text('ok')])
    runtime.on(hook, () => {
      throw new Error(hook)
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    await runtime.agents.dispose('a')
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
    expect(reported.length).toBeGreaterThan(0)
    expect(reported.every(({ where }) => where === hook)).toBe(true)
  })

  test('a flush that fails is told by agent/error, outside the turn, and the agent goes on', async () => {
    const made = testRuntime([text('ok'), text('ok')])
    const errors = errorsOf(made)
    made.runtime.on('session/flush', () => Promise.reject(new Error('disk full')))
    const agent = made.start()
    agent.send('go')
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
    expect(errors).toEqual(['1.1 disk full'])
    agent.inject('idle')
    await agent.whenIdle()
    expect(errors).toHaveLength(2)
    agent.send('again')
    await agent.whenIdle()
    expect(reasons(agent).at(-1)).toEqual({ kind: 'completed' })
  })

  test('a flush of two listeners awaits both, also when the first fails', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const disk = gate()
    let written = false
    runtime.on('session/flush', () => Promise.reject(new Error('first')))
    runtime.on('session/flush', async () => {
      disk.arrive()
      await disk.opened
      written = true
    })
    const agent = start()
    agent.send('go')
    await disk.reached
    disk.open()
    await agent.whenIdle()
    expect(written).toBe(true)
  })

  test('a throwing listener of agent/error is contained too', async () => {
    const { runtime, reported, start } = testRuntime([throws(new Error('down')), text('ok')])
    runtime.on('agent/error', () => {
      throw new Error('worse')
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    agent.send('again')
    await agent.whenIdle()
    expect(reasons(agent).map(({ kind }) => kind)).toEqual(['error', 'completed'])
    expect(reported).toEqual([{ error: new Error('worse'), where: 'agent/error' }])
  })

  test('a report that throws, at once or later, is the end of it', async () => {
    for (const report of [
      () => {
        throw new Error('report')
      },
      () => Promise.reject(new Error('report')),
    ]) {
      const runtime = createRuntime({ report: report as () => void })
      runtime.llm.registerAdapter(['test'], scriptedModel([text('ok')]))
      runtime.on('session/event', () => {
        throw new Error('mine')
      })
      const agent = runtime.agents.start('a', { provider: 'test', model: 'm' })
      agent.send('go')
      await agent.whenIdle()
      expect(reasons(agent)).toEqual([{ kind: 'completed' }])
    }
  })

  test('a rejection inside a waterfall that its outer listener does not look at is not thrown later', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    runtime.on('agent/prompt-submit', async (_agent, _content, _source, next) => {
      void next()
      return { kind: 'allow' }
    })
    runtime.on('agent/prompt-submit', () => Promise.reject(new Error('nobody looks')))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
  })

  test('a log that refuses to be written holds what waits, and the driver lives', async () => {
    let broken = true
    const reported: unknown[] = []
    const runtime = createRuntime({ now: () => (broken ? Number.NaN : 1), report: (error) => reported.push(error) })
    runtime.llm.registerAdapter(['test'], scriptedModel([text('ok')]))
    broken = false
    const agent = runtime.agents.start('a', { provider: 'test', model: 'm' })
    broken = true
    agent.send('go', { id: 'm' })
    await agent.whenIdle()
    expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining('The clock gave NaN') })])
    expect(agent.status).toBe('idle')
    expect(agent.inbox.held).toBe(true)
    broken = false
    agent.inbox.release()
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toEqual(['m'])
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
  })
})

test('L42 a tool that fails is a result, not an error of the turn', async () => {
  const made = testRuntime([reply(toolCall('bad', {}, 'c1'), toolCall('nobody', {}, 'c2')), text('done')])
  const errors = errorsOf(made)
  made.runtime.tools.register({
    name: 'bad',
    description: 'd',
    parameters: {},
    execute: (_args: never, { deferContext }) => {
      deferContext('no context' as never)
      throw new Error('broken')
    },
  })
  const agent = made.start()
  agent.send('go')
  await agent.whenIdle()
  expect(errors).toEqual([])
  expect(reasons(agent)).toEqual([{ kind: 'completed' }])
  expect(dataOf(agent.session.events, 'tool/result').map(({ error }) => error?.code)).toEqual(['TOOL_FAILED', 'UNKNOWN_TOOL'])
  expect(made.reported.map(({ where }) => where)).toEqual(['a context deferred by a tool'])
})

describe('L43 a failed model call', () => {
  test('brings its facts to agent/request-error', async () => {
    const { runtime, start } = testRuntime([
      fails('rate_limit', 'slow down', { status: 429, retryAfterMs: 5, code: 'X', requestId: 'r' }),
      disconnect(),
      throws(new Error('untyped')),
    ])
    const facts: unknown[] = []
    runtime.on('agent/request-error', (_agent, turn, step, error, next) => {
      facts.push([turn, step, error.message, error.failure?.class, error.failure?.status, error.failure?.retryAfterMs])
      return next()
    })
    const agent = start()
    for (const prompt of ['a', 'b', 'c']) {
      agent.send(prompt)
      await agent.whenIdle()
    }
    expect(facts).toEqual([
      [1, 1, 'slow down', 'rate_limit', 429, 5],
      [2, 1, 'The connection to the scripted model was lost.', 'transport', undefined, undefined],
      [3, 1, 'untyped', undefined, undefined, undefined],
    ])
  })

  test('that is retried is the same step, derived again; its chunks stay in the log, cited by nobody', async () => {
    const { runtime, model, start } = testRuntime([reply(text('half'), fails('overloaded')), text('whole')])
    const errors: number[] = []
    runtime.on('agent/error', () => void errors.push(1))
    runtime.on('agent/request-error', async () => ({ kind: 'retry' }))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
    expect(errors).toEqual([])
    expect(dataOf(agent.session.events, 'step/start')).toHaveLength(1)
    expect(dataOf(agent.session.events, 'request/header')).toHaveLength(1)
    const { events } = agent.session
    const message = events.find(({ type }) => type === 'assistant/message')
    const chunks = events.filter(({ type }) => type === 'assistant/chunk').map(({ seq }) => seq)
    expect(message).toMatchObject({ data: { content: words('whole') }, sourceEventSeqs: chunks.slice(3) })
    expect(model.requests).toHaveLength(2)
  })

  test('that is retried with another model says so in the header', async () => {
    const { runtime, start } = testRuntime([fails('overloaded'), text('ok')])
    runtime.on('agent/request-error', async (agent) => {
      agent.configure({ model: 'other' })
      return { kind: 'retry' }
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'request/header').map(({ reason, header }) => [reason, header.config.model])).toEqual([
      ['initial', 'scripted'],
      ['change', 'other'],
    ])
    expect(dataOf(agent.session.events, 'assistant/message')[0]?.provenance.model).toBe('other')
  })

  test('is asked about once per failed call, until nobody wants to retry', async () => {
    const { runtime, model, start } = testRuntime([fails('overloaded'), fails('overloaded'), fails('overloaded')])
    let asked = 0
    runtime.on('agent/request-error', (_agent, _turn, _step, _error, next) => (++asked < 3 ? Promise.resolve({ kind: 'retry' }) : next()))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(asked).toBe(3)
    expect(model.requests).toHaveLength(3)
    expect(reasons(agent)).toMatchObject([{ kind: 'error', code: 'overloaded' }])
  })

  test('is not what a listener of agent/request throws: nobody is asked to retry that', async () => {
    const { runtime, start } = testRuntime([])
    let asked = 0
    runtime.on('agent/request', () => Promise.reject(new Error('mine')))
    runtime.on('agent/request-error', (_agent, _turn, _step, _error, next) => {
      asked++
      return next()
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(asked).toBe(0)
    expect(reasons(agent)).toMatchObject([{ message: 'mine' }])
  })

  test('whose policy waits to try again obeys a cancel at once', async () => {
    const { runtime, model, start } = testRuntime([fails('overloaded')])
    const waiting = gate()
    runtime.on('agent/request-error', async () => {
      waiting.arrive()
      await waiting.opened
      return { kind: 'retry' }
    })
    const agent = start()
    agent.send('go')
    await waiting.reached
    agent.cancel('enough')
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'aborted', reason: 'enough' }])
    waiting.open()
    await waiting.opened
    expect(model.requests).toHaveLength(1)
  })

  test('L12 what is injected while a repeated call waits for its first chunk is logged behind that chunk', async () => {
    const pause = gate()
    const { runtime, start } = testRuntime([fails('overloaded'), reply(hold(pause), text('ok'))])
    runtime.on('agent/request-error', async () => ({ kind: 'retry' }))
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.inject('meanwhile')
    expect(typesOf(agent.session.events)).not.toContain('context/message')
    pause.open()
    await agent.whenIdle()
    expect(typesOf(agent.session.events).slice(4, 7)).toEqual(['assistant/chunk', 'context/message', 'assistant/chunk'])
  })

  test('L12 what is injected while a repeated call waits is in the log also when that call fails or is cancelled', async () => {
    for (const cancel of [true, false]) {
      const pause = gate()
      const { runtime, start } = testRuntime([fails('overloaded'), reply(hold(pause), fails('quota'))])
      runtime.on('agent/request-error', async (_agent, _turn, _step, error) => ({
        kind: error.failure?.class === 'quota' ? 'fail' : 'retry',
      }))
      const agent = start()
      agent.send('go')
      await pause.reached
      agent.inject('meanwhile')
      if (cancel) agent.cancel()
      pause.open()
      await agent.whenIdle()
      expect(typesOf(agent.session.events).slice(-3)).toEqual(['context/message', 'step/end', 'turn/end'])
      expect(problemsOf(agent.session.events)).toEqual([])
    }
  })
})
