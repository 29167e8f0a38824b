// T17: a failed model call asks the application once; it goes on with the error's text, or out.
import { describe, expect, test } from 'vitest'
import { retry } from '../../../src/worker/plugins/retry/retry.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { fails, finishError, reply, text, throws } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { complete, lastShown, notes, reminders, sh, taskSetup } from './kit.ts'

describe('T17 a model error', () => {
  test('T17 continue puts the text in, derives again in the same turn and step, and uses up a step', async () => {
    const { run, agent, model } = taskSetup([fails('overloaded', 'busy right now'), complete()])
    const asked: string[] = []
    const result = await run('do it', {
      onPausableError: async (error) => {
        asked.push(error.message)
        return 'continue'
      },
    })
    expect(result).toMatchObject({ success: true, turnCount: 1 })
    expect(asked).toEqual(['busy right now'])
    expect(lastShown(model.requests[1]!)).toContain('busy right now')
    expect(JSON.stringify(model.requests[1])).not.toBe(JSON.stringify(model.requests[0]))
    expect(dataOf(agent.session.events, 'turn/start')).toHaveLength(1)
    expect(dataOf(agent.session.events, 'step/start')).toHaveLength(1)
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(rebuildRequests(agent.session.events).map(({ json }) => json)).toEqual(model.requests.map((request) => JSON.stringify(request)))
  })

  test('T17 an error in the stream is one too, and what came before it is not kept', async () => {
    const { run, agent } = taskSetup([reply(text('half'), finishError('provider', 'broke')), complete()])
    expect(await run('do it', { onPausableError: async () => 'continue' })).toMatchObject({ success: true })
    expect(dataOf(agent.session.events, 'assistant/message')).toHaveLength(1)
  })

  test('T17 steps that were used up by errors count', async () => {
    const { run, model } = taskSetup([throws(new Error('a')), throws(new Error('b')), throws(new Error('c'))])
    const result = await run('do it', { maxSteps: 3, onPausableError: async () => 'continue' })
    expect(result).toMatchObject({ success: false, exitReason: 'max_iterations', turnCount: 0 })
    expect(model.requests).toHaveLength(3)
  })

  test('T17 stop ends the run as error_stop, with error in the summary', async () => {
    const { run, agent } = taskSetup([throws(new Error('no credit left'))])
    const result = await run('do it', { onPausableError: async () => 'stop' })
    expect(result).toMatchObject({ success: false, exitReason: 'error_stop' })
    expect(result.summary).toMatch(/error/)
    expect(result.summary).toContain('no credit left')
    expect(reminders(agent.session.events)).toEqual([])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T17 without a handler the run ends as execution_error', async () => {
    const { run } = taskSetup([throws(new Error('down'))])
    const result = await run()
    expect(result).toMatchObject({ success: false, exitReason: 'execution_error' })
    expect(result.summary).toContain('down')
  })

  test.each([
    ['throws', async () => Promise.reject(new Error('handler broke'))],
    ['says something else', async () => 'maybe' as never],
  ])('T17 a handler that %s does not hang the run', async (_, onPausableError) => {
    const { run } = taskSetup([throws(new Error('down'))])
    expect(await run('do it', { onPausableError })).toMatchObject({ success: false })
  })

  test('T17 asked once for each failed call', async () => {
    const { run } = taskSetup([throws(new Error('a')), sh('ls'), throws(new Error('b')), complete()])
    let asked = 0
    await run('do it', {
      onPausableError: async () => {
        asked++
        return 'continue'
      },
    })
    expect(asked).toBe(2)
  })

  test('T17 whoever can mend the call goes first: what is retried is not asked about, and uses up no step', async () => {
    const { run, runtime, agent } = taskSetup([fails('overloaded'), complete()])
    runtime.use(retry({ wait: async () => {} }))
    let asked = 0
    const result = await run('do it', {
      maxSteps: 1,
      onPausableError: async () => {
        asked++
        return 'stop'
      },
    })
    expect(result).toMatchObject({ success: true })
    expect(asked).toBe(0)
    expect(notes(agent.session.events)).toContain('retry')
  })

  test('T17 so does a policy that was registered after the run began', async () => {
    const { run, runtime } = taskSetup([fails('overloaded'), complete()])
    const running = run('do it', { maxSteps: 1, onPausableError: async () => 'stop' })
    runtime.on('agent/request-error', async () => ({ kind: 'retry' }))
    expect(await running).toMatchObject({ success: true })
  })

  test('T17 a failure before the call, as a variable without a value, is no pausable error', async () => {
    const { run, runtime } = taskSetup([])
    runtime.systemPrompt.section({ name: 'where', order: 10, text: 'In {{place}}.' })
    let asked = 0
    const result = await run('do it', {
      onPausableError: async () => {
        asked++
        return 'continue'
      },
    })
    expect(result).toMatchObject({ success: false, exitReason: 'execution_error' })
    expect(asked).toBe(0)
  })
})
