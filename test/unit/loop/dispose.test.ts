// L24: disposing the owner stops the driver, waits until all is quiet, and takes agent and session out of memory.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { cutToolCall, hold, reply, text, throws, toolCall } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'
import { echo } from './samples.ts'

const never = new Promise<never>(() => {})
const reasons = (agent: Agent) => dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason)

const streaming = async (stubborn = false) => {
  const pause = gate()
  const made = testRuntime([reply(text('seen'), hold(pause, stubborn ? 'ignore' : 'throw'))])
  const agent = made.start()
  agent.send('go')
  await pause.reached
  return { ...made, agent, pause }
}

describe('L24 a disposal', () => {
  test('ends an open turn as disposed, keeps what was visible, and flushes once more', async () => {
    const { runtime, agent } = await streaming()
    let flushes = 0
    runtime.on('session/flush', () => void flushes++)
    await runtime.agents.dispose('a')
    expect(reasons(agent)).toEqual([{ kind: 'disposed' }])
    expect(dataOf(agent.session.events, 'assistant/message')).toMatchObject([{ interrupted: true }])
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(flushes).toBe(1)
  })

  test('takes agent and session out of memory, tells so, and then done resolves', async () => {
    const { runtime, agent } = await streaming()
    const seen: string[] = []
    runtime.on('agent/status', (_, status) => void seen.push(`status ${status}`))
    runtime.on('agent/disposed', (gone) => void seen.push(`agent ${gone === agent}`))
    runtime.on('session/disposed', ({ id }) => void seen.push(`session ${id === agent.session.id}`))
    void agent.done.then(() => seen.push(`done, ${runtime.agents.list().length} agents, ${runtime.sessions.list().length} sessions`))
    await runtime.agents.dispose('a')
    expect(seen).toEqual(['status disposed', 'agent true', 'session true', 'done, 0 agents, 0 sessions'])
    expect(runtime.agents.get('a')).toBeUndefined()
    expect(runtime.sessions.get(agent.session.id)).toBeUndefined()
  })

  test('makes later verbs throw an error that says disposed; a cancel is a no-op', async () => {
    const { runtime, agent } = await streaming()
    const disposing = runtime.agents.dispose('a')
    for (const again of [() => {}, () => disposing]) {
      await again()
      expect(() => agent.send('x')).toThrow(
        expect.objectContaining({ code: 'agent/disposed', message: expect.stringContaining('disposed') }),
      )
      expect(() => agent.steer('x')).toThrow('disposed')
      expect(() => agent.inject('x')).toThrow('disposed')
      expect(() => agent.continue()).toThrow('disposed')
      expect(() => agent.configure({})).toThrow('disposed')
      agent.cancel()
    }
    await agent.whenIdle()
  })

  test('twice, or by two owners at once, is one disposal', async () => {
    const { runtime, model } = testRuntime([])
    const gone: string[] = []
    runtime.on('agent/disposed', ({ id }) => void gone.push(id))
    const handle = await runtime.agents.create({ agentId: 'a', sessionId: 's' })
    await Promise.all([handle.dispose(), handle.dispose(), runtime.agents.dispose('a'), runtime.dispose()])
    await handle.dispose()
    await runtime.agents.dispose('a')
    await runtime.agents.dispose('nobody')
    expect(gone).toEqual(['a'])
    expect(model.requests).toEqual([])
  })

  test('while idle has no turn to end', async () => {
    const { runtime, start } = testRuntime([])
    const agent = start()
    await runtime.agents.dispose('a')
    expect(agent.session.events).toHaveLength(0)
    expect(agent.status).toBe('disposed')
  })

  test('right behind a send leaves the message waiting, for the next life of the session', async () => {
    const { runtime, start } = testRuntime([])
    const agent = start()
    agent.send('go', { id: 'm' })
    await runtime.agents.dispose('a')
    expect(agent.session.events).toHaveLength(0)
    expect(agent.inbox.unlogged.map(({ id }) => id)).toEqual(['m'])
  })

  test('while a prompt is judged leaves what is not judged in the inbox', async () => {
    const { runtime, start } = testRuntime([])
    runtime.on('agent/prompt-submit', (_agent, _content, _source, next) => {
      void runtime.agents.dispose('a')
      return next()
    })
    const agent = start()
    agent.send('one', { id: 'm1' })
    agent.send('two', { id: 'm2' })
    await agent.done
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toEqual(['m1'])
    expect(agent.inbox.unlogged.map(({ id }) => id)).toEqual(['m2'])
    expect(reasons(agent)).toEqual([{ kind: 'disposed' }])
  })

  test('lets what is waited for end first: the flush', async () => {
    const { runtime, start } = testRuntime([text('ok')])
    const disk = gate()
    let onDisk = false
    runtime.on('session/flush', async () => {
      disk.arrive()
      await disk.opened
      onDisk = true
    })
    const agent = start()
    agent.send('go')
    await disk.reached
    const disposing = runtime.agents.dispose('a')
    disk.open()
    await disposing
    expect(onDisk).toBe(true)
    expect(reasons(agent)).toEqual([{ kind: 'completed' }])
  })

  test('frees the name and the session id', async () => {
    const { runtime } = testRuntime([])
    const handle = await runtime.agents.create({ agentId: 'a', sessionId: 's' })
    await expect(runtime.agents.create({ agentId: 'a', sessionId: 't' })).rejects.toThrow('lives already')
    await expect(runtime.agents.create({ agentId: 'b', sessionId: 's' })).rejects.toThrow('open already')
    expect(runtime.agents.list().map(({ id }) => id)).toEqual(['a'])
    await handle.dispose()
    await runtime.agents.create({ agentId: 'a', sessionId: 's' })
  })
})

describe('L24 of the reasons, disposed comes before aborted, error, max-tokens and completed', () => {
  test('disposed before aborted', async () => {
    const { runtime, agent } = await streaming()
    agent.cancel('mine')
    await runtime.agents.dispose('a')
    expect(reasons(agent)).toEqual([{ kind: 'disposed' }])
  })

  test('aborted before an error that comes of it', async () => {
    const pause = gate()
    const { start } = testRuntime([reply(hold(pause, 'ignore'), throws(new Error('down')))])
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.cancel('mine')
    pause.open()
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'aborted', reason: 'mine' }])
  })

  test('error before max-tokens', async () => {
    const { runtime, start } = testRuntime([reply(text('cut'), cutToolCall('echo', '{')), throws(new Error('down'))])
    runtime.on('agent/turn-continuation', async () => ({ action: 'continue' }))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(reasons(agent)).toMatchObject([{ kind: 'error', step: 2 }])
  })

  test('max-tokens before completed', async () => {
    const { runtime, start } = testRuntime([reply(text('cut'), cutToolCall('echo', '{')), text('done')])
    let asked = 0
    runtime.on('agent/turn-continuation', async (_a, _t, _d, next) => (asked++ === 0 ? { action: 'continue' } : next()))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(reasons(agent)).toEqual([{ kind: 'max-tokens' }])
  })
})

describe('L23 L24 a disposal ends the turn within 250 ms', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('although the model ignores its signal', async () => {
    const { runtime, agent, pause } = await streaming(true)
    await runtime.agents.dispose('a')
    expect(reasons(agent)).toEqual([{ kind: 'disposed' }])
    const length = agent.session.events.length
    pause.open()
    await vi.advanceTimersByTimeAsync(0)
    expect(agent.session.events).toHaveLength(length)
  })

  test('of a runtime with many agents, all of whose tools ignore their signal', async () => {
    const { runtime, model } = testRuntime(Array.from({ length: 4 }, () => toolCall('stuck', {})))
    runtime.tools.register({ name: 'stuck', description: 'd', parameters: {}, execute: () => never })
    const agents = ['a', 'b', 'c', 'd'].map((id) => runtime.agents.start(id, { provider: 'test', model: 'scripted' }))
    for (const agent of agents) agent.send('go')
    await vi.advanceTimersByTimeAsync(0)
    expect(model.requests).toHaveLength(4)
    const disposing = runtime.dispose()
    await vi.advanceTimersByTimeAsync(250)
    for (const agent of agents) expect(reasons(agent)).toEqual([{ kind: 'disposed' }])
    await disposing
  })

  test('although a tool waits for the disposal of its own agent', async () => {
    const { runtime, start } = testRuntime([toolCall('suicide', {})])
    runtime.tools.register({
      name: 'suicide',
      description: 'd',
      parameters: {},
      execute: async () => {
        await runtime.dispose()
        return 'never'
      },
    })
    const agent = start()
    agent.send('go')
    await vi.advanceTimersByTimeAsync(250)
    await agent.done
    expect(reasons(agent)).toEqual([{ kind: 'disposed' }])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('a result that comes after the disposal is logged nowhere', async () => {
    let finish: (text: string) => void = () => {}
    const { runtime, start } = testRuntime([toolCall('slow', {})])
    const execute = (): Promise<string> =>
      new Promise((resolve) => {
        finish = resolve
      })
    runtime.tools.register({ name: 'slow', description: 'd', parameters: {}, execute })
    const agent = start()
    agent.send('go')
    await vi.advanceTimersByTimeAsync(0)
    const disposing = runtime.agents.dispose('a')
    await vi.advanceTimersByTimeAsync(250)
    await disposing
    const length = agent.session.events.length
    finish('late')
    await vi.advanceTimersByTimeAsync(0)
    expect(agent.session.events).toHaveLength(length)
  })
})

describe('L24 runtime.dispose', () => {
  test('while a turn streams ends it, and nothing can be started in it any more', async () => {
    const { runtime, agent } = await streaming()
    await runtime.dispose()
    expect(reasons(agent)).toEqual([{ kind: 'disposed' }])
    expect(() => runtime.agents.start('b')).toThrow('disposed')
    expect(() => runtime.sessions.create()).toThrow('disposed')
    expect(() => runtime.sessions.fork(agent.session)).toThrow('disposed')
    expect(() => runtime.tools.register(echo)).toThrow('disposed')
    expect(() => runtime.on('agent/queued', () => {})).toThrow('disposed')
    expect(() => runtime.use(() => {})).toThrow('disposed')
    await expect(runtime.agents.create({ agentId: 'b', sessionId: 's' })).rejects.toThrow('disposed')
    expect(runtime.sessions.list()).toEqual([])
    expect(runtime.tools.schemas()).toEqual([])
  })

  test('twice is once', async () => {
    const { runtime } = await streaming()
    await Promise.all([runtime.dispose(), runtime.dispose()])
    await runtime.dispose()
    expect(runtime.agents.list()).toEqual([])
  })
})
