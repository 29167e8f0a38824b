// T1: a run is one turn: what waits before and behind it, what steering does to it, and that its end is the end of its turn.
import { describe, expect, test } from 'vitest'
import { runTask as exported } from '../../../src/entries/worker.ts'
import { runTask } from '../../../src/worker/plugins/task/run-task.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { hold, reply, text } from '../../kit/replies.ts'
import { dataOf, eventWhere, typesOf } from '../../kit/test-runtime.ts'
import { bash, complete, notes, sh, taskSetup } from './kit.ts'

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
