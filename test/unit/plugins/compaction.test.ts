// Compaction (L80): when it begins, what it leaves, and when it changes nothing.
import { describe, expect, test } from 'vitest'
import { isSurfaceEvent } from '../../../src/storage/log/events.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { fails, finish, noUsage, type Reply, reply, text, throws, toolCall, usage } from '../../kit/replies.ts'
import { dataOf, typesOf } from '../../kit/test-runtime.ts'
import { echo } from '../loop/samples.ts'
import {
  chat,
  compacting,
  full,
  long,
  otherRequests,
  portOf,
  SUMMARY,
  saidIn,
  summariesOf,
  summaryRequests,
  twoTurns,
  WINDOW,
} from './compacting-agent.ts'

describe('L80 under pressure', () => {
  test('L80 above 0.8 of the window a summary takes the place of the older part, before the step, in the same turn', async () => {
    const made = compacting([...twoTurns, text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    const { events } = agent.session
    made.model.assertPlayed()
    expect(typesOf(events.slice(events.findIndex((event) => event.type === 'turn/start' && event.data.turn === 3)))).toEqual([
      'turn/start',
      'user/message',
      'compaction/start',
      'context/message',
      'compaction/end',
      'step/start',
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    expect(dataOf(events, 'compaction/start')).toEqual([{ trigger: 'pressure', tokens: 820 }])
    expect(dataOf(events, 'compaction/end')).toMatchObject([{ outcome: 'done', usage: { inputTokens: 10, outputTokens: 5 } }])
    const sent = saidIn(otherRequests(made).at(-1))
    expect(sent).toContain(SUMMARY)
    expect(sent).toContain('ask c')
    expect(sent).not.toContain('ask a')
    expect(problemsOf(events)).toEqual([])
    expect(otherRequests(made).map((request) => JSON.stringify(request))).toEqual(rebuildRequests(events).map(({ json }) => json))
  })

  test('L80 the summary is a raw context message of the plugin that names all that it hides', async () => {
    const made = compacting([...twoTurns, text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    const { events } = agent.session
    const [summary] = summariesOf(events)
    expect(summary?.data).toMatchObject({
      content: [{ type: 'text', text: `Summary of the conversation up to here:\n${SUMMARY}` }],
      source: { kind: 'plugin', plugin: 'compaction' },
      envelope: 'raw',
    })
    const hidden = events
      .slice(0, summary?.seq)
      .filter((event) => isSurfaceEvent(event))
      .slice(0, 4)
    expect(summary?.sourceEventSeqs).toEqual(hidden.map(({ seq }) => seq))
    expect(summary?.surfaceOp).toEqual({ op: 'replace', start: hidden[0]?.seq, end: hidden.at(-1)?.seq })
  })

  test.for([
    [800, 0],
    [801, 1],
  ] as const)('L80 a last request of %i tokens of 1,000 leads to %i compactions', async ([tokens, count]) => {
    const made = compacting([full(300, long('a')), full(tokens, long('b')), ...(count === 0 ? [] : [text(SUMMARY)]), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'c')
    expect(dataOf(agent.session.events, 'compaction/start')).toHaveLength(count)
    made.model.assertPlayed()
  })

  test('L80 the size of a request is input, cache reads and cache writes; what was written is no part of it', async () => {
    const cached = reply(text(long('b')), usage(100, 400, { cacheReadTokens: 500, cacheWriteTokens: 210 }))
    const made = compacting([full(300, long('a')), cached, text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'c')
    expect(dataOf(agent.session.events, 'compaction/start')).toEqual([{ trigger: 'pressure', tokens: 810 }])
  })

  test('L80 what came since the last reply counts when there is no room for it', async () => {
    const made = compacting([full(200, long('a', 200)), text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('a long paste', 700))
    expect(dataOf(agent.session.events, 'compaction/start')).toMatchObject([{ trigger: 'pressure' }])
    expect(dataOf(agent.session.events, 'compaction/start')[0]?.tokens).toBeGreaterThan(WINDOW)
  })

  test('L80 without reported usage an estimate serves, in which a picture is no text of its bytes', async () => {
    const silent = (words: string): Reply => reply(text(words), noUsage())
    const made = compacting([silent(long('a', 300)), silent(long('b', 300)), text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b', 200), 'c')
    expect(dataOf(agent.session.events, 'compaction/start')).toMatchObject([{ trigger: 'pressure' }])

    const picture = { type: 'image', blob: `sha256-${'0'.repeat(64)}`, mediaType: 'image/png', name: 'large.png' } as const
    const seeing = compacting([silent('seen'), silent('ok')], {}, { contextWindow: 8_000 })
    const other = seeing.start()
    other.send([picture, picture])
    await other.whenIdle()
    other.send('next')
    await other.whenIdle()
    expect(dataOf(other.session.events, 'compaction/start')).toEqual([])
    expect(portOf(other).estimate?.(other)).toBeGreaterThan(2 * 700)
    expect(portOf(other).estimate?.(other)).toBeLessThan(2 * 2_000)
  })

  test('L80 a model whose window nobody knows is compacted by an overflow only, or by the window that the application gives', async () => {
    const unknown = compacting([...twoTurns, text('ok')], {}, {})
    await chat(unknown, long('ask a'), long('ask b'), 'c')
    expect(summaryRequests(unknown)).toHaveLength(0)
    const told = compacting([...twoTurns, text(SUMMARY), text('ok')], { contextWindow: WINDOW }, {})
    await chat(told, long('ask a'), long('ask b'), 'c')
    expect(summaryRequests(told)).toHaveLength(1)
  })

  test('L80 the window is that of the model in use: a listener or a person may have switched it', async () => {
    const made = compacting([...twoTurns, text('ok'), text(SUMMARY), text('ok')])
    Object.assign(made.model, { info: (_provider: string, model: string) => ({ contextWindow: model === 'large' ? 100_000 : WINDOW }) })
    const agent = made.start()
    for (const prompt of [long('ask a'), long('ask b')]) {
      agent.send(prompt)
      await agent.whenIdle()
    }
    agent.configure({ model: 'large' })
    agent.send('c')
    await agent.whenIdle()
    expect(summaryRequests(made)).toHaveLength(0)
    made.runtime.on('agent/request', async (_agent, _turn, _step, config) => ({ ...config, model: 'small' }))
    made.model.add(full(900), text('after'))
    expect(portOf(agent).needs(900)).toBe(false)
    agent.send('d')
    await agent.whenIdle()
    expect(portOf(agent).needs(900)).toBe(true)
  })

  test('L80 it runs between the steps of one long turn, and keeps the request and the newest results', async () => {
    const work = (n: number, tokens: number): Reply =>
      reply(toolCall('echo', { text: long(`result ${n}`, 100) }, `c${n}`), usage(tokens, 5))
    const made = compacting([work(1, 100), work(2, 400), work(3, 850), text(SUMMARY), text('done')])
    made.runtime.tools.register(echo)
    const agent = await chat(made, 'please work for long')
    const { events } = agent.session
    made.model.assertPlayed()
    const sent = saidIn(otherRequests(made).at(-1))
    expect(sent).toContain('please work for long')
    expect(sent).toContain('result 3')
    expect(sent).toContain(SUMMARY)
    expect(sent).not.toContain('result 1')
    expect(problemsOf(events)).toEqual([])
  })

  test('L80 after a compaction the pressure is what is left, not what was reported before it', async () => {
    const made = compacting([...twoTurns, text(SUMMARY), fails('auth'), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'c')
    agent.continue()
    await agent.whenIdle()
    made.model.assertPlayed()
    expect(dataOf(agent.session.events, 'compaction/start')).toHaveLength(1)
  })

  test('L80 stands down while a task run is open: the run asks by itself', async () => {
    const made = compacting([...twoTurns, text('ok'), text(SUMMARY)])
    const agent = made.start()
    agent.session.append('task/started', { run: 'r', kind: 'task', prompt: [] })
    for (const prompt of [long('ask a'), long('ask b'), 'c']) {
      agent.send(prompt)
      await agent.whenIdle()
    }
    expect(summaryRequests(made)).toHaveLength(0)
    const port = portOf(agent)
    expect([port.needs(800), port.needs(801)]).toEqual([false, true])
    expect(await port.compact(agent, { signal: new AbortController().signal })).toEqual({ inputTokens: 10, outputTokens: 5 })
    expect(dataOf(agent.session.events, 'compaction/end')).toMatchObject([{ outcome: 'done' }])
  })

  test('T2 the port compacts inside the step that asks, behind its results', async () => {
    const made = compacting([
      full(300, long('a', 100)),
      reply(toolCall('echo', { text: 'x' }, 'c1'), usage(850, 5)),
      text(SUMMARY),
      text('ok'),
    ])
    made.runtime.tools.register(echo)
    made.runtime.on('tools/result', ({ agent }) => {
      if (agent !== undefined) void portOf(agent).compact(agent, { signal: new AbortController().signal })
    })
    const agent = await chat(made, long('ask a'), 'ask b')
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(dataOf(agent.session.events, 'compaction/end')).toMatchObject([{ outcome: 'done' }])
    const types = typesOf(agent.session.events)
    expect(types.indexOf('compaction/start')).toBeGreaterThan(types.indexOf('tool/call'))
    expect(types.indexOf('compaction/start')).toBeLessThan(types.lastIndexOf('step/end'))
  })
})

describe('L80 the summary', () => {
  test('L80 is asked of the same model as plain text: no tools, no roles of tools, the cost in the log', async () => {
    const made = compacting([
      reply(toolCall('echo', { text: long('result') }, 'c1'), usage(200, 5)),
      full(820, long('b')),
      reply(text(SUMMARY), usage(700, 40, { cost: 0.01 })),
      text('ok'),
    ])
    made.runtime.tools.register(echo)
    const agent = await chat(made, long('ask a'), 'c')
    const [request] = summaryRequests(made)
    expect(request).toMatchObject({ provider: 'test', model: 'scripted' })
    expect(Object.keys(request ?? {})).not.toContain('tools')
    expect(request?.sessionId).toBe(agent.session.id)
    expect(request?.messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([['user', ['text']]])
    expect(Object.isFrozen(request?.messages[0]?.content[0])).toBe(true)
    expect(dataOf(agent.session.events, 'compaction/end')).toMatchObject([
      { outcome: 'done', usage: { inputTokens: 700, outputTokens: 40, cost: 0.01 } },
    ])
  })

  test('L80 chains: the earlier summary is given to the model and goes into the new one', async () => {
    const made = compacting([...twoTurns, text(SUMMARY), full(830, long('answer c', 120)), text('All three were done.'), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c', 'ask d')
    made.model.assertPlayed()
    const second = saidIn(summaryRequests(made)[1])
    expect(second).toContain(`<earlier-summary>\\n${SUMMARY}\\n</earlier-summary>`)
    expect(second).not.toContain('ask a')
    expect(second.split(SUMMARY)).toHaveLength(2)
    const sent = saidIn(otherRequests(made).at(-1))
    expect(sent).toContain('All three were done.')
    expect(sent).not.toContain(SUMMARY)
    expect(summariesOf(agent.session.events)).toHaveLength(2)
  })

  test('L80 is there after a reload: the log is all that there is', async () => {
    const made = compacting([...twoTurns, text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    const again = compacting([text('hello')])
    const { agent: resumed } = await again.runtime.agents.create({
      agentId: 'b',
      sessionId: 's',
      seed: agent.session.events,
      agentOptions: { provider: 'test', model: 'scripted' },
    })
    resumed.send('ask d')
    await resumed.whenIdle()
    expect(saidIn(again.model.requests[0])).toContain(SUMMARY)
    expect(saidIn(again.model.requests[0])).not.toContain('ask a')
  })

  test.for<readonly [string, Reply, RegExp]>([
    ['empty', text('   '), /empty/],
    ['not shorter than what it stands for', text(long('far too long', 400)), /not shorter/],
  ])('L80 one that is %s changes nothing and says why', async ([, summary, why]) => {
    const made = compacting([...twoTurns, summary, text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    const { events } = agent.session
    made.model.assertPlayed()
    expect(dataOf(events, 'compaction/end')).toMatchObject([{ outcome: 'unchanged', usage: { inputTokens: 10, outputTokens: 5 } }])
    expect(dataOf(events, 'compaction/end')[0]?.detail).toMatch(why)
    expect(summariesOf(events)).toEqual([])
    expect(saidIn(otherRequests(made).at(-1))).toContain('ask a')
  })

  test('L80 after one that changed nothing, the next is not paid for before the window has filled further', async () => {
    const made = compacting([...twoTurns, text(''), full(840), full(871), text(''), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'c', 'd', 'e')
    made.model.assertPlayed()
    expect(dataOf(agent.session.events, 'compaction/start').map(({ tokens }) => tokens)).toEqual([820, 871])
  })

  test.for<readonly [string, Reply, RegExp]>([
    ['a wrong key', fails('auth', 'the key was not accepted'), /key was not accepted/],
    ['a throw', throws(new Error('a fault')), /a fault/],
    ['a refusal', reply(text('I cannot'), finish('refusal')), /refusal/],
  ])('L80 %s leaves the conversation as it was, and the turn goes on', async ([, summary, why]) => {
    const made = compacting([...twoTurns, summary, text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    made.model.assertPlayed()
    expect(dataOf(agent.session.events, 'compaction/end')).toMatchObject([{ outcome: 'failed' }])
    expect(dataOf(agent.session.events, 'compaction/end')[0]?.detail).toMatch(why)
    expect(dataOf(agent.session.events, 'turn/end').at(-1)).toEqual({ turn: 3, reason: { kind: 'completed' } })
    expect(made.reported).toEqual([])
  })

  test('L80 a passing failure is tried again, after the pause that the server asks for', async () => {
    const made = compacting([
      ...twoTurns,
      fails('rate_limit', 'slow down', { retryAfterMs: 3_000 }),
      reply(text('cut'), fails('transport')),
      text(SUMMARY),
      text('ok'),
    ])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    made.model.assertPlayed()
    expect(made.waited).toEqual([3_000, 1_000])
    expect(dataOf(agent.session.events, 'compaction/end')).toMatchObject([{ outcome: 'done' }])
  })

  test('L80 what is itself too long for the model is asked again with less of it', async () => {
    const made = compacting([...twoTurns, fails('context_overflow'), text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a', 300), long('ask b', 300), 'ask c')
    const lengths = summaryRequests(made).map((request) => saidIn(request).length)
    expect(lengths[1]).toBeLessThan((lengths[0] ?? 0) * 0.8)
    expect(dataOf(agent.session.events, 'compaction/end')).toMatchObject([{ outcome: 'done' }])
  })
})
