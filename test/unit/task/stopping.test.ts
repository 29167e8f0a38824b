// T1: stops, disposals and failures on the way. Whatever happens, the result comes, and says what it was.
import { describe, expect, test } from 'vitest'
import { runTask as exported } from '../../../src/entries/worker.ts'
import { runTask } from '../../../src/worker/plugins/task/run-task.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { hang, hold, reply, text, throws, toolCall } from '../../kit/replies.ts'
import { dataOf, eventWhere, typesOf } from '../../kit/test-runtime.ts'
import { bash, complete, notes, sh, taskSetup } from './kit.ts'

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

describe('T1 a run is one turn', () => {
  test('T1 what is queued meanwhile waits behind it', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(hold(pause), sh('ls')), complete(), text('hello')])
    const running = run()
    await pause.reached
    agent.send('later', { id: 'later' })
    pause.open()
    expect(await running).toMatchObject({ success: true, turnCount: 2 })
    await agent.whenIdle()
    const { events } = agent.session
    const ended = events.findIndex(({ type }) => type === 'task/ended')
    const later = events.findIndex((event) => event.type === 'user/message' && event.data.id === 'later')
    expect(later).toBeGreaterThan(ended)
    expect(dataOf(events, 'turn/end').map(({ turn, reason }) => `${turn} ${reason.kind}`)).toEqual(['1 completed', '2 completed'])
    expect(notes(events.slice(ended))).toEqual([])
  })

  test('T1 it waits for the turn that runs, and a cancel of that one does not hit it', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(hold(pause)), complete()])
    agent.send('chat')
    await pause.reached
    const running = run()
    agent.cancel()
    expect(await running).toMatchObject({ success: true })
    expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['aborted', 'completed'])
  })

  test('T1 stopped while it waits for another turn, it leaves that one alone', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(hold(pause), text('ok'))])
    agent.send('chat')
    await pause.reached
    const controller = new AbortController()
    const running = run('do it', {}, controller.signal)
    controller.abort()
    expect(await running).toMatchObject({ success: false, exitReason: 'stopped' })
    pause.open()
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'turn/end').map(({ reason }) => reason.kind)).toEqual(['completed'])
  })

  test('T1 two runs of one agent follow each other, each with its own turn and result', async () => {
    const { agent, run } = taskSetup([complete('c1'), text('no'), complete('c2')])
    const [one, two] = await Promise.all([run('one'), run('two')])
    expect(one).toMatchObject({ success: true, turnCount: 1 })
    expect(two).toMatchObject({ success: true, turnCount: 2 })
    expect(
      typesOf(agent.session.events).filter((type) => type.startsWith('t') && !type.startsWith('task/noted') && !type.startsWith('tool')),
    ).toEqual([...['task/started', 'turn/start', 'turn/end', 'task/ended'], ...['task/started', 'turn/start', 'turn/end', 'task/ended']])
  })

  test('T1 asked for by an observer of the log, it begins when the log can take it', async () => {
    const { agent, run, runtime } = taskSetup([complete()])
    let running: Promise<unknown> | undefined
    runtime.on('session/event', (_, { type }) => {
      if (type === 'turn/start') running ??= run()
    })
    agent.inject('a note')
    await agent.whenIdle()
    expect(await running).toMatchObject({ success: true })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T1 two of them asked for at once by an observer have a turn each', async () => {
    const { agent, run, runtime } = taskSetup([complete('c1'), complete('c2')])
    let running: Promise<readonly unknown[]> | undefined
    runtime.on('session/event', (_, { type }) => {
      if (type === 'turn/end') running ??= Promise.all([run('one'), run('two')])
    })
    agent.inject('a note')
    await agent.whenIdle()
    expect(await running).toMatchObject([{ success: true }, { success: true }])
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(3)
  })

  test('T1 steering enters it, and comes before any word of the run', async () => {
    const pause = gate()
    const { agent, run } = taskSetup([text('Done, I think.', { chunks: ['Done', pause, ', I think.'] }), complete()])
    const running = run()
    await pause.reached
    agent.steer('one more thing')
    pause.open()
    expect(await running).toMatchObject({ success: true, turnCount: 2 })
    expect(notes(agent.session.events)).not.toContain('nudge')
    expect(dataOf(agent.session.events, 'steering/message')).toHaveLength(1)
  })

  test('T1 completion that crossed steering is not the end: the model hears it first', async () => {
    const { agent, run } = taskSetup([complete(), text('That too is done.')], {
      tools: [
        {
          ...bash(),
          execute: (args: { readonly command: string }, context) => {
            context.agent?.steer('and the docs?')
            return bash().execute(args as never, context)
          },
        },
      ],
    })
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete', turnCount: 2 })
    expect(dataOf(agent.session.events, 'steering/message')).toHaveLength(1)
  })

  test('T1 steering that comes with the last word becomes a prompt of its own', async () => {
    const { agent, run, runtime } = taskSetup([sh('ls'), text('hello')])
    runtime.on(
      'agent/turn-continuation',
      async (_agent, _turn, _byDefault, next) => {
        const decision = await next()
        queueMicrotask(
          () => agent.status === 'running' && agent.session.events.at(-1)?.type !== 'turn/end' && agent.steer('late', { id: 'late' }),
        )
        return decision
      },
      { prepend: true },
    )
    expect(await run('do it', { maxSteps: 1 })).toMatchObject({ exitReason: 'max_iterations' })
    await eventWhere(runtime, agent, (event) => event.type === 'user/message' && event.data.id === 'late')
    await agent.whenIdle()
    expect(problemsOf(agent.session.events)).toEqual([])
  })
})

describe('T1 the end of a run is the end of its turn', () => {
  test('T1 whatever other plugins say after it', async () => {
    const { run, agent, runtime, model } = taskSetup([complete(), text('more')])
    const running = run()
    runtime.on('agent/turn-continuation', async (_agent, _turn, _byDefault, next) => next().then(() => ({ action: 'continue' })), {
      prepend: true,
    })
    expect(await running).toMatchObject({ success: true })
    expect(model.requests).toHaveLength(1)
    expect(dataOf(agent.session.events, 'turn/end')).toHaveLength(1)
  })

  test('T1 even if steering is in the log that nobody has answered: the limit holds, and the words stay', async () => {
    const { run, agent, model } = taskSetup([sh('ls'), text('more')], {
      tools: [
        {
          ...bash(),
          execute: (_: never, context) => {
            context.agent?.steer('one more thing')
            return 'ok'
          },
        },
      ],
    })
    expect(await run('do it', { maxSteps: 1 })).toMatchObject({ exitReason: 'max_iterations' })
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
    expect(JSON.stringify(agent.session.deriveMessages())).toContain('one more thing')
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

test('T1 the result is that of the agent at rest: after its flush', async () => {
  const { run, runtime, agent } = taskSetup([complete()])
  const order: string[] = []
  runtime.on('session/flush', async () => {
    await Promise.resolve()
    order.push(`flushed ${agent.session.events.at(-1)?.type}`)
  })
  await run()
  order.push(`result, ${agent.status}`)
  expect(order).toEqual(['flushed task/ended', 'result, idle'])
})

test('T1 runTask is what sideloop/worker exports', () => {
  expect(exported).toBe(runTask)
})
