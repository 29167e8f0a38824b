// L43: a failed model call, what is told of it, and how it is tried again.
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { disconnect, fails, hold, reply, text, throws } from '../../kit/replies.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { words } from './samples.ts'

const reasons = (agent: Agent) => dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason)

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
