// Compaction that a person asks for, and messages that come while one runs (L12, L14, L80, P-d03).
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../../src/storage/log/projection.ts'
import { transcript } from '../../../src/storage/log/projections/transcript.ts'
import type { Agent } from '../../../src/worker/hooks/agent.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { fails, hold, type Reply, reply, text, toolCall, usage } from '../../kit/replies.ts'
import { dataOf, eventWhere, typesOf } from '../../kit/test-runtime.ts'
import { echo } from '../loop/samples.ts'
import { type Compacting, compacting, full, long, otherRequests, portOf, saidIn, summariesOf, summaryRequests } from './compacting-agent.ts'

const SUMMARY = 'The person asked for a; it was done.'

const afterTwoTurns = async (made: Compacting): Promise<Agent> => {
  const agent = made.start()
  for (const prompt of [long('ask a'), long('ask b')]) {
    agent.send(prompt)
    await agent.whenIdle()
  }
  return agent
}
const two: readonly Reply[] = [full(100, long('answer a')), full(200, long('answer b'))]
const promptsOf = ({ session }: Agent): readonly string[] =>
  dataOf(session.events, 'user/message').map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''))
const typesFrom = (agent: Agent, turn: number): readonly string[] => {
  const { events } = agent.session
  return typesOf(events.slice(events.findIndex((event) => event.type === 'turn/start' && event.data.turn === turn)))
}

/** Resolves when the compaction goes on in the turn that a message woke. */
const goneOn = async ({ runtime }: Compacting, agent: Agent): Promise<unknown> => {
  const own = agent.session.events.findLast(({ type }) => type === 'compaction/start')
  return eventWhere(runtime, agent, (event) => event.type === 'compaction/start' && event.seq > (own?.seq ?? -1))
}

describe('L80 asked for by a person', () => {
  test('L80 while idle it opens an injection turn of its own, is flushed once, and does not wake the model', async () => {
    const made = compacting([...two, text(SUMMARY)])
    const agent = await afterTwoTurns(made)
    let flushes = 0
    made.runtime.on('session/flush', () => void flushes++)
    const end = await made.compactNow(agent)
    expect(end).toMatchObject({ outcome: 'done', usage: { inputTokens: 10, outputTokens: 5 } })
    expect(agent.status).toBe('idle')
    expect(flushes).toBe(1)
    expect(typesFrom(agent, 3)).toEqual(['turn/start', 'compaction/start', 'context/message', 'compaction/end', 'turn/end'])
    expect(dataOf(agent.session.events, 'turn/start').at(-1)).toEqual({
      turn: 3,
      trigger: { kind: 'injection', source: { kind: 'plugin', plugin: 'compaction' } },
    })
    expect(dataOf(agent.session.events, 'compaction/start')).toMatchObject([{ trigger: 'manual', tokens: 200 }])
    expect(dataOf(agent.session.events, 'turn/end').at(-1)).toEqual({ turn: 3, reason: { kind: 'completed' } })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('L80 with nothing to sum up it says so', async () => {
    const made = compacting([])
    const agent = made.start()
    expect(await made.compactNow(agent)).toMatchObject({ outcome: 'unchanged', detail: 'Nothing is old enough to be summed up.' })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('L80 without a model to write the summary it says so', async () => {
    const made = compacting([])
    const agent = made.runtime.agents.start('bare')
    expect(await made.compactNow(agent)).toMatchObject({ outcome: 'failed', detail: 'No provider and model are set to write the summary.' })
  })

  test('L80 a port that is asked while idle opens a turn too, and gives what it cost', async () => {
    const made = compacting([...two, text(SUMMARY)])
    const agent = await afterTwoTurns(made)
    const { signal } = new AbortController()
    expect(await portOf(agent).compact(agent, { signal })).toEqual({ inputTokens: 10, outputTokens: 5 })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('L80 asked for during a turn it runs before the next step', async () => {
    const made = compacting([...two, toolCall('echo', { text: 'x' }, 'c1'), text(SUMMARY), text('done')])
    made.runtime.tools.register(echo)
    const agent = await afterTwoTurns(made)
    let asked: Promise<unknown> | undefined
    made.runtime.on('tools/result', () => {
      asked = made.compactNow(agent)
    })
    agent.send('ask c')
    await agent.whenIdle()
    expect(await asked).toMatchObject({ outcome: 'done' })
    expect(typesFrom(agent, 3)).toEqual([
      ...['turn/start', 'user/message', 'step/start', 'assistant/chunk', 'assistant/message', 'tool/call', 'tool/result', 'step/end'],
      ...['compaction/start', 'context/message', 'compaction/end'],
      ...['step/start', 'assistant/chunk', 'assistant/message', 'step/end', 'turn/end'],
    ])
  })

  test('L80 asked for during the last step it runs when the turn is over', async () => {
    const here = gate()
    const made = compacting([...two, reply(text('ok', { chunks: ['o', here, 'k'] }), usage(300, 5)), text(SUMMARY)])
    const agent = await afterTwoTurns(made)
    agent.send('ask c')
    await here.reached
    const asked = made.compactNow(agent)
    here.open()
    expect(await asked).toMatchObject({ outcome: 'done' })
    expect(dataOf(agent.session.events, 'turn/start').at(-1)).toMatchObject({ turn: 4, trigger: { kind: 'injection' } })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('L20 stopped by its signal before it began, it leaves no trace', async () => {
    const here = gate()
    const made = compacting([...two, reply(text('ok', { chunks: ['o', here, 'k'] }), usage(300, 5))])
    const agent = await afterTwoTurns(made)
    agent.send('ask c')
    await here.reached
    const stop = new AbortController()
    const asked = made.compactNow(agent, { signal: stop.signal })
    const never = made.compactNow(agent, { signal: AbortSignal.abort() })
    stop.abort()
    here.open()
    expect([await asked, await never]).toEqual([{ outcome: 'aborted' }, { outcome: 'aborted' }])
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'compaction/start')).toEqual([])
  })

  test('L80 asked for twice it runs once', async () => {
    const made = compacting([...two, text(SUMMARY)])
    const agent = await afterTwoTurns(made)
    const ends = await Promise.all([made.compactNow(agent), made.compactNow(agent)])
    expect(ends[0]).toBe(ends[1])
    expect(summaryRequests(made)).toHaveLength(1)
  })

  test('L20 stopped by its signal, the turn of its own ends as aborted at once', async () => {
    const here = gate()
    const made = compacting([...two, [text('never'), hold(here, 'ignore')]])
    const agent = await afterTwoTurns(made)
    const stop = new AbortController()
    const asked = made.compactNow(agent, { signal: stop.signal })
    await here.reached
    stop.abort()
    expect(typesFrom(agent, 3)).toEqual(['turn/start', 'compaction/start', 'compaction/end', 'turn/end'])
    expect(await asked).toEqual({ outcome: 'aborted' })
    expect(dataOf(agent.session.events, 'turn/end').at(-1)).toEqual({ turn: 3, reason: { kind: 'aborted', reason: 'cancelled' } })
    expect(summaryRequests(made)[0]?.signal?.aborted).toBe(true)
  })

  test('L20 a signal that was aborted before leaves no trace', async () => {
    const made = compacting([...two])
    const agent = await afterTwoTurns(made)
    const { length } = agent.session.events
    expect(await made.compactNow(agent, { signal: AbortSignal.abort() })).toEqual({ outcome: 'aborted' })
    expect(agent.session.events).toHaveLength(length)
  })

  test('L24 a disposal ends the turn of its own as disposed', async () => {
    const here = gate()
    const made = compacting([...two, [text('never'), hold(here, 'ignore')]])
    const agent = await afterTwoTurns(made)
    const asked = made.compactNow(agent)
    await here.reached
    await made.runtime.agents.dispose('a')
    expect(await asked).toEqual({ outcome: 'aborted' })
    expect(dataOf(agent.session.events, 'turn/end').at(-1)).toEqual({ turn: 3, reason: { kind: 'disposed' } })
    expect(problemsOf(agent.session.events)).toEqual([])
    await expect(made.compactNow(agent)).rejects.toThrow(/disposed/)
  })

  test('L71 asked for from inside an observer of the log it is refused, and nothing is left of it', async () => {
    const made = compacting([...two, text('ok')])
    const agent = await afterTwoTurns(made)
    let refused: Promise<unknown> | undefined
    const off = made.runtime.on('session/event', (_session, { type }) => {
      if (type === 'session/title') refused = made.compactNow(agent)
    })
    agent.session.append('session/title', { title: 't', by: 'user' })
    await expect(refused).rejects.toThrow(/session\/event/)
    await off()
    agent.send('ask c')
    await agent.whenIdle()
    made.model.assertPlayed()
  })

  test('L80 it needs to be mounted', async () => {
    const made = compacting([])
    await made.mount.dispose()
    await expect(made.compactNow(made.start())).rejects.toThrow(/not mounted/)
  })
})

describe('P-d03 messages that come meanwhile', () => {
  test('P-d03 one sent in the listener of its start and one during the summary are delivered in order, once, after it', async () => {
    const here = gate()
    const made = compacting([...two, [text(SUMMARY), hold(here)], text('to A'), text('to B')])
    const agent = await afterTwoTurns(made)
    const off = made.runtime.on('session/event', (_session, { type }) => {
      if (type !== 'compaction/start') return
      void off()
      agent.send('A')
    })
    const asked = made.compactNow(agent)
    await here.reached
    agent.send('B')
    await eventWhere(made.runtime, agent, (event) => event.type === 'user/message' && JSON.stringify(event.data.content).includes('"A"'))
    expect(
      [...promptsOf(agent), ...agent.inbox.waiting.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''))].slice(2),
    ).toEqual(['A', 'B'])
    here.open()
    expect(await asked).toMatchObject({ outcome: 'done' })
    await agent.whenIdle()
    expect(promptsOf(agent).slice(2)).toEqual(['A', 'B'])
    expect(summaryRequests(made)).toHaveLength(1)
    const sent = otherRequests(made).slice(2).map(saidIn)
    expect(sent.every((said) => said.includes(SUMMARY) && !said.includes('ask a'))).toBe(true)
    expect(sent[0]).toContain('"A"')
    expect(problemsOf(agent.session.events)).toEqual([])
    expect(otherRequests(made).map((request) => JSON.stringify(request))).toEqual(
      rebuildRequests(agent.session.events).map(({ json }) => json),
    )
  })

  test('P-d03 the turn that they wake closes the one of the compaction, which goes on before its first step', async () => {
    const here = gate()
    const made = compacting([...two, [text(SUMMARY), hold(here)], text('to A')])
    const agent = await afterTwoTurns(made)
    const asked = made.compactNow(agent)
    await here.reached
    agent.send('A')
    await goneOn(made, agent)
    here.open()
    await asked
    await agent.whenIdle()
    expect(typesFrom(agent, 3)).toEqual([
      ...['turn/start', 'compaction/start', 'compaction/end', 'turn/end'],
      ...['turn/start', 'user/message', 'compaction/start', 'context/message', 'compaction/end', 'step/start'],
      ...['assistant/chunk', 'assistant/message', 'step/end', 'turn/end'],
    ])
    expect(dataOf(agent.session.events, 'compaction/end').map(({ outcome }) => outcome)).toEqual(['aborted', 'done'])
    const { pages, open } = fold(transcript, agent.session.events)
    expect([...pages.flat(), ...open].filter(({ kind }) => kind === 'compaction')).toMatchObject([{ end: { outcome: 'done' } }])
  })

  test('P-d03 a summary that comes while the message is still being checked waits for a bracket in the log', async () => {
    const here = gate()
    const checking = gate()
    const made = compacting([...two, [text(SUMMARY), hold(here)], text('to A')])
    const agent = await afterTwoTurns(made)
    made.runtime.on('agent/prompt-submit', async (_agent, _content, _source, next) => {
      checking.arrive()
      await checking.opened
      return next()
    })
    const asked = made.compactNow(agent)
    await here.reached
    agent.send('A')
    await checking.reached
    here.open()
    await expect.poll(() => made.model.open).toBe(0)
    expect(summariesOf(agent.session.events)).toEqual([])
    checking.open()
    expect(await asked).toMatchObject({ outcome: 'done' })
    await agent.whenIdle()
    expect(typesFrom(agent, 4).slice(0, 6)).toEqual([
      ...['turn/start', 'user/message', 'compaction/start', 'context/message', 'compaction/end', 'step/start'],
    ])
  })

  test('P-d03 a failure of the compaction keeps them too', async () => {
    const here = gate()
    const made = compacting([...two, [hold(here), fails('auth')], text('to A and B')])
    const agent = await afterTwoTurns(made)
    const asked = made.compactNow(agent)
    await here.reached
    agent.send('A')
    agent.send('B')
    here.open()
    expect(await asked).toMatchObject({ outcome: 'failed' })
    await agent.whenIdle()
    expect(promptsOf(agent).slice(2)).toEqual(['A', 'B'])
    made.model.assertPlayed()
  })

  test('P-d03 under pressure they wait in the inbox for the next turn', async () => {
    const here = gate()
    const made = compacting([full(100, long('a')), full(850, long('b')), [text(SUMMARY), hold(here)], text('to c'), text('to A and B')])
    const agent = await afterTwoTurns(made)
    made.runtime.on('session/event', (_session, { type }) => {
      if (type === 'compaction/start') agent.send('A')
    })
    agent.send('c')
    await here.reached
    agent.send('B')
    expect(agent.inbox.waiting).toHaveLength(2)
    here.open()
    await agent.whenIdle()
    expect(promptsOf(agent).slice(2)).toEqual(['c', 'A', 'B'])
    expect(summariesOf(agent.session.events)).toHaveLength(1)
    made.model.assertPlayed()
  })

  test('P-d03 a cancelled turn stops the compaction that it took over', async () => {
    const here = gate()
    const made = compacting([...two, [text(SUMMARY), hold(here, 'ignore')]])
    const agent = await afterTwoTurns(made)
    const asked = made.compactNow(agent)
    await here.reached
    agent.send('A')
    await goneOn(made, agent)
    agent.cancel('stop')
    await agent.whenIdle()
    expect(await asked).toEqual({ outcome: 'aborted' })
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('P-d03 a turn that is rejected before its first step leaves the compaction to a turn of its own again', async () => {
    const here = gate()
    const made = compacting([...two, [text(SUMMARY), hold(here)]])
    const agent = await afterTwoTurns(made)
    made.runtime.on('agent/prompt-submit', async () => ({ kind: 'block', reason: 'no' }))
    const asked = made.compactNow(agent)
    await here.reached
    agent.send('A')
    await eventWhere(made.runtime, agent, ({ type }) => type === 'prompt/blocked')
    here.open()
    expect(await asked).toMatchObject({ outcome: 'done' })
    expect(dataOf(agent.session.events, 'turn/start').map(({ trigger }) => trigger.kind)).toEqual([
      'message',
      'message',
      'injection',
      'message',
      'injection',
    ])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('L14 no message is lost or run twice under any schedule of sends, steering, injections, stops and compactions', async () => {
    const act = fc.constantFrom('send', 'steer', 'inject', 'compact', 'cancel', 'tick', 'tick', 'tick', 'idle')
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
        const made = compacting(
          Array.from(
            { length: 60 },
            (): Reply =>
              ({ system }) =>
                system === undefined ? full(900, long('answer')) : text(SUMMARY),
          ),
        )
        const agent = await afterTwoTurns(made)
        const given: string[] = []
        const asked: Promise<unknown>[] = []
        for (const [i, each] of acts.entries()) {
          if (each === 'send') given.push(agent.send(`m${i}`, { id: `given-${i}` }))
          if (each === 'steer') given.push(agent.steer(`m${i}`, { id: `given-${i}` }))
          if (each === 'inject') agent.inject(`m${i}`)
          if (each === 'compact') asked.push(made.compactNow(agent))
          if (each === 'cancel') agent.cancel('stop', { queue: 'hold' })
          if (each === 'tick') await Promise.resolve()
          if (each === 'idle') await agent.whenIdle()
        }
        await agent.whenIdle()
        await Promise.all(asked)
        agent.inbox.release()
        await agent.whenIdle()
        const { events } = agent.session
        const logged = [...dataOf(events, 'user/message'), ...dataOf(events, 'steering/message'), ...dataOf(events, 'prompt/blocked')].map(
          ({ id }) => id,
        )
        const waiting = agent.inbox.waiting.map(({ id }) => id)
        expect([...logged, ...waiting].filter((id) => id.startsWith('given-')).toSorted()).toEqual(given.toSorted())
        expect(problemsOf(events)).toEqual([])
        const [starts, ends] = [dataOf(events, 'compaction/start'), dataOf(events, 'compaction/end')]
        expect(ends).toHaveLength(starts.length)
        expect(made.reported).toEqual([])
      }),
      { numRuns: 150 },
    )
  })
})
