// T31 and T32: what tools are told of the run, and progress that is in the log and told once.
import { describe, expect, test } from 'vitest'
import type { TaskKind } from '../../../src/storage/log/events.ts'
import type { RunContext } from '../../../src/worker/hooks/tool.ts'
import { retry } from '../../../src/worker/plugins/retry/retry.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { gate } from '../../kit/gate.ts'
import { fails, hold, reasoning, reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { bash, complete, sh, taskSetup } from './kit.ts'

const asking = (seen: (RunContext | undefined)[]) =>
  defineTool({
    name: 'who',
    description: 'Which run?',
    parameters: { n: { type: 'number' } },
    readOnly: true,
    execute: (_, { run }) => {
      seen.push(run)
      return 'ok'
    },
  })

describe('T31 tools get', () => {
  test('T31 the number of the model response, from 1 on, in each run anew', async () => {
    const seen: (RunContext | undefined)[] = []
    const who = (n: number) => toolCall('who', { n })
    const { run } = taskSetup([reply(who(1), who(2)), text('hm'), who(3), complete('c1'), who(4), complete('c2')], {
      tools: [asking(seen), bash()],
    })
    await run('one')
    await run('two')
    expect(seen.map((context) => context?.turnId)).toEqual([1, 1, 3, 1])
  })

  test.each<[TaskKind, boolean]>([
    ['orchestrator', false],
    ['task', false],
    ['interview', false],
    ['setup', false],
    ['explore', true],
    ['plan', true],
  ])('T31 the kind %s and whether it only reads: %s', async (kind, readOnly) => {
    const seen: (RunContext | undefined)[] = []
    const { run } = taskSetup([toolCall('who'), text('a?'), ...[1, 2, 3, 4].map(() => text('b'))], { tools: [asking(seen)] })
    await run('do it', { kind })
    expect(seen).toEqual([{ turnId: 1, kind, readOnly }])
  })

  test('T31 nothing outside of a run, before and after one', async () => {
    const seen: (RunContext | undefined)[] = []
    const { run, agent } = taskSetup([toolCall('who'), text('ok'), complete(), toolCall('who'), text('ok')], {
      tools: [asking(seen), bash()],
    })
    agent.send('chat')
    await agent.whenIdle()
    await run()
    agent.send('chat')
    await agent.whenIdle()
    expect(seen).toEqual([undefined, undefined])
  })

  test('T31 after a question too: policies see the run in the execution', async () => {
    const { run, runtime } = taskSetup([sh('ls'), complete()])
    const seen: (number | undefined)[] = []
    runtime.on('tools/pre-execute', async (execution, next) => {
      seen.push(execution.run?.turnId)
      return next()
    })
    await run()
    expect(seen).toEqual([1, 2])
  })
})

describe('T32 progress', () => {
  test('T32 is in the log between task/started and task/ended, and what is told is what is logged', async () => {
    const { run, agent, progress } = taskSetup([sh('fail'), text(''), reasoning('hm'), text('a'), toolCall('nope'), complete()])
    const result = await run('the prompt', { kind: 'orchestrator' })
    const { events } = agent.session
    const [started] = dataOf(events, 'task/started')
    expect(started).toEqual({ run: expect.any(String), kind: 'orchestrator', prompt: [{ type: 'text', text: 'the prompt' }] })
    expect(dataOf(events, 'task/ended')).toEqual([{ run: started?.run, result }])
    const noted = dataOf(events, 'task/noted')
    expect(noted.every(({ run: id }) => id === started?.run)).toBe(true)
    expect(progress.filter(({ name }) => name !== 'tool_status')).toEqual(noted.map(({ name, data }) => ({ name, data })))
    expect(noted.map(({ name, data }) => `${name} ${JSON.stringify(data)}`)).toEqual(
      [
        'iteration {"current":1,"max":100}',
        'tool_error_retry {"attempt":1,"max":2}',
        'iteration {"current":3,"max":100}',
        'reasoning_only_retry {"attempt":1,"max":2}',
        'iteration {"current":4,"max":100}',
        'nudge {"attempt":1,"max":3}',
        'iteration {"current":5,"max":100}',
        'malformed_tool_call {"retry":1,"maxRetries":2,"totalFailures":1,"invalidToolName":"nope"}',
        'iteration {"current":6,"max":100}',
        'exit_reason {"reason":"status_complete_post_tool","success":true,"steps":6,"toolCount":2}',
      ].toSpliced(1, 0, 'iteration {"current":2,"max":100}'),
    )
  })

  test('T32 the status of a call is told by its id, running and then how it came out; the log has it as call and result', async () => {
    const { run, progress, agent } = taskSetup([reply(sh('ls', 'c1'), sh('fail', 'c2')), sh('fail', 'c3'), complete('c4')])
    await run()
    expect(progress.flatMap(({ name, data }) => (name === 'tool_status' ? [data] : []))).toEqual([
      { callId: 'c1', status: 'running' },
      { callId: 'c1', status: 'completed' },
      { callId: 'c2', status: 'running' },
      { callId: 'c2', status: 'failed' },
      { callId: 'c3', status: 'running' },
      { callId: 'c3', status: 'failed', error: 'DUPLICATE' },
      { callId: 'c4', status: 'running' },
      { callId: 'c4', status: 'completed' },
    ])
    expect(dataOf(agent.session.events, 'task/noted').some(({ name }) => name === 'tool_status')).toBe(false)
  })

  test('T32 a retry and a question that waits are told where they happen', async () => {
    const answered = gate()
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      parameters: {},
      async execute(_, { agent, callId }) {
        agent?.session.append('question/asked', { callId, questions: [{ id: 'q', text: 'Which?' }] })
        answered.arrive()
        await answered.opened
        agent?.session.append('question/answered', { callId, answers: [] })
        return 'this one'
      },
    })
    const { run, runtime, agent } = taskSetup([fails('overloaded', 'busy'), toolCall('ask', {}, 'c1'), complete()], {
      tools: [ask, bash()],
    })
    runtime.use(retry({ wait: async () => {} }))
    const running = run()
    await answered.reached
    await Promise.resolve()
    const noted = dataOf(agent.session.events, 'task/noted')
    expect(noted.find(({ name }) => name === 'retry')?.data).toMatchObject({ attempt: 1, message: 'busy' })
    expect(noted.at(-1)).toMatchObject({ name: 'waiting', data: { on: 'answer', callId: 'c1' } })
    answered.open()
    expect(await running).toMatchObject({ success: true })
  })

  test('T32 stopped and exit_reason come once each, whatever ends the run', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(hold(pause))])
    const running = run()
    await pause.reached
    agent.cancel('enough')
    await running
    const noted = dataOf(agent.session.events, 'task/noted').map(({ name, data }) => [name, data])
    expect(noted.slice(-2)).toEqual([
      ['stopped', { reason: 'enough' }],
      ['exit_reason', { reason: 'stopped', success: false, steps: 1, toolCount: 0 }],
    ])
  })

  test('T32 an application that throws in onProgress changes nothing', async () => {
    const { run, reported } = taskSetup([sh('ls'), complete()])
    const onProgress = () => {
      throw new Error('the page is broken')
    }
    expect(await run('do it', { onProgress })).toMatchObject({ success: true })
    expect(reported.length).toBeGreaterThan(0)
    expect(reported.every(({ where }) => where.includes('onProgress'))).toBe(true)
  })

  test('T32 an application may steer from inside of onProgress', async () => {
    const { run, agent } = taskSetup([sh('ls'), text('that too'), complete()])
    let steered = false
    const onProgress = (name: string) => {
      if (name !== 'tool_status' || steered) return
      steered = true
      agent.steer('and the docs')
    }
    expect(await run('do it', { onProgress })).toMatchObject({ success: true })
    expect(dataOf(agent.session.events, 'steering/message')).toHaveLength(1)
  })
})
