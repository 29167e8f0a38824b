// Retry (W10, L43): what is tried again, after which pause, and what ends it.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { fold } from '../../../src/storage/log/projection.ts'
import { transcript } from '../../../src/storage/log/projections/transcript.ts'
import { pauseBefore } from '../../../src/worker/plugins/retry/backoff.ts'
import { type RetryOptions, retry } from '../../../src/worker/plugins/retry/retry.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate, orAbort } from '../../kit/gate.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { fails, finishError, modelFailure, type Reply, reply, text, throws } from '../../kit/replies.ts'
import { dataOf, eventWhere, testRuntime, typesOf } from '../../kit/test-runtime.ts'

/** The clock of these tests: a pause is over at once, and is written down. */
const mounted = (replies: readonly Reply[], options: RetryOptions = {}) => {
  const waited: number[] = []
  const test = testRuntime(replies)
  const plugin = test.runtime.use(retry({ random: () => 0, wait: async (ms) => void waited.push(ms), ...options }))
  return { ...test, waited, plugin }
}

const times = (n: number, made: Reply): readonly Reply[] => Array.from({ length: n }, () => made)

describe('W10 what is tried again', () => {
  test('W10 a passing failure is tried again, five attempts in all, with growing pauses that the log tells', async () => {
    const { model, start, waited } = mounted(times(5, fails('overloaded')))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(5)
    expect(waited).toEqual([500, 1000, 2000, 4000])
    expect(dataOf(agent.session.events, 'model/retry')).toEqual(
      waited.map((delayMs, i) => ({ turn: 1, step: 1, attempt: i + 1, delayMs, failure: modelFailure('overloaded') })),
    )
    expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'error', step: 1, code: 'overloaded' } }])
    expect(problemsOf(agent.session.events)).toEqual([])
  })

  test('W10 a server that says so inside its stream is one as well', async () => {
    const { model, start } = mounted([reply(text('so far'), finishError('provider')), text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(2)
  })

  test('W10 each step has attempts of its own', async () => {
    const again = times(3, fails('rate_limit'))
    const { model, runtime, start } = mounted([...again, text('one'), ...again, text('two')])
    runtime.on('agent/turn-continuation', async (_agent, _turn, byDefault) => (model.remaining > 0 ? { action: 'continue' } : byDefault))
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    model.assertPlayed()
    expect(dataOf(agent.session.events, 'model/retry').map(({ step, attempt }) => [step, attempt])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [2, 1],
      [2, 2],
      [2, 3],
    ])
  })

  test('W10 what a person decided to go on with has attempts of its own', async () => {
    const { model, runtime, start } = mounted([...times(5, fails('provider')), fails('provider'), text('ok')])
    runtime.on('agent/request-error', async ({ session }) => {
      session.append('task/noted', { run: 'r', name: 'error_continue', data: null })
      return { kind: 'retry' }
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    model.assertPlayed()
    expect(dataOf(agent.session.events, 'model/retry').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 1])
  })

  test.for([
    ['a wrong key', fails('auth')],
    ['a used-up quota', fails('quota')],
    ['a context that is too long', fails('context_overflow')],
    ['a request that is too large', fails('request_too_large')],
    ['a history that is not accepted', fails('invalid_history')],
    ['a bad request', fails('provider', 'no', { transient: false, status: 400 })],
    ['a lasting fault of the provider', fails('provider', 'no such model', { transient: false })],
    ['a wrong key that an adapter marks as passing', fails('auth', 'no', { transient: true })],
    ['a quota that an adapter marks as passing', fails('quota', 'no', { transient: true })],
    ['a bad request that an adapter marks as passing', fails('provider', 'no', { transient: true, status: 422 })],
    ['a throw without facts', throws(new Error('a fault of the adapter'))],
    ['something that is no error at all', throws('words')],
    ['facts that are no facts', throws(Object.assign(new Error('no'), { failure: 'overloaded' }))],
  ] as const)('W10 never for %s', async ([, failure]) => {
    const { model, start, waited } = mounted([failure])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
    expect(waited).toEqual([])
    expect(typesOf(agent.session.events)).not.toContain('model/retry')
    expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'error' } }])
  })

  test('W10 an opaque browser failure is told at once, unless this provider has answered before', async () => {
    const opaque = fails('transport', 'no answer', { code: 'unreachable' })
    const { model, start } = mounted([opaque, text('hello'), opaque, text('hello again')])
    const agent = start()
    agent.send('first')
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
    agent.send('second')
    await agent.whenIdle()
    agent.send('third')
    await agent.whenIdle()
    model.assertPlayed()
    expect(dataOf(agent.session.events, 'model/retry')).toHaveLength(1)
  })

  test('L43 what it does not retry is asked of the next listener, and what it retries is not', async () => {
    const { runtime, start } = mounted([fails('overloaded'), fails('auth')])
    const asked: string[] = []
    runtime.on('agent/request-error', (_agent, _turn, _step, { failure }, next) => {
      asked.push(failure?.class ?? '')
      return next()
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(asked).toEqual(['auth'])
  })

  test('W10 facts that are not fit for the log are left out of it', async () => {
    const failure = { ...modelFailure('overloaded'), retryAfterMs: Number.NaN, status: 'many', requestId: () => 1, more: new Map() }
    const { model, start, waited } = mounted([throws(Object.assign(new Error('no'), { failure })), text('ok')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    model.assertPlayed()
    expect(waited).toEqual([500])
    expect(dataOf(agent.session.events, 'model/retry')[0]?.failure).toEqual(modelFailure('overloaded'))
  })
})

describe('W10 the pause', () => {
  test('W10 is within 500 ms and 10 s, and grows, whatever the dice say', () => {
    const die = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), die, die, (n, one, other) => {
        const [now, next] = [pauseBefore(n, undefined, () => one) ?? -1, pauseBefore(n + 1, undefined, () => other) ?? -1]
        expect(now).toBeGreaterThanOrEqual(500)
        expect(now).toBeLessThanOrEqual(10_000)
        if (n < 4) expect(next).toBeGreaterThan(now)
      }),
    )
  })

  test('W10 has jitter, also at the ceiling', () => {
    for (const n of [1, 3, 20]) expect(pauseBefore(n, undefined, () => 0)).not.toBe(pauseBefore(n, undefined, () => 0.9))
  })

  test.for([
    [7000, 7000],
    [34_000.4, 34_001],
    [120_000, 120_000],
    [0, 500],
    [120_001, undefined],
  ] as const)('W10 a server that asks for %s ms is waited for %s ms', ([asked, waited]) => {
    expect(pauseBefore(1, asked, () => 0.5)).toBe(waited)
  })

  test('W10 a server that asks for hours is not waited for: the person is told', async () => {
    const { start, waited } = mounted([fails('rate_limit', 'come back tomorrow', { retryAfterMs: 3_600_000 })])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(waited).toEqual([])
    expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'error', message: 'come back tomorrow' } }])
  })

  test('L43 a cancel ends it at once: no further attempt, nothing more in the log', async () => {
    const waiting = gate()
    let released = false
    const wait = async (_ms: number, signal: AbortSignal): Promise<void> => {
      waiting.arrive()
      await orAbort(waiting.opened, signal).catch(() => {})
      released = true
    }
    const { model, start } = mounted([fails('overloaded')], { wait })
    const agent = start()
    agent.send('go')
    await waiting.reached
    agent.cancel('enough')
    await agent.whenIdle()
    expect(released).toBe(true)
    expect(model.requests).toHaveLength(1)
    const { length } = agent.session.events
    expect(typesOf(agent.session.events).slice(-3)).toEqual(['model/retry', 'step/end', 'turn/end'])
    expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'aborted', reason: 'enough' } }])
    waiting.open()
    await waiting.opened
    expect(agent.session.events).toHaveLength(length)
  })

  test('L43 the real pause is a timer, and a cancel gives it up', async () => {
    vi.useFakeTimers()
    try {
      const { model, runtime, start } = testRuntime([fails('overloaded'), fails('overloaded'), text('never')])
      runtime.use(retry({ random: () => 0 }))
      const agent = start()
      agent.send('go')
      await eventWhere(runtime, agent, ({ type }) => type === 'model/retry')
      await vi.advanceTimersByTimeAsync(499)
      expect(model.requests).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(model.requests).toHaveLength(2)
      expect(vi.getTimerCount()).toBe(1)
      agent.cancel()
      await agent.whenIdle()
      expect(vi.getTimerCount()).toBe(0)
      expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'aborted' } }])
    } finally {
      vi.useRealTimers()
    }
  })

  test('L72 unmounted while it waits, it lets the failure go on', async () => {
    const waiting = gate()
    const wait = (_ms: number, signal: AbortSignal): Promise<void> => {
      waiting.arrive()
      return orAbort(waiting.opened, signal).catch(() => {})
    }
    const { plugin, model, start } = mounted([fails('overloaded')], { wait })
    const agent = start()
    agent.send('go')
    await waiting.reached
    await plugin.dispose()
    await agent.whenIdle()
    expect(model.requests).toHaveLength(1)
    expect(dataOf(agent.session.events, 'turn/end')).toMatchObject([{ reason: { kind: 'error' } }])
  })
})

describe('L43 the attempts in the log', () => {
  test('L43 P-a09 an attempt after visible text replaces it: its chunks stay, cited by nobody, and the next request is without them', async () => {
    const { model, start } = mounted([reply(text('half a rep'), fails('transport')), text('a whole reply')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    const { events } = agent.session
    expect(typesOf(events)).toEqual([
      'turn/start',
      'user/message',
      'step/start',
      'request/header',
      'assistant/chunk',
      'model/retry',
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    const retried = events.findIndex(({ type }) => type === 'model/retry')
    const message = events.find((event) => event.type === 'assistant/message')
    expect(message?.data.content).toEqual([{ type: 'text', text: 'a whole reply' }])
    expect(message?.sourceEventSeqs?.every((seq) => seq > retried)).toBe(true)
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('half a rep')
    expect(model.requests.map((request) => JSON.stringify(request))).toEqual(rebuildRequests(events).map(({ json }) => json))
  })

  test('L32 the transcript keeps what had arrived as failed, then the pause, then the reply', async () => {
    const { start } = mounted([reply(text('half a rep'), fails('transport', 'it broke')), text('a whole reply')])
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    const { pages } = fold(transcript, agent.session.events)
    const items = pages
      .flat()
      .map((item) =>
        item.kind === 'reply' ? [item.state.kind, ...item.blocks.map((block) => block.kind === 'text' && block.text)] : [item.kind],
      )
    expect(items).toEqual([['user'], ['failed', 'half a rep'], ['retry'], ['done', 'a whole reply']])
  })

  test('L15 an attempt derives again: what was injected in the pause is in it', async () => {
    const { model, start } = mounted([fails('overloaded'), text('ok')], {
      wait: async () => agent.inject('meanwhile', { envelope: 'raw' }),
    })
    const agent = start()
    agent.send('go')
    await agent.whenIdle()
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('meanwhile')
    expect(model.requests.map((request) => JSON.stringify(request))).toEqual(rebuildRequests(agent.session.events).map(({ json }) => json))
  })
})
