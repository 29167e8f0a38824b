// T1 to T5: how runs end, what counts as a signal, what the gate says, and what an unfinished status leads to.
import { describe, expect, test } from 'vitest'
import type { TaskKind } from '../../../src/storage/log/events.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { reply, text, toolCall } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { bash, COMPLETE, complete, lastShown, notes, reminders, sh, signalling, taskSetup } from './kit.ts'

const status = { task: 'the work', done: 'a part', remaining: '', complete: false, hasExplicitFlag: false }

describe('T1 every run yields a result with its true outcome', () => {
  test('T1 status_complete_post_tool: a tool reported completion', async () => {
    const { run, model, agent } = taskSetup([sh('ls'), complete()])
    expect(await run()).toEqual({
      success: true,
      exitReason: 'status_complete_post_tool',
      summary: 'all of it',
      toolCount: 2,
      turnCount: 2,
      totalCost: null,
      totalUsage: { inputTokens: 20, outputTokens: 10 },
    })
    model.assertPlayed()
    expect(agent.status).toBe('idle')
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('T1 status_complete: completion was reported earlier, then the model ended with text', async () => {
    const reported = signalling('report', { statusResult: { ...status, complete: true, hasExplicitFlag: true } })
    const { run, model } = taskSetup([toolCall('report'), text('It is all done.')], { tools: [reported] })
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete', summary: 'It is all done.', turnCount: 2 })
    model.assertPlayed()
  })

  test.each(['', 'none', 'None.', 'n/a', 'N/A', 'nothing', 'Nothing!'])(
    'T1 status_remaining_empty: a status without flag of which %j remains',
    async (remaining) => {
      const { run } = taskSetup([toolCall('report')], { tools: [signalling('report', { statusResult: { ...status, remaining } })] })
      expect(await run()).toMatchObject({ success: true, exitReason: 'status_remaining_empty', summary: 'a part' })
    },
  )

  test.each<TaskKind>(['explore', 'plan', 'setup'])(
    'T1 agent_type_exit: the first text of %s ends the run, without a nudge',
    async (kind) => {
      const { run, agent, model } = taskSetup([sh('ls'), text('Here is what I found.')], {
        tools: [{ ...bash(), readOnly: true }],
      })
      expect(await run('look', { kind })).toMatchObject({ success: true, exitReason: 'agent_type_exit', summary: 'Here is what I found.' })
      expect(reminders(agent.session.events)).toEqual([])
      model.assertPlayed()
    },
  )

  test('T1 a kind that ends with text is not nudged when it says nothing either', async () => {
    const { run, agent } = taskSetup([text('')])
    expect(await run('look', { kind: 'explore' })).toMatchObject({ success: false, exitReason: 'nudge_exhaustion' })
    expect(notes(agent.session.events)).not.toContain('nudge')
  })

  test('T1 setup_complete: a tool signalled it', async () => {
    const { run } = taskSetup([toolCall('ready')], { tools: [signalling('ready', { setupComplete: true })] })
    expect(await run('set up', { kind: 'setup' })).toMatchObject({ success: true, exitReason: 'setup_complete' })
  })

  test('T1 awaiting_user: an interview that asked in text', async () => {
    const { run, agent } = taskSetup([text('Which colour?')])
    expect(await run('ask me', { kind: 'interview' })).toMatchObject({
      success: true,
      exitReason: 'awaiting_user',
      summary: 'Which colour?',
    })
    expect(reminders(agent.session.events)).toEqual([])
  })

  test('T1 awaiting_user: a tool that signalled it, which is no completion even beside one', async () => {
    const tools = [signalling('ask', { awaitingUser: true }), bash()]
    const { run } = taskSetup([reply(complete('c1'), toolCall('ask', {}, 'c2'))], { tools })
    const result = await run()
    expect(result).toMatchObject({ success: true, exitReason: 'awaiting_user' })
    expect(result.summary).not.toMatch(/complete/i)
  })

  test('T1 nudge_exhaustion: the summary says nudge and the number', async () => {
    const { run, model } = taskSetup([text('a'), text('b'), text('c')])
    const result = await run('do it', { maxNudges: 2 })
    expect(result).toMatchObject({ success: false, exitReason: 'nudge_exhaustion' })
    expect(result.summary).toMatch(/2 nudge/)
    model.assertPlayed()
  })

  test('T1 max_iterations: the summary says the number, and it is no success even if the last step went well', async () => {
    const { run, agent } = taskSetup([sh('a'), sh('b'), sh('c')])
    const result = await run('do it', { maxSteps: 3 })
    expect(result).toMatchObject({ success: false, exitReason: 'max_iterations', turnCount: 3 })
    expect(result.summary).toContain('3')
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toEqual({ kind: 'completed' })
  })

  test('T1 completion on the last allowed step is completion', async () => {
    const { run } = taskSetup([sh('a'), complete()])
    expect(await run('do it', { maxSteps: 2 })).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
  })

  test('T1 a reminder is not left behind by a run that has no step to answer it', async () => {
    const { run, agent } = taskSetup([sh('a'), text('b')])
    expect(await run('do it', { maxSteps: 2 })).toMatchObject({ exitReason: 'max_iterations' })
    expect(reminders(agent.session.events)).toEqual([])
  })

  test('T1 a prompt that was blocked, and one that is none, come as execution_error', async () => {
    const { run, runtime, agent } = taskSetup([])
    expect(await run([{ type: 'nonsense' } as never])).toMatchObject({ success: false, exitReason: 'execution_error' })
    runtime.on('agent/prompt-submit', async () => ({ kind: 'block', reason: 'not today' }))
    const result = await run('do it')
    expect(result).toMatchObject({ success: false, exitReason: 'execution_error' })
    expect(result.summary).toContain('not today')
    expect(dataOf(agent.session.events, 'task/ended')).toHaveLength(2)
  })

  test.each([
    { kind: 'dance' },
    { maxSteps: 0 },
    { maxSteps: 1.5 },
    { maxNudges: -1 },
    { budget: { tokens: 0 } },
    { completionGate: 'yes' },
  ])('T1 options that make no sense come as execution_error: %j', async (options) => {
    const { run, model } = taskSetup([])
    const result = await run('do it', options as never)
    expect(result).toMatchObject({ success: false, exitReason: 'execution_error', turnCount: 0 })
    expect(result.summary).toMatch(/must be|of the kind/)
    model.assertPlayed()
  })

  test('T1 something that is no agent comes as execution_error', async () => {
    const { runTask } = await import('../../../src/worker/plugins/task/run-task.ts')
    expect(await runTask({} as never, 'do it')).toMatchObject({ success: false, exitReason: 'execution_error' })
  })

  test('T1 a turn that another plugin ends is not reported as done', async () => {
    const { run, runtime } = taskSetup([sh('ls')])
    runtime.on('agent/turn-stop', () => ({ action: 'stop' }))
    expect(await run()).toMatchObject({ success: false, exitReason: 'execution_error' })
  })

  test('T1 all state is of one run: a second one starts clean', async () => {
    const { run, agent } = taskSetup([text('a'), complete(), text('b'), complete('c2')])
    await run('one', { maxNudges: 1 })
    expect(await run('two', { maxNudges: 1 })).toMatchObject({ success: true, turnCount: 2, toolCount: 1 })
    const current = dataOf(agent.session.events, 'task/noted').flatMap(({ name, data }) => (name === 'iteration' ? [data] : []))
    expect(current).toEqual([1, 2, 1, 2].map((step) => ({ current: step, max: 100 })))
  })
})

describe('T3 a signal counts only if the command that made it succeeded', () => {
  test('T3 a table with a Status column and the words --complete end nothing', async () => {
    const table = `| File | Status |\n|---|---|\n| a | --complete |\n\nstatus --task T --done D --complete`
    const { run, agent } = taskSetup([text(table), complete()])
    expect(await run()).toMatchObject({ exitReason: 'status_complete_post_tool', turnCount: 2 })
    expect(notes(agent.session.events)).toContain('nudge')
  })

  test.each([
    ['a chain that broke before it', `fail && ${COMPLETE}`],
    ['a chain that broke behind it', `${COMPLETE} && fail`],
    ['a usage error', 'status --done D --complete'],
    ['a command that only prints it', `echo "${'status --task T --done D --complete'}"`],
  ])('T3 %s signals nothing', async (_, command) => {
    const { run } = taskSetup([sh(command), complete('c2')])
    expect(await run()).toMatchObject({ exitReason: 'status_complete_post_tool', turnCount: 2 })
  })

  test('T3 a completion inside a chain that was reached counts', async () => {
    const { run } = taskSetup([sh(`build && ${COMPLETE}`)])
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
  })

  test('T3 the signals of a failed result do not count, whatever they say', async () => {
    const tools = [signalling('broken', { statusComplete: true, setupComplete: true, awaitingUser: true }, true), bash()]
    const { run } = taskSetup([toolCall('broken'), complete()], { tools })
    expect(await run()).toMatchObject({ exitReason: 'status_complete_post_tool', turnCount: 2 })
  })

  test.each([
    ['a signal that is no true', { statusComplete: 'true', setupComplete: 1, awaitingUser: {} }],
    ['a status without task and done', { statusResult: { remaining: 'none' } }],
    ['no object', 'statusComplete'],
  ])('T3 %s is no signal', async (_, signals) => {
    const { run } = taskSetup([toolCall('odd'), complete()], { tools: [signalling('odd', signals as never), bash()] })
    expect(await run()).toMatchObject({ exitReason: 'status_complete_post_tool', turnCount: 2 })
  })

  test('T3 of two reports in one reply the last one stands', async () => {
    const { run } = taskSetup([
      reply(complete('c1'), sh('status --task T --done D --remaining tests --incomplete', 'c2')),
      text('going on'),
      complete('c3'),
    ])
    expect(await run()).toMatchObject({ exitReason: 'status_complete_post_tool', turnCount: 3 })
  })
})

describe('T4 the gate', () => {
  test('T4 a string sends the work back as a reminder, and null accepts', async () => {
    const answers = ['The tests do not pass yet.', null]
    const { run, agent, model } = taskSetup([complete('c1'), complete('c2')], {})
    const { run: again, model: second, agent: other } = taskSetup([complete('c1'), sh('test'), complete('c2')])
    expect(await again('do it', { completionGate: async () => answers.shift() ?? null })).toMatchObject({
      success: true,
      exitReason: 'status_complete_post_tool',
      turnCount: 3,
    })
    expect(reminders(other.session.events)).toEqual([expect.stringContaining('The tests do not pass yet.')])
    expect(lastShown(second.requests[1]!)).toContain('The tests do not pass yet.')
    // The same report again would be the same call: it is answered as a duplicate, and the pending status is gone.
    expect(await run('do it', { maxSteps: 2, completionGate: async () => 'no' })).toMatchObject({
      success: false,
      exitReason: 'max_iterations',
    })
    expect(agent.session.events.some(({ type }) => type === 'task/ended')).toBe(true)
    model.assertPlayed()
  })

  test('T4 what was sent back does not count when the model then ends with text', async () => {
    const { run, agent } = taskSetup([complete('c1'), text('It is done, I said.'), sh('fix'), complete('c2')])
    const answers = ['Not yet.', null]
    expect(await run('do it', { completionGate: async () => answers.shift() ?? null })).toMatchObject({ success: true, turnCount: 4 })
    expect(notes(agent.session.events).filter((name) => name === 'nudge')).toHaveLength(1)
  })

  test.each([
    ['completion that a text ends', { statusResult: { ...status, complete: true, hasExplicitFlag: true } }, true],
    ['a status of which nothing remains', { statusResult: { ...status, remaining: 'none' } }, false],
    ['a finished setup', { setupComplete: true }, false],
  ])('T4 is asked about %s', async (_, signals, withText) => {
    let asked = 0
    const { run } = taskSetup([toolCall('report'), ...(withText ? [text('done')] : [])], { tools: [signalling('report', signals)] })
    const completionGate = async () => {
      asked++
      return null
    }
    expect(await run('do it', { completionGate })).toMatchObject({ success: true })
    expect(asked).toBe(1)
  })

  test('T1 T4 a gate that throws still yields a result', async () => {
    const { run } = taskSetup([complete()])
    const completionGate = async () => {
      throw new Error('the gate is broken')
    }
    const result = await run('do it', { completionGate })
    expect(result).toMatchObject({ success: false, exitReason: 'execution_error' })
    expect(result.summary).toContain('the gate is broken')
  })
})

describe('T5 a status that is not complete, and then a text', () => {
  test('T5 goes on with a short reminder that names the remaining work', async () => {
    const { run, agent, model } = taskSetup([
      sh('status --task T --done D --remaining write the tests --incomplete'),
      text('I will write the tests.'),
      complete(),
    ])
    expect(await run()).toMatchObject({ success: true, turnCount: 3 })
    expect(reminders(agent.session.events)).toEqual([expect.stringContaining('write the tests')])
    expect(model.requests[2]?.messages.at(-1)?.role).toBe('user')
    expect(notes(agent.session.events)).not.toContain('nudge')
  })

  test('T5 so does one without flag but with real remaining work', async () => {
    const { run, agent } = taskSetup([sh('status --task T --done D --remaining the docs'), text('Next: the docs.'), complete()])
    expect(await run()).toMatchObject({ success: true })
    expect(reminders(agent.session.events)).toEqual([expect.stringContaining('the docs')])
  })

  test('T5 resets the nudges', async () => {
    const { run, agent } = taskSetup([
      ...[text('a'), text('b')],
      ...[sh('status --task T --done D --remaining more --incomplete'), text('c'), text('d'), text('e')],
      complete(),
    ])
    expect(await run('do it', { maxNudges: 2 })).toMatchObject({ success: true })
    const attempts = dataOf(agent.session.events, 'task/noted').flatMap(({ name, data }) => (name === 'nudge' ? [data] : []))
    expect(attempts).toEqual([1, 2, 1, 2].map((attempt) => ({ attempt, max: 2 })))
  })

  test('T5 an explicit flag outweighs what remains', async () => {
    const { run } = taskSetup([sh('status --task T --done D --remaining small things --complete')])
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
  })
})
