// Tokens and money of a session, as its models reported them.
import { expect, test } from 'vitest'
import type { Usage } from '../../../src/storage/log/model-call.ts'
import { fold } from '../../../src/storage/log/projection.ts'
import { usage } from '../../../src/storage/log/projections/usage.ts'
import type { Entry } from './build-log.ts'
import { buildLog, delta, turnStart } from './build-log.ts'

const reply = (used?: Usage): Entry => [
  'assistant/message',
  { turn: 1, step: 1, content: [], provenance: { provider: 'p', model: 'm' }, ...(used === undefined ? {} : { usage: used }) },
]
const totalsAfter = (...entries: Entry[]) => fold(usage, buildLog(entries))

test('tokens add up, and the context is the size of the last call', () => {
  expect(
    totalsAfter(
      reply({ inputTokens: 10, outputTokens: 2 }),
      reply({ inputTokens: 5, outputTokens: 3, cacheReadTokens: 20, reasoningTokens: 1 }),
    ),
  ).toMatchObject({
    calls: 2,
    total: { inputTokens: 15, outputTokens: 5, cacheReadTokens: 20, reasoningTokens: 1 },
    contextTokens: 25,
    last: { provider: 'p', model: 'm' },
  })
})

test('a call without usage counts as a call and leaves the tokens alone', () => {
  expect(totalsAfter(reply({ inputTokens: 10, outputTokens: 2 }), reply())).toMatchObject({
    calls: 2,
    total: { inputTokens: 10 },
    contextTokens: 10,
  })
})

test('a cost is told only when every call had one', () => {
  expect(
    totalsAfter(reply({ inputTokens: 1, outputTokens: 1, cost: 0.5 }), reply({ inputTokens: 1, outputTokens: 1, cost: 0.25 })).cost,
  ).toBe(0.75)
  expect(totalsAfter(reply({ inputTokens: 1, outputTokens: 1, cost: 0.5 }), reply()).cost).toBeNull()
  expect(totalsAfter(reply(), reply({ inputTokens: 1, outputTokens: 1, cost: 0.5 })).cost).toBeNull()
})

test('other events leave the very same totals', () => {
  const state = totalsAfter(reply())
  for (const event of buildLog([turnStart, delta('x')], 1)) expect(usage.apply(state, event)).toBe(state)
})

test('the summary of a compaction is counted and paid for, and does not change the size of the context', () => {
  const before = totalsAfter(reply({ inputTokens: 10, outputTokens: 2, cost: 0.5 }))
  const after = totalsAfter(reply({ inputTokens: 10, outputTokens: 2, cost: 0.5 }), [
    'compaction/end',
    { outcome: 'done', usage: { inputTokens: 100, outputTokens: 20, cost: 0.25 } },
  ])
  expect(after).toMatchObject({ calls: 2, total: { inputTokens: 110, outputTokens: 22 }, cost: 0.75 })
  expect(after.contextTokens).toBe(before.contextTokens)
  expect(totalsAfter(reply(), ['compaction/end', { outcome: 'unchanged' }]).calls).toBe(1)
})
