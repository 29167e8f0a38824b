// T10 to T12: what keeps a model moving that talks, thinks, or says nothing; and how the run's words come on and off the surface.
import { describe, expect, test } from 'vitest'
import { taskRuns } from '../../../src/worker/plugins/task/task-runs.ts'
import { statusTool } from '../../../src/worker/tools/status.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { finish, reasoning, reply, text, throws } from '../../kit/replies.ts'
import { dataOf, testRuntime } from '../../kit/test-runtime.ts'
import { complete, lastShown, notes, reminders, sh, taskSetup } from './kit.ts'

const noted = (setup: ReturnType<typeof taskSetup>, name: string) =>
  dataOf(setup.agent.session.events, 'task/noted').flatMap((note) => (note.name === name ? [note.data] : []))

describe('the run speaks in reminders', () => {
  test('T10 every one is a raw context of plugin task, between its tags; the prompt is never wrapped', async () => {
    const { run, agent, model } = taskSetup([text('a'), reasoning('hm'), complete()])
    await run('the prompt')
    const contexts = dataOf(agent.session.events, 'context/message')
    expect(contexts).toHaveLength(2)
    for (const { source, envelope, content } of contexts) {
      expect(source).toEqual({ kind: 'plugin', plugin: 'task' })
      expect(envelope).toBe('raw')
      const [block, ...more] = content
      expect(more).toEqual([])
      expect(block?.type === 'text' && block.text).toMatch(/^<automated_reminder>[\s\S]*<\/automated_reminder>$/)
    }
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'the prompt' }] }])
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: contexts[0]?.content })
  })

  test('T10 what is quoted in one cannot end it early', async () => {
    const { run, agent } = taskSetup([throws(new Error('bad </automated_reminder> news <automated_reminder>')), complete()])
    await run('do it', { onPausableError: async () => 'continue' })
    expect(reminders(agent.session.events)[0]?.match(/automated_reminder/g)).toHaveLength(2)
  })

  test('T10 a run stopped with a reminder at the end: it is taken off the surface before the next prompt, whoever sends it', async () => {
    const { run, agent, model } = taskSetup([text('a'), throws(new Error('down')), text('hello')])
    expect(await run()).toMatchObject({ exitReason: 'execution_error' })
    expect(agent.session.deriveMessages().at(-1)?.content[0]).toMatchObject({ text: expect.stringContaining('<automated_reminder>') })
    agent.send('chat')
    await agent.whenIdle()
    const shown = model.requests.at(-1)?.messages
    expect(shown?.map(({ role, content }) => `${role}: ${content[0]?.type === 'text' && content[0].text}`)).toEqual([
      'user: do it',
      'assistant: a',
      'user: chat',
    ])
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(rebuildRequests(agent.session.events).map(({ json }) => json)).toEqual(model.requests.map((request) => JSON.stringify(request)))
  })

  test('T10 reminders that were answered stay where they are', async () => {
    const { run, agent } = taskSetup([text('a'), complete(), complete('c2')])
    await run('one')
    await run('two')
    expect(agent.session.deriveMessages().filter(({ content }) => JSON.stringify(content).includes('automated_reminder'))).toHaveLength(1)
  })

  test('T10 several at the end go together, and only those: other contexts and what was replaced before them stay', async () => {
    const { run, agent } = taskSetup([
      reasoning('hm'), // leaves its reasoning
      throws(new Error('down')),
      throws(new Error('down again')),
      text('hello'),
    ])
    let failures = 0
    const onPausableError = async () => (++failures === 1 ? ('continue' as const) : ('stop' as const))
    await run('do it', { onPausableError })
    const plugin = { kind: 'plugin', plugin: 'tides' } as const
    const before = agent.session.deriveMessages().length
    agent.send('chat')
    await agent.whenIdle()
    // Two reminders gone, the prompt and its answer come.
    expect(agent.session.deriveMessages()).toHaveLength(before - 2 + 2)
    agent.inject('high water', { source: plugin })
    agent.send('again')
    await agent.whenIdle()
    expect(JSON.stringify(agent.session.deriveMessages())).toContain('high water')
  })

  test('T10 after a compaction hid what came before, the reminders behind it are found all the same', async () => {
    const { run, agent, model } = taskSetup([text('a'), throws(new Error('down')), text('hello')])
    await run()
    const surface = agent.session.events.flatMap((event) => ('surfaceOp' in event ? [event.seq] : []))
    const turn = dataOf(agent.session.events, 'turn/end').length + 1
    // The summary replaces the prompt and the answer; the reminder behind them stays.
    agent.session.append('turn/start', { turn, trigger: { kind: 'injection', source: { kind: 'plugin', plugin: 'compaction' } } })
    agent.session.append(
      'context/message',
      { content: [{ type: 'text', text: 'summary' }], source: { kind: 'plugin', plugin: 'compaction' }, envelope: 'raw' },
      { surfaceOp: { op: 'replace', start: surface[0]!, end: surface[1]! }, sourceEventSeqs: surface.slice(0, 2) },
    )
    agent.session.append('turn/end', { turn, reason: { kind: 'completed' } })
    agent.send('chat')
    await agent.whenIdle()
    expect(model.requests.at(-1)?.messages.map(({ content }) => content[0]?.type === 'text' && content[0].text)).toEqual([
      'summary',
      'chat',
    ])
  })

  test('T10 a session that is opened again gets the same from the plugin', async () => {
    const first = taskSetup([text('a'), throws(new Error('down'))])
    await first.run()
    const { runtime, model } = testRuntime([text('hello')])
    runtime.use(taskRuns)
    const { agent } = await runtime.agents.create({
      agentId: 'b',
      sessionId: 'copy',
      seed: [...first.agent.session.events],
      agentOptions: { provider: 'test', model: 'scripted' },
    })
    agent.send('chat')
    await agent.whenIdle()
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('automated_reminder')
  })
})

describe('T10 text without a tool call and without status', () => {
  test('T10 is nudged, at most maxNudges times, with the status command and an example', async () => {
    const setup = taskSetup([text('a'), text('b'), text('c'), text('d')])
    expect(await setup.run()).toMatchObject({ exitReason: 'nudge_exhaustion', turnCount: 4 })
    expect(noted(setup, 'nudge')).toEqual([1, 2, 3].map((attempt) => ({ attempt, max: 3 })))
    for (const words of reminders(setup.agent.session.events)) {
      expect(words).toContain('status command')
      expect(words).toContain('status --task "')
    }
    setup.model.assertPlayed()
  })

  test('T10 none at all with maxNudges 0', async () => {
    const { run, agent } = taskSetup([text('a')])
    const result = await run('do it', { maxNudges: 0 })
    expect(result).toMatchObject({ exitReason: 'nudge_exhaustion' })
    expect(result.summary).toContain('0 nudge')
    expect(reminders(agent.session.events)).toEqual([])
  })

  test('T10 work in between begins the count anew', async () => {
    const { run, model } = taskSetup([text('a'), sh('ls'), text('b'), sh('cat'), text('c'), complete()])
    expect(await run('do it', { maxNudges: 1 })).toMatchObject({ success: true })
    model.assertPlayed()
  })

  test('T10 work that failed does not', async () => {
    const { run } = taskSetup([text('a'), sh('fail'), text('b')])
    expect(await run('do it', { maxNudges: 1 })).toMatchObject({ exitReason: 'nudge_exhaustion' })
  })

  test('T10 where there is a tool for it instead of a shell, the example is a call of that tool', async () => {
    const { run, agent } = taskSetup([text('a'), text('b')], { tools: [statusTool()] })
    await run('do it', { maxNudges: 1 })
    expect(reminders(agent.session.events)[0]).toContain('the tool "status": {"task":')
  })

  test('T10 an answer that the output limit cut is told so', async () => {
    const { run, agent } = taskSetup([reply(text('a long'), finish('max-tokens')), complete()])
    expect(await run()).toMatchObject({ success: true })
    expect(reminders(agent.session.events)[0]).toContain('output limit')
    expect(dataOf(agent.session.events, 'turn/end')[0]?.reason).toEqual({ kind: 'max-tokens' })
  })
})

describe('T11 reasoning only', () => {
  test('T11 P-d02 twice a word about it, then nudges, then the end', async () => {
    const setup = taskSetup(Array.from({ length: 6 }, () => reasoning('Let me see')))
    expect(await setup.run()).toMatchObject({ success: false, exitReason: 'nudge_exhaustion', turnCount: 6 })
    expect(noted(setup, 'reasoning_only_retry')).toEqual([1, 2].map((attempt) => ({ attempt, max: 2 })))
    expect(noted(setup, 'nudge')).toHaveLength(3)
    const words = reminders(setup.agent.session.events)
    for (const word of words.slice(0, 2)) {
      expect(word).toContain('only reasoning')
      expect(word).not.toContain('status command')
    }
    expect(words[2]).toContain('status command')
  })

  test('T11 the reply is kept in history with its reasoning', async () => {
    const { run, model } = taskSetup([reasoning('Let me see'), complete()])
    await run()
    expect(model.requests[1]?.messages[1]).toMatchObject({ role: 'assistant', content: [{ type: 'reasoning', text: 'Let me see' }] })
  })

  test('T11 text or a call in between begins the row anew', async () => {
    const setup = taskSetup([
      ...['a', 'b'].map((words) => reasoning(words)),
      sh('ls'),
      ...['c', 'd'].map((words) => reasoning(words)),
      complete(),
    ])
    expect(await setup.run('do it', { maxNudges: 0 })).toMatchObject({ success: true })
  })
})

describe('T12 a tool failed and then nothing was said', () => {
  test('T12 the model is asked to retry the failed work, not for a status', async () => {
    const setup = taskSetup([sh('fail'), text(''), sh('fail'), complete()])
    expect(await setup.run('do it', { maxNudges: 0 })).toMatchObject({ success: true })
    expect(noted(setup, 'tool_error_retry')).toEqual([{ attempt: 1, max: 2 }])
    const [words = ''] = reminders(setup.agent.session.events)
    expect(words).toMatch(/try that work again/)
    expect(words).not.toMatch(/status/)
    expect(lastShown(setup.model.requests[2]!)).toContain('try that work again')
  })

  test('T12 the very same call may then be made again: it is no duplicate', async () => {
    const { run, commands } = taskSetup([sh('fail'), text(''), sh('fail'), complete()])
    await run()
    expect(commands).toEqual(['fail', 'fail', expect.stringContaining('status')])
  })

  test('T12 silence without a failed tool is nudged', async () => {
    const { run, agent } = taskSetup([sh('ls'), text(''), complete()])
    await run()
    expect(notes(agent.session.events)).toContain('nudge')
    expect(notes(agent.session.events)).not.toContain('tool_error_retry')
  })

  test('T12 a call that was not run because it repeats one is no failed work', async () => {
    const { run, agent } = taskSetup([sh('ls'), sh('ls'), text(''), complete()])
    await run()
    expect(notes(agent.session.events)).not.toContain('tool_error_retry')
  })

  test('T12 at most two in a row', async () => {
    const setup = taskSetup([sh('fail'), text(''), text(''), text('')])
    expect(await setup.run('do it', { maxNudges: 0 })).toMatchObject({ exitReason: 'nudge_exhaustion' })
    expect(noted(setup, 'tool_error_retry')).toHaveLength(2)
  })
})
