// The guard of plain chat (P-d01): the third identical call in a row gets a correction, the fifth ends the turn.
import { describe, expect, test } from 'vitest'
import { repeat } from '../../../src/worker/plugins/repeat/repeat.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import type { ToolDefinition } from '../../../src/worker/tools/tool.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { type Reply, rawToolCall, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'

const mounted = (replies: readonly Reply[]) => {
  const runs: string[] = []
  const read: ToolDefinition = defineTool({
    name: 'read',
    description: 'Reads.',
    parameters: { path: { type: 'string', required: true }, deep: { type: 'boolean' } },
    isConcurrencySafe: () => true,
    execute({ path }) {
      runs.push(path)
      return `it says ${path}`
    },
  })
  const made = testRuntime(replies)
  made.runtime.tools.register(read)
  const plugin = made.runtime.use(repeat())
  return { ...made, runs, plugin }
}

/** A model that never learns. */
const always = (reply: Reply, n = 20): readonly Reply[] => Array.from({ length: n }, () => reply)
const a = toolCall('read', { path: 'a' })

const answersIn = (events: Parameters<typeof dataOf>[0]) =>
  dataOf(events, 'tool/result').map(({ isError, error, content }) => ({
    isError,
    code: error?.code,
    text: content[0]?.type === 'text' ? content[0].text : '',
  }))

describe('P-d01', () => {
  test('P-d01 the third identical call is answered with a correction, the fifth ends the turn and says why', async () => {
    const { model, runs, start } = mounted(always(a))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    const { events } = agent.session
    expect(runs).toEqual(['a', 'a'])
    expect(model.requests).toHaveLength(5)
    const answers = answersIn(events)
    expect(answers.map(({ isError, code }) => [isError, code])).toEqual([
      [false, undefined],
      [false, undefined],
      [true, 'DUPLICATE'],
      [true, 'DUPLICATE'],
      [true, 'DUPLICATE'],
    ])
    expect(answers[2]?.text).toBe(
      'Error: this is the same call of read for the third time in a row, with the same arguments, so it was not run again: the result would be the one above. Use that result, or do something different.',
    )
    expect(answers[3]?.text).toMatch(/If you make it once more, the turn ends\.$/)
    expect(dataOf(events, 'turn/end')).toEqual([
      {
        turn: 1,
        reason: {
          kind: 'error',
          step: 5,
          code: 'model/failed',
          message:
            'The model made the same call of read 5 times in a row, so the turn was ended. Tell it what to do differently, or choose another model.',
        },
      },
    ])
    expect(problemsOf(events)).toEqual([])
  })

  test('P-d01 the order of keys, blanks and a missing object make no other call', async () => {
    const { runs, start } = mounted([
      rawToolCall('read', '{"path":"a","deep":true}'),
      rawToolCall('read', ' { "deep": true, "path": "a" } '),
      toolCall('read', { deep: true, path: 'a' }),
      text('ok'),
    ])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(runs).toEqual(['a', 'a'])
    expect(answersIn(agent.session.events)[2]?.code).toBe('DUPLICATE')
  })

  test('P-d01 another call between them begins the count anew', async () => {
    const b = toolCall('read', { path: 'b' })
    const { runs, start } = mounted([a, a, b, a, a, b, b, a, text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(runs).toEqual(['a', 'a', 'b', 'a', 'a', 'b', 'b', 'a'])
    expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'completed' } }])
  })

  test('P-d01 a new turn begins the count anew', async () => {
    const { runs, start } = mounted([a, a, text('ok'), a, a, text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    agent.send('again')
    await agent.whenIdle()
    expect(runs).toHaveLength(4)
  })

  test('P-d01 a person who steers may well ask for the same again', async () => {
    const { model, runs, runtime, start } = mounted([a, a, a, a, text('ok')])
    runtime.on('tools/result', () => {
      if (model.requests.length === 2) agent.steer('look again, it changed')
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(runs).toHaveLength(4)
  })

  test('P-d01 five in one reply are answered together: the turn goes on, for the model had no word of it', async () => {
    const five = ['1', '2', '3', '4', '5'].map((id) => toolCall('read', { path: 'a' }, id))
    const { runs, start } = mounted([reply(...five), text('I see.')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(runs).toHaveLength(2)
    expect(answersIn(agent.session.events).map(({ code }) => code)).toEqual([undefined, undefined, 'DUPLICATE', 'DUPLICATE', 'DUPLICATE'])
    expect(dataOf(agent.session.events, 'turn/end')).toEqual([{ turn: 1, reason: { kind: 'completed' } }])
  })

  test('P-d01 a call that never runs at all ends the turn too: a tool that does not exist, arguments that do not fit', async () => {
    for (const wrong of [toolCall('raed', {}), toolCall('read', { paht: 'a' })]) {
      const { model, start } = mounted(always(wrong))
      const agent = start()
      agent.send('go')
      await agent.whenIdle()
      expect(model.requests).toHaveLength(5)
      expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'error' } }])
    }
  })

  test('P-d01 the next turn runs: nothing of the count is left', async () => {
    const { model, runs, start } = mounted([...always(a, 5), a, text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    agent.continue()
    await agent.whenIdle()
    model.assertPlayed()
    expect(runs).toHaveLength(3)
    expect(dataOf(agent.session.events, 'turn/end').at(-1)).toEqual({ turn: 2, reason: { kind: 'completed' } })
  })

  test('P-d01 each agent is counted by itself, a child like any other', async () => {
    const twice: Reply = ({ messages }) => (messages.length < 5 ? a : text('ok'))
    const { runs, runtime, start } = mounted([...always(twice, 6), ...always(a, 5)])
    const parent = start()
    const child = runtime.agents.start('child', { provider: 'test', model: 'scripted' })
    parent.send('go')
    child.send('go')
    await Promise.all([parent.whenIdle(), child.whenIdle()])
    expect(runs).toHaveLength(4)
    child.send('go on')
    await child.whenIdle()
    expect(runs).toHaveLength(6)
    expect(dataOf(child.session.events, 'turn/end').at(-1)).toMatchObject({ reason: { kind: 'error' } })
  })

  test('P-d01 stands down while a task run is open, and is back after it', async () => {
    const { runs, start } = mounted([...always(a, 6), text('ok'), ...always(a, 3), text('ok')])
    const agent = start()
    agent.session.append('task/started', { run: 'r', kind: 'task', prompt: [] })
    agent.send('go')
    await agent.whenIdle()
    expect(runs).toHaveLength(6)
    const result = { success: true, exitReason: 'status_complete', summary: '', toolCount: 6, turnCount: 7, totalCost: null } as const
    agent.session.append('task/ended', { run: 'r', result: { ...result, totalUsage: { inputTokens: 0, outputTokens: 0 } } })
    agent.send('chat')
    await agent.whenIdle()
    expect(runs).toHaveLength(8)
  })

  test('P-d01 a tool that may be polled is exempt', async () => {
    const poll = toolCall('poll', {})
    const { runs, runtime, start } = mounted([...always(poll, 6), text('ok')])
    runtime.tools.register(
      defineTool({
        name: 'poll',
        description: 'Is it done?',
        parameters: {},
        polling: true,
        execute() {
          runs.push('poll')
          return 'not yet'
        },
      }),
    )
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(runs).toHaveLength(6)
  })

  test('P-d01 nobody is asked for permission in vain', async () => {
    const made = testRuntime([a, a, a, a, text('ok')])
    let asked = 0
    made.runtime.on('tools/pre-execute', async () => {
      asked++
      return { kind: 'deny', reason: 'the person said no' }
    })
    made.runtime.tools.register(defineTool({ name: 'read', description: 'Reads.', parameters: {}, execute: () => 'x' }))
    made.runtime.use(repeat())
    const agent = made.start()
    agent.send('go')
    await agent.whenIdle()
    expect(asked).toBe(2)
    expect(answersIn(agent.session.events).map(({ code }) => code)).toEqual(['DENIED', 'DENIED', 'DUPLICATE', 'DUPLICATE'])
  })

  test('L72 unmounted, it corrects nothing', async () => {
    const { runs, plugin, start } = mounted([...always(a, 6), text('ok')])
    await plugin.dispose()
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(runs).toHaveLength(6)
  })
})
