// Compaction for an overflow (L80, P-a16), and what ends a compaction from outside (L20, L24, L72).
import { describe, expect, test } from 'vitest'
import { compactionOf } from '../../../src/worker/hooks/compaction-port.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { fails, hang, hold, text } from '../../kit/replies.ts'
import { dataOf, typesOf } from '../../kit/test-runtime.ts'
import { chat, compacting, full, long, otherRequests, SUMMARY, saidIn, twoTurns } from './compacting-agent.ts'

describe('L80 P-a16 an overflow', () => {
  test.for(['context_overflow', 'request_too_large'] as const)('L80 P-a16 %s compacts once and retries', async (kind) => {
    const made = compacting([...twoTurns.slice(0, 1), full(500, long('b')), fails(kind), text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    const { events } = agent.session
    made.model.assertPlayed()
    expect(typesOf(events).slice(-9)).toEqual([
      'step/start',
      'compaction/start',
      'context/message',
      'compaction/end',
      'model/retry',
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    expect(dataOf(events, 'compaction/start')).toMatchObject([{ trigger: 'overflow' }])
    expect(dataOf(events, 'model/retry')).toMatchObject([{ turn: 3, step: 1, attempt: 1, delayMs: 0, failure: { class: kind } }])
    expect(saidIn(otherRequests(made).at(-1))).not.toContain('ask a')
    expect(problemsOf(events)).toEqual([])
    expect(otherRequests(made).map((request) => JSON.stringify(request))).toEqual(rebuildRequests(events).map(({ json }) => json))
  })

  test('L80 P-a16 a second overflow of the same step ends the turn', async () => {
    const made = compacting([
      full(300, long('a')),
      full(500, long('b')),
      fails('context_overflow'),
      text(SUMMARY),
      fails('context_overflow', 'still'),
    ])
    const agent = await chat(made, long('ask a'), long('ask b'), 'ask c')
    made.model.assertPlayed()
    expect(dataOf(agent.session.events, 'compaction/start')).toHaveLength(1)
    expect(dataOf(agent.session.events, 'turn/end').at(-1)).toMatchObject({ reason: { kind: 'error', message: 'still' } })
  })

  test('L80 an overflow that nothing can be done about is told as it is', async () => {
    const made = compacting([fails('context_overflow', 'far too long')])
    const agent = await chat(made, long('ask a'))
    expect(dataOf(agent.session.events, 'compaction/end')).toMatchObject([{ outcome: 'unchanged' }])
    expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'error', message: 'far too long' } }])
  })

  test('P-a16 a rate limit that mentions tokens is no overflow', async () => {
    const made = compacting([full(300, long('a')), fails('rate_limit', 'too many tokens per minute')])
    const agent = await chat(made, long('ask a'), long('ask b'))
    expect(dataOf(agent.session.events, 'compaction/start')).toEqual([])
  })

  test('L80 a cancel while it compacts for an overflow is in the log before the step ends', async () => {
    const here = gate()
    const made = compacting([full(300, long('a')), full(500, long('b')), fails('context_overflow'), [text('never'), hold(here, 'ignore')]])
    const agent = await chat(made, long('ask a'), long('ask b'))
    agent.send('ask c')
    await here.reached
    agent.cancel('stop')
    await agent.whenIdle()
    expect(typesOf(agent.session.events).slice(-4)).toEqual(['compaction/start', 'compaction/end', 'step/end', 'turn/end'])
    expect(dataOf(agent.session.events, 'compaction/end')).toEqual([{ outcome: 'aborted' }])
  })
})

describe('L20 L23 stopped', () => {
  test('L20 a cancel ends the compaction at once, also when the model does not listen', async () => {
    const here = gate()
    const made = compacting([...twoTurns, [text('never'), hold(here, 'ignore')]])
    const agent = await chat(made, long('ask a'), long('ask b'))
    agent.send('ask c')
    await here.reached
    agent.cancel('stop')
    await agent.whenIdle()
    const { events } = agent.session
    expect(typesOf(events).slice(-5)).toEqual(['turn/start', 'user/message', 'compaction/start', 'compaction/end', 'turn/end'])
    expect(dataOf(events, 'compaction/end')).toEqual([{ outcome: 'aborted' }])
    expect(dataOf(events, 'turn/end').at(-1)).toEqual({ turn: 3, reason: { kind: 'aborted', reason: 'stop' } })
    here.open()
    await here.opened
    expect(agent.session.events).toHaveLength(events.length)
    expect(problemsOf(events)).toEqual([])
  })

  test('L20 a cancel from inside an observer of its own start leaves a balanced log', async () => {
    const made = compacting([...twoTurns, hang()])
    const agent = await chat(made, long('ask a'), long('ask b'))
    made.runtime.on('session/event', (_session, { type }) => {
      if (type === 'compaction/start') agent.cancel('stop')
    })
    agent.send('ask c')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'compaction/end')).toEqual([{ outcome: 'aborted' }])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('L20 a cancel from inside an observer of another event leaves a balanced log', async () => {
    const here = gate()
    const made = compacting([...twoTurns, [text('never'), hold(here)]])
    const agent = await chat(made, long('ask a'), long('ask b'))
    made.runtime.on('session/event', (_session, { type }) => {
      if (type === 'plugin/noted') agent.cancel('stop')
    })
    agent.send('ask c')
    await here.reached
    agent.session.append('plugin/noted', { plugin: 'test', data: null })
    await agent.whenIdle()
    expect(typesOf(agent.session.events).slice(-4)).toEqual(['compaction/start', 'plugin/noted', 'compaction/end', 'turn/end'])
  })

  test('L20 after a cancel the next turn tries again at once', async () => {
    const here = gate()
    const made = compacting([...twoTurns, [text('never'), hold(here)], text(SUMMARY), text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'))
    agent.send('ask c')
    await here.reached
    agent.cancel('stop')
    await agent.whenIdle()
    agent.send('ask d')
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'compaction/end').map(({ outcome }) => outcome)).toEqual(['aborted', 'done'])
    made.model.assertPlayed()
  })

  test('L24 a disposal ends it too', async () => {
    const here = gate()
    const made = compacting([...twoTurns, [text('never'), hold(here)]])
    const agent = await chat(made, long('ask a'), long('ask b'))
    agent.send('ask c')
    await here.reached
    const events = () => agent.session.events
    await made.runtime.agents.dispose('a')
    expect(compactionOf(agent)).toBeUndefined()
    expect(dataOf(events(), 'compaction/end')).toEqual([{ outcome: 'aborted' }])
    expect(dataOf(events(), 'turn/end').at(-1)).toEqual({ turn: 3, reason: { kind: 'disposed' } })
  })

  test('L72 unmounted, it stops what it was doing, and the turn goes on without it', async () => {
    const here = gate()
    const made = compacting([...twoTurns, [text('never'), hold(here, 'ignore')], text('ok')])
    const agent = await chat(made, long('ask a'), long('ask b'))
    agent.send('ask c')
    await here.reached
    await made.mount.dispose()
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'compaction/end')).toEqual([{ outcome: 'aborted' }])
    expect(dataOf(agent.session.events, 'turn/end').at(-1)).toEqual({ turn: 3, reason: { kind: 'completed' } })
    expect(compactionOf(agent)).toBeUndefined()
  })
})
