// L1, L2, L3, L5: the order of what happens in a turn is the contract.
import { describe, expect, test } from 'vitest'
import type { Hooks } from '../../../src/worker/hooks/hooks.ts'
import type { Runtime } from '../../../src/worker/loop/scope.ts'
import { gate } from '../../kit/gate.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { dataOf, eventWhere, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { echo, words } from './samples.ts'

const hooksInOrder: readonly (keyof Hooks)[] = [
  'agent/queued',
  'agent/status',
  'agent/prompt-submit',
  'system-prompt/assemble',
  'agent/session-prefix',
  'agent/pre-step',
  'agent/request',
  'llm/stream',
  'agent/step-result',
  'agent/turn-continuation',
  'agent/turn-stop',
  'session/flush',
]

/** Every hook and every event, in the order in which they come; a run of chunks as one. */
const watch = (runtime: Runtime): readonly string[] => {
  const seen: string[] = []
  for (const name of hooksInOrder) {
    runtime.on(name, (...args: unknown[]) => {
      seen.push(name === 'agent/status' ? `status ${String(args[1])}` : name)
      const next = args.at(-1)
      return typeof next === 'function' ? next() : undefined
    })
  }
  runtime.on('session/event', (_, { type }) => void (seen.at(-1) === type || seen.push(type)))
  return seen
}

describe('a turn', () => {
  test('L1 L2 L3 L5 runs its hooks and logs its events in this order', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const seen = watch(runtime)
    const agent = start()
    agent.send('hi')
    await agent.whenIdle()
    expect(seen).toEqual([
      'agent/queued',
      'status running',
      'turn/start',
      'agent/prompt-submit',
      'user/message',
      'system-prompt/assemble',
      'agent/session-prefix',
      'agent/pre-step',
      'step/start',
      'agent/request',
      'request/header',
      'llm/stream',
      'assistant/chunk',
      'agent/step-result',
      'assistant/message',
      'step/end',
      'agent/turn-continuation',
      'agent/turn-stop',
      'turn/end',
      'session/flush',
      'status idle',
    ])
  })

  test('L3 asks for the session prefix once, and has no second header when nothing changed', async () => {
    const { runtime, start } = testRuntime([toolCall('echo', { text: 'x' }), text('done')])
    runtime.tools.register(echo)
    const seen = watch(runtime)
    const agent = start()
    agent.send('hi')
    await agent.whenIdle()
    expect(seen.slice(seen.indexOf('tool/result'), seen.indexOf('turn/end'))).toEqual([
      'tool/result',
      'step/end',
      'agent/turn-continuation',
      'agent/turn-stop',
      'system-prompt/assemble',
      'agent/pre-step',
      'step/start',
      'agent/request',
      'llm/stream',
      'assistant/chunk',
      'agent/step-result',
      'assistant/message',
      'step/end',
      'agent/turn-continuation',
      'agent/turn-stop',
    ])
  })

  test('L1 takes its number from the log, and its trigger from the source of its first message', async () => {
    const { start } = testRuntime([text('a'), text('b')])
    const agent = start()
    agent.inject('before', { source: { kind: 'plugin', plugin: 'p' } })
    agent.send('from a plugin', { source: { kind: 'plugin', plugin: 'q' } })
    agent.send('from the person')
    await agent.whenIdle()
    agent.send('again')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start')).toEqual([
      { turn: 1, trigger: { kind: 'injection', source: { kind: 'plugin', plugin: 'p' } } },
      { turn: 2, trigger: { kind: 'message', source: { kind: 'plugin', plugin: 'q' } } },
      { turn: 3, trigger: { kind: 'message', source: { kind: 'user' } } },
    ])
  })

  test('L1 counts on over a seed', async () => {
    const { runtime, model, start } = testRuntime([text('a')])
    const first = start()
    first.send('one')
    await first.whenIdle()
    model.add(text('b'))
    const { agent } = await runtime.agents.create({
      agentId: 'b',
      sessionId: 'copy',
      seed: first.session.events,
      agentOptions: first.options,
    })
    agent.send('two')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/start').map(({ turn }) => turn)).toEqual([1, 2])
    expect(model.requests[1]?.messages).toHaveLength(3)
  })

  test('S8 a seed that ends in the middle of a turn is closed before the next one', async () => {
    const { runtime, model, start } = testRuntime([text('a')])
    const first = start()
    first.send('one')
    await first.whenIdle()
    const fork = runtime.sessions.fork(first.session, 2, 'fork')
    expect(typesOf(fork.events)).toEqual(['turn/start', 'user/message'])
    model.add(text('b'))
    const { agent } = await runtime.agents.create({ agentId: 'b', sessionId: 'c', seed: fork.events, agentOptions: first.options })
    agent.send('two')
    await agent.whenIdle()
    expect(typesOf(agent.session.events).slice(0, 5)).toEqual(['turn/start', 'user/message', 'turn/end', 'turn/start', 'user/message'])
    expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['interrupted', 'completed'])
  })
})

describe('L2 a prompt', () => {
  test('that is allowed may be given other content, and contexts behind it', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    runtime.on('agent/prompt-submit', async () => ({
      kind: 'allow',
      content: words('hello'),
      additionalContexts: [
        { content: words('one'), source: { kind: 'plugin', plugin: 'p' } },
        { content: words('two'), source: { kind: 'plugin', plugin: 'p' }, envelope: 'raw', meta: { a: 1 } },
      ],
    }))
    const agent = start()
    agent.send('hi', { id: 'm1' })
    await agent.whenIdle()
    expect(agent.session.events.slice(1, 4).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'user/message', data: { id: 'm1', content: words('hello'), source: { kind: 'user' } } },
      { type: 'context/message', data: { content: words('one'), source: { kind: 'plugin', plugin: 'p' } } },
      {
        type: 'context/message',
        data: { content: words('two'), source: { kind: 'plugin', plugin: 'p' }, envelope: 'raw', meta: { a: 1 } },
      },
    ])
  })

  test('each one passes by itself, with its content and source', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const asked: unknown[] = []
    runtime.on('agent/prompt-submit', async (_agent, content, source, next) => {
      asked.push([content, source])
      return next()
    })
    const agent = start()
    agent.send('a')
    agent.send('b', { source: { kind: 'plugin', plugin: 'p' } })
    await agent.whenIdle()
    expect(asked).toEqual([
      [words('a'), { kind: 'user' }],
      [words('b'), { kind: 'plugin', plugin: 'p' }],
    ])
    expect(typesOf(agent.session.events).slice(0, 3)).toEqual(['turn/start', 'user/message', 'user/message'])
  })

  test('that is blocked leaves the others to the model', async () => {
    const { runtime, model, start } = testRuntime([text('ok')])
    runtime.on('agent/prompt-submit', async (_agent, content, _source, next) =>
      JSON.stringify(content).includes('bad') ? { kind: 'block', reason: 'no' } : next(),
    )
    const agent = start()
    agent.send('bad', { id: 'm1' })
    agent.send('good')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'prompt/blocked')).toEqual([
      { id: 'm1', content: words('bad'), source: { kind: 'user' }, reason: 'no' },
    ])
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: words('good') }])
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toEqual({ kind: 'completed' })
  })

  test('with all blocked the turn is rejected with the last reason, and the model is not asked', async () => {
    const { runtime, model, start } = testRuntime([])
    let count = 0
    runtime.on('agent/prompt-submit', async () => ({ kind: 'block', reason: `no ${++count}` }))
    const agent = start()
    agent.send('a')
    agent.send('b')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'rejected', reason: 'no 2' } }])
    expect(model.requests).toHaveLength(0)
  })
})

describe('L5 at the end of a turn', () => {
  test('the flush is awaited, once, while the status is still running', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const disk = gate()
    const seen: string[] = []
    runtime.on('session/flush', async (session) => {
      seen.push(`${session.events.at(-1)?.type} ${agent.status}`)
      disk.arrive()
      await disk.opened
      seen.push(agent.status)
    })
    runtime.on('agent/status', (_, status) => void seen.push(`status ${status}`))
    const agent = start()
    agent.send('hi')
    await disk.reached
    disk.open()
    await agent.whenIdle()
    expect(seen).toEqual(['status running', 'turn/end running', 'running', 'status idle'])
  })

  test('steering that came too late for a step opens a turn of its own', async () => {
    const { runtime, start } = testRuntime([text('one'), text('two')])
    runtime.on('session/flush', () => {
      if (agent.session.events.filter(({ type }) => type === 'turn/end').length === 1) agent.steer('late', { id: 'late' })
    })
    const agent = start()
    agent.send('hi')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toContain('late')
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(2)
  })

  test('the next turn follows with no idle between', async () => {
    const { runtime, start } = testRuntime([text('one'), text('two')])
    const statuses: string[] = []
    runtime.on('agent/status', (_, status) => void statuses.push(status))
    const agent = start()
    agent.send('first')
    await eventWhere(runtime, agent, ({ type }) => type === 'step/start')
    agent.send('second')
    await agent.whenIdle()
    expect(statuses).toEqual(['running', 'idle'])
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(2)
  })
})
