// L4: what decides whether a turn goes on after a step.
import { describe, expect, test } from 'vitest'
import { gate } from '../../kit/gate.ts'
import { reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, testRuntime, typesOf } from '../../kit/test-runtime.ts'
import { echo, words } from './samples.ts'

describe('L4 after a step', () => {
  const continuations = async (replies: Parameters<typeof testRuntime>[0]) => {
    const made = testRuntime(replies)
    made.runtime.tools.register(echo)
    const defaults: string[] = []
    made.runtime.on('agent/turn-continuation', (_agent, _turn, byDefault, next) => {
      defaults.push(byDefault.action)
      return next()
    })
    return { ...made, defaults }
  }

  test('the turn goes on by default if tools ran, else it stops', async () => {
    const { defaults, start } = await continuations([toolCall('echo', { text: 'x' }), text('done')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(defaults).toEqual(['continue', 'stop'])
  })

  test('the turn goes on by default if steering arrived in it', async () => {
    const pause = gate()
    const { defaults, start } = await continuations([text('one', { chunks: ['o', pause, 'ne'] }), text('two')])
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.steer('left')
    pause.open()
    await agent.whenIdle()
    expect(defaults).toEqual(['continue', 'stop'])
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
  })

  test('a continue with a reason becomes steering of the next step', async () => {
    const { runtime, model, start } = testRuntime([text('one'), text('two')])
    let asked = 0
    runtime.on('agent/turn-continuation', async (_agent, _turn, _byDefault, next) =>
      asked++ === 0 ? { action: 'continue', reason: { content: words('go on'), source: { kind: 'plugin', plugin: 'p' } } } : next(),
    )
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(typesOf(agent.session.events).slice(-7)).toEqual([
      'step/end',
      'steering/message',
      'step/start',
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '<steering source="plugin">' },
        { type: 'text', text: 'go on' },
        { type: 'text', text: '</steering>' },
      ],
    })
  })

  test('a continue without a reason asks the model again', async () => {
    const { runtime, model, start } = testRuntime([text('one'), text('two')])
    let asked = 0
    runtime.on('agent/turn-continuation', async (_agent, _turn, _byDefault, next) => (asked++ === 0 ? { action: 'continue' } : next()))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(2)
    expect(dataOf(agent.session.events, 'step/start').map(({ step }) => step)).toEqual([1, 2])
  })

  test('pending steering overrides an ordinary stop', async () => {
    const { runtime, model, start } = testRuntime([text('one'), text('two')])
    let asked = 0
    runtime.on('agent/turn-continuation', async (agent) => {
      if (asked++ === 0) agent.steer('wait')
      return { action: 'stop' }
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(2)
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
    expect(dataOf(agent.session.events, 'steering/message')).toHaveLength(1)
  })

  test('steering that the model has not seen yet overrides it too', async () => {
    const pause = gate()
    const { runtime, model, start } = testRuntime([text('one', { chunks: ['o', pause, 'ne'] }), text('two')])
    runtime.on('agent/turn-continuation', async () => ({ action: 'stop' }))
    const agent = start()
    agent.send('go')
    await pause.reached
    agent.steer('wait')
    pause.open()
    await agent.whenIdle()
    expect(model.requests).toHaveLength(2)
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
  })

  test('an ordinary stop after tools ran ends the turn', async () => {
    const { runtime, model, start } = testRuntime([toolCall('echo', { text: 'x' })])
    runtime.tools.register(echo)
    runtime.on('agent/turn-continuation', async () => ({ action: 'stop' }))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toEqual({ kind: 'completed' })
  })

  test('a stop from agent/turn-stop is final: it discards steering, not queued prompts', async () => {
    const { runtime, start } = testRuntime([reply(toolCall('echo', { text: 'x' })), text('second')])
    runtime.tools.register(echo)
    runtime.on('agent/turn-stop', (agent, turn) => {
      if (turn > 1) return undefined
      agent.steer('dropped')
      agent.send('kept', { id: 'kept' })
      return { action: 'stop' }
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'steering/message')).toEqual([])
    expect(dataOf(agent.session.events, 'user/message').map(({ content }) => content)).toEqual([words('go'), words('kept')])
    expect(agent.inbox.waiting).toEqual([])
  })

  test('what agent/turn-stop gives other than a stop changes nothing', async () => {
    const { runtime, model, start } = testRuntime([toolCall('echo', { text: 'x' }), text('done')])
    runtime.tools.register(echo)
    runtime.on('agent/turn-stop', () => undefined)
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(2)
  })
})
