// L40 and L42: a failure ends the turn, never the driver; a tool that fails does not even do that.
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import type { Hooks } from '../../../src/worker/hooks/hooks.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { reply, text, toolCall } from '../../kit/replies.ts'
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

  test('of a tool policy starts no further call of a pool', async () => {
    const { runtime, start } = testRuntime([reply(toolCall('beside', {}, 'c1'), toolCall('beside', {}, 'c2'))], { maxParallelToolCalls: 1 })
    let ran = 0
    const execute = (): string => `ran ${++ran}`
    runtime.tools.register({ name: 'beside', description: 'd', parameters: {}, isConcurrencySafe: () => true, execute })
    runtime.on('tools/post-execute', () => Promise.reject(new Error('policy')))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(ran).toBe(1)
    expect(dataOf(agent.session.events, 'tool/result').map(({ error }) => error?.code)).toEqual(['TOOL_FAILED', 'ABORTED_BEFORE_DISPATCH'])
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
