// L41: what is contained stays contained, and is told where it can be told.
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { createRuntime } from '../../../src/worker/runtime.ts'
import { gate } from '../../kit/gate.ts'
import { text, throws } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'

const reasons = (agent: Agent) => dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason)

const errorsOf = ({ runtime }: ReturnType<typeof testRuntime>): readonly string[] => {
  const errors: string[] = []
  runtime.on('agent/error', (_agent, turn, step, error) => void errors.push(`${turn}.${step} ${error.message}`))
  return errors
}

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
