// T1: stops, disposals and failures on the way. Whatever happens, the result comes, and says what it was.
import { describe, expect, test } from 'vitest'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { hang, hold, reply, text, throws, toolCall } from '../../kit/replies.ts'
import { dataOf, typesOf } from '../../kit/test-runtime.ts'
import { complete, notes, taskSetup } from './kit.ts'

const stuck = (reached: () => void) =>
  defineTool({
    name: 'stuck',
    description: 'Never settles.',
    parameters: {},
    execute: () => {
      reached()
      return new Promise<string>(() => {})
    },
  })

describe('T1 a stop is neither success nor failure', () => {
  test('T1 a cancel while the model streams ends the run as stopped, with the queue held', async () => {
    const pause = gate()
    const { run, agent, model } = taskSetup([text('so far', { chunks: ['so', pause, ' far'] }), text('never')])
    const running = run()
    await pause.reached
    agent.send('and then this', { id: 'next' })
    agent.cancel('user interrupt')
    const result = await running
    expect(result).toMatchObject({ success: false, exitReason: 'stopped' })
    expect(result.summary).toContain('Stopped')
    expect(result.summary).toContain('user interrupt')
    expect(agent.inbox).toMatchObject({ held: true, waiting: [{ id: 'next' }] })
    expect(agent.status).toBe('idle')
    expect(model.requests).toHaveLength(1)
    expect(typesOf(agent.session.events).slice(-5)).toEqual(
      ['turn/end', 'task/noted', 'task/noted', 'task/ended'].toSpliced(0, 0, 'step/end'),
    )
    expect(notes(agent.session.events).slice(-2)).toEqual(['stopped', 'exit_reason'])
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toEqual({ kind: 'aborted', reason: 'user interrupt' })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T1 an explicit clear still clears the queue', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(hold(pause))])
    const running = run()
    await pause.reached
    agent.send('next')
    agent.cancel('no more', { queue: 'clear' })
    expect(await running).toMatchObject({ exitReason: 'stopped' })
    expect(agent.inbox.waiting).toEqual([])
  })

  test('T1 outside of a run a cancel clears as ever', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([complete(), reply(hold(pause))])
    await run()
    agent.send('chat')
    await pause.reached
    agent.send('next')
    agent.cancel()
    expect(agent.inbox.waiting).toEqual([])
    await agent.whenIdle()
  })

  test('T1 the signal stops the run with its words', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(hold(pause))])
    const controller = new AbortController()
    const running = run('do it', {}, controller.signal)
    await pause.reached
    agent.send('next')
    controller.abort('the tab is closing')
    const result = await running
    expect(result).toMatchObject({ success: false, exitReason: 'stopped' })
    expect(result.summary).toContain('the tab is closing')
    expect(agent.inbox.held).toBe(true)
  })

  test('T1 a signal that was aborted before gives a result, a log of it, and no turn', async () => {
    const { run, agent, model } = taskSetup([])
    expect(await run('do it', {}, AbortSignal.abort('too late'))).toMatchObject({ success: false, exitReason: 'stopped', turnCount: 0 })
    expect(typesOf(agent.session.events)).toEqual(['task/started', 'task/noted', 'task/noted', 'task/ended'])
    expect(model.requests).toEqual([])
    agent.send('hello')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
  })

  test('T1 a cancel in the tick of the start takes the prompt back, and never hits the next one', async () => {
    const { run, agent, model } = taskSetup([complete()])
    const running = run('first')
    agent.cancel('changed my mind')
    expect(await running).toMatchObject({ exitReason: 'stopped', turnCount: 0 })
    expect(agent.inbox.waiting).toEqual([])
    expect(await run('second')).toMatchObject({ success: true })
    expect(dataOf(agent.session.events, 'user/message').map(({ content }) => content)).toEqual([[{ type: 'text', text: 'second' }]])
    model.assertPlayed()
  })

  test.each(['hold', 'clear'] as const)('T1 a listener that cancels when it hears of the prompt stops the run: %s', async (queue) => {
    const { run, agent, runtime, model } = taskSetup([text('hello')])
    const off = runtime.on('agent/queued', () => agent.cancel('no', { queue }))
    expect(await run()).toMatchObject({ exitReason: 'stopped', turnCount: 0 })
    await off()
    agent.send('chat')
    await agent.whenIdle()
    model.assertPlayed()
  })

  test('T1 the prompt of a run that was removed from the queue ends the run', async () => {
    const { run, agent } = taskSetup([])
    const running = run('first')
    agent.inbox.remove(agent.inbox.waiting[0]!.id)
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
  })

  test('T1 a stop on the last allowed step is stopped, not the cap', async () => {
    const reached = gate()
    const { run, agent } = taskSetup([toolCall('stuck')], { tools: [stuck(() => reached.arrive())] })
    const running = run('do it', { maxSteps: 1 })
    await reached.reached
    agent.cancel()
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T1 a stop while the gate is asked is stopped, and what the gate says later changes nothing', async () => {
    const asked = gate()
    const { run, agent } = taskSetup([complete()])
    const completionGate = async () => {
      asked.arrive()
      await asked.opened
      return 'too late'
    }
    const running = run('do it', { completionGate })
    await asked.reached
    agent.cancel()
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
    const { length } = agent.session.events
    asked.open()
    await agent.whenIdle()
    await Promise.resolve()
    expect(agent.session.events).toHaveLength(length)
  })

  test('T1 what the gate says in the moment after a stop is not passed on', async () => {
    const asked = gate()
    const { run, agent } = taskSetup([complete()])
    const running = run('do it', {
      completionGate: async () => {
        asked.arrive()
        await asked.opened
        return 'too late'
      },
    })
    await asked.reached
    agent.cancel()
    asked.open()
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
    expect(JSON.stringify(agent.session.events)).not.toContain('too late')
  })

  test('T1 a stop that comes after the decision, and before the turn has ended, outranks it', async () => {
    const { run, agent, runtime } = taskSetup([complete()])
    const running = run()
    runtime.on(
      'agent/turn-continuation',
      async (_agent, _turn, _byDefault, next) => {
        const decision = await next()
        agent.cancel('at the last moment')
        return decision
      },
      { prepend: true },
    )
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason.kind).toBe('aborted')
  })

  test('T1 a stop while the handler of an error is asked is stopped', async () => {
    const asked = gate()
    const { run, agent } = taskSetup([throws(new Error('down'))])
    const running = run('do it', {
      onPausableError: async () => {
        asked.arrive()
        return new Promise(() => {})
      },
    })
    await asked.reached
    agent.cancel()
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
  })
})

describe('T1 the agent goes away', () => {
  test('T1 disposed while it runs', async () => {
    const pause = gate()
    const { run, agent, runtime } = taskSetup([reply(hold(pause))])
    const running = run()
    await pause.reached
    await runtime.agents.dispose('a')
    expect(await running).toMatchObject({ success: false, exitReason: 'disposed' })
    expect(dataOf(agent.session.events, 'task/ended')[0]?.result.exitReason).toBe('disposed')
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T1 the whole runtime disposed while it runs, with its log complete', async () => {
    const pause = gate()
    const { run, agent, runtime } = taskSetup([reply(hold(pause))])
    const running = run()
    await pause.reached
    await runtime.dispose()
    expect(await running).toMatchObject({ success: false, exitReason: 'disposed' })
    expect(agent.session.events.at(-1)?.type).toBe('task/ended')
  })

  test('T1 disposed in the tick of the start, and before it', async () => {
    const { run, runtime } = taskSetup([])
    const running = run()
    await runtime.agents.dispose('a')
    expect(await running).toMatchObject({ success: false, exitReason: 'disposed' })
    expect(await run()).toMatchObject({ success: false, exitReason: 'disposed' })
  })
})

test('T1 an abort in any microtask of the start ends the run, and leaves nothing waiting', async () => {
  for (let hops = 0; hops < 40; hops++) {
    const { run, agent } = taskSetup([hang(), text('hello')])
    const controller = new AbortController()
    const running = run('do it', {}, controller.signal)
    for (let hop = 0; hop < hops; hop++) await Promise.resolve()
    controller.abort()
    expect(await running).toMatchObject({ exitReason: 'stopped' })
    expect(agent.inbox.waiting).toEqual([])
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(dataOf(agent.session.events, 'task/ended')).toHaveLength(1)
  }
})
