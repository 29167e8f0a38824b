// T30: what a run and a session used and cost, and the limits that end a run with their own reason.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { accountOf, costOf, emptyAccount } from '../../../src/storage/log/projections/account.ts'
import { gate } from '../../kit/gate.ts'
import { hold, noUsage, reply, text, usage } from '../../kit/replies.ts'
import { dataOf } from '../../kit/test-runtime.ts'
import { complete, sh, taskSetup } from './kit.ts'

const prices = { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 4, asOf: '2026-01-01' }
const info = { prices } as const

describe('T30 the price of a call', () => {
  test('T30 what the provider reported goes first', () => {
    expect(costOf({ inputTokens: 1_000_000, outputTokens: 0, cost: 0.001 }, prices)).toBe(0.001)
  })

  test('T30 then the price table: cached tokens at their price, reasoning as the output that it is part of', () => {
    const used = {
      inputTokens: 100_000,
      outputTokens: 10_000,
      cacheReadTokens: 1_000_000,
      cacheWriteTokens: 50_000,
      reasoningTokens: 9_000,
    }
    expect(costOf(used, prices)).toBeCloseTo(0.2 + 0.1 + 0.5 + 0.2, 10)
  })

  test('T30 a cache without a price of its own costs what input costs', () => {
    const { input, output, asOf } = prices
    expect(costOf({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 1_000_000 }, { input, output, asOf })).toBe(2)
  })

  test('T30 else none, never invented', () => {
    expect(costOf({ inputTokens: 1, outputTokens: 1 }, undefined)).toBeNull()
    expect(costOf(undefined, prices)).toBeNull()
  })
})

describe('T30 a run', () => {
  test('T30 sums up its calls', async () => {
    const { run } = taskSetup(
      [reply(sh('ls'), usage(1000, 100, { cacheReadTokens: 500 })), reply(complete(), usage(2000, 50, { reasoningTokens: 20 }))],
      { info },
    )
    const result = await run()
    expect(result.totalUsage).toEqual({ inputTokens: 3000, outputTokens: 150, cacheReadTokens: 500, reasoningTokens: 20 })
    expect(result.totalCost).toBeCloseTo((3000 * 2 + 150 * 10 + 500 * 0.5) / 1e6, 12)
  })

  test('T30 one call without a price makes the whole unknown', async () => {
    const { run } = taskSetup([reply(sh('ls'), usage(1, 1)), reply(complete(), noUsage())], { info })
    expect((await run()).totalCost).toBeNull()
  })

  test('T30 the second run counts from nothing; the session counts both', async () => {
    const { run, agent } = taskSetup([reply(complete('c1'), usage(1000, 0)), reply(complete('c2'), usage(500, 0))], { info })
    await run('one')
    expect((await run('two')).totalUsage).toEqual({ inputTokens: 500, outputTokens: 0 })
    const session = accountOf(agent.session.events, () => prices)
    expect(session).toMatchObject({ calls: 2, usage: { inputTokens: 1500 }, contextTokens: 500 })
    expect(session.cost).toBeCloseTo(0.003, 12)
  })

  test('T30 what a stopped reply cost counts too', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(text('so far'), usage(70, 3), hold(pause))], { info })
    const running = run()
    await pause.reached
    agent.cancel()
    expect(await running).toMatchObject({ exitReason: 'stopped', totalUsage: { inputTokens: 70, outputTokens: 3 }, turnCount: 1 })
  })

  test('T30 a child counts for money, not for the context', () => {
    const child = { totalUsage: { inputTokens: 900, outputTokens: 9 }, totalCost: 0.5, turnCount: 3 }
    const log = [
      {
        type: 'assistant/message',
        seq: 0,
        time: 0,
        surfaceOp: 'append',
        data: {
          turn: 1,
          step: 1,
          content: [],
          provenance: { provider: 'p', model: 'm' },
          usage: { inputTokens: 10, outputTokens: 1, cost: 0.25 },
        },
      },
      { type: 'task/noted', seq: 1, time: 0, data: { run: 'r', name: 'child', data: { session: 's', kind: 'explore', result: child } } },
    ] as const
    expect(accountOf(log, () => undefined)).toMatchObject({
      usage: { inputTokens: 910, outputTokens: 10 },
      cost: 0.75,
      contextTokens: 10,
    })
    expect(accountOf([], () => undefined)).toEqual(emptyAccount)
  })
})

describe('T30 a budget', () => {
  test('T30 of tokens ends the run with its own reason', async () => {
    const { run, model } = taskSetup([reply(sh('a'), usage(60, 10)), reply(sh('b'), usage(60, 10)), sh('c')])
    const result = await run('do it', { budget: { tokens: 140 } })
    expect(result).toMatchObject({ success: false, exitReason: 'budget_exhausted', turnCount: 2 })
    expect(result.summary).toContain('140')
    expect(model.requests).toHaveLength(2)
  })

  test('T30 of money', async () => {
    const { run } = taskSetup([reply(sh('a'), usage(0, 0, { cost: 0.3 })), reply(sh('b'), usage(0, 0, { cost: 0.3 })), sh('c')])
    expect(await run('do it', { budget: { cost: 0.5 } })).toMatchObject({ exitReason: 'budget_exhausted', turnCount: 2, totalCost: 0.6 })
  })

  test('T30 of money holds by what is known, even if a call had no price', async () => {
    const { run } = taskSetup([reply(sh('a'), usage(0, 0, { cost: 0.6 })), sh('b'), sh('c')])
    expect(await run('do it', { budget: { cost: 0.5 } })).toMatchObject({ exitReason: 'budget_exhausted', turnCount: 1 })
    const unpriced = taskSetup([sh('a'), complete()])
    expect(await unpriced.run('do it', { budget: { cost: 0.000001 } })).toMatchObject({ success: true, totalCost: null })
  })

  test('T30 of time, by the clock of the log', async () => {
    const { run } = taskSetup([sh('a'), sh('b'), sh('c')])
    // The test's clock ticks once an event.
    const result = await run('do it', { budget: { ms: 20 } })
    expect(result).toMatchObject({ exitReason: 'budget_exhausted' })
    expect(result.summary).toContain('20 ms')
  })

  test('T30 work that is complete with the last of it is complete', async () => {
    const { run } = taskSetup([reply(complete(), usage(500, 0))])
    expect(await run('do it', { budget: { tokens: 100 } })).toMatchObject({ success: true })
  })

  test('T30 a failed call is not gone on from when it is used up', async () => {
    const { run } = taskSetup([reply(sh('a'), usage(90, 0)), reply(sh('b'), usage(90, 0))])
    expect(await run('do it', { budget: { tokens: 100 }, onPausableError: async () => 'continue' })).toMatchObject({
      exitReason: 'budget_exhausted',
    })
  })
})

describe('T30 a budget of time', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('T30 ends a model that never answers, and what waits behind the run goes on by itself', async () => {
    const pause = gate()
    const { run, agent } = taskSetup([reply(hold(pause)), text('hello')])
    const running = run('do it', { budget: { ms: 60_000 } })
    await pause.reached
    agent.send('next', { id: 'next' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await running).toMatchObject({ success: false, exitReason: 'budget_exhausted' })
    await vi.advanceTimersByTimeAsync(1_000)
    await agent.whenIdle()
    expect(dataOf(agent.session.events, 'user/message').map(({ id }) => id)).toContain('next')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('T30 leaves no timer behind a run that was done before', async () => {
    await taskSetup([complete()]).run('do it', { budget: { ms: 60_000 } })
    expect(vi.getTimerCount()).toBe(0)
  })
})
