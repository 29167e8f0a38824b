// Repair after a kill (S8), against the golden logs and against every cut of many realistic ones.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/storage/log/content.ts'
import type { EventOf, SessionEvent } from '../../../src/storage/log/events.ts'
import { findOpenEnds } from '../../../src/storage/log/open-ends.ts'
import { fold } from '../../../src/storage/log/projection.ts'
import { usage } from '../../../src/storage/log/projections/usage.ts'
import { NOT_STARTED_TEXT, OUTCOME_UNKNOWN_TEXT, repairEvents } from '../../../src/storage/log/repair.ts'
import { createSessionLog } from '../../../src/storage/log/session-log.ts'
import { readStoredEvents } from '../../../src/storage/log/stored-events.ts'
import { eventOf } from '../../contract/session-samples.ts'
import { realisticLog } from './realistic-log.ts'

const USER = { kind: 'user' } as const
const APPEND = { surfaceOp: 'append' } as const
const provenance = { provider: 'demo', model: 'rules' }
const header = { version: 1, id: 's1', createdAt: 0 } as const

type Draft = Parameters<typeof eventOf> extends [number, ...infer Rest] ? Rest : never

/** `turn/start` to `request/header`, then what is given. */
const started = (...more: readonly Draft[]): readonly SessionEvent[] => {
  const drafts: readonly Draft[] = [
    ['turn/start', { turn: 1, trigger: { kind: 'message', source: USER } }],
    ['user/message', { id: 'm1', content: [{ type: 'text', text: 'Go' }], source: USER }, APPEND],
    ['step/start', { turn: 1, step: 1 }],
    ['request/header', { header: { config: provenance }, reason: 'initial' }],
    ...more,
  ]
  return drafts.map((draft, seq) => eventOf(seq, ...draft))
}
const chunk = (value: EventOf<'assistant/chunk'>['data']['chunk']): Draft => ['assistant/chunk', { turn: 1, step: 1, chunk: value }]
const text = (piece: string, index = 0): Draft => chunk({ type: 'text-delta', index, text: piece })
const call = (id: string): { type: 'tool-call'; id: string; name: string; arguments: string } => ({
  type: 'tool-call',
  id,
  name: 'echo',
  arguments: `{"id":"${id}"}`,
})
const asked = (...ids: readonly string[]): Draft => ['assistant/message', { turn: 1, step: 1, content: ids.map(call), provenance }, APPEND]
const recorded = (id: string): Draft => ['tool/call', { turn: 1, step: 1, callId: id, name: 'echo', arguments: call(id).arguments }]
const done = (id: string, cited: number): Draft => [
  'tool/result',
  { turn: 1, step: 1, callId: id, content: [], isError: false },
  { surfaceOp: 'append', sourceEventSeqs: [cited] },
]
const question = (id: string): Draft => ['question/asked', { callId: id, questions: [{ id: 'q', text: 'Which?' }] }]

/** What matters of the repairs, one word each. */
const words = (log: readonly SessionEvent[]): readonly string[] =>
  repairEvents(log).map((event) => {
    if (event.type === 'tool/result') return `result ${event.data.callId} ${event.data.error?.code}`
    if (event.type === 'tool/call') return `call ${event.data.callId}`
    if (event.type === 'turn/end') return `turn/end ${event.data.reason.kind}`
    if (event.type === 'task/ended') return `task/ended ${event.data.run} ${event.data.result.exitReason}`
    return event.type
  })

describe('S8 repair', () => {
  it('golden log 8: a reply that was cut is committed as far as it was visible, then step and turn are closed', () => {
    const log = started(chunk({ type: 'block-start', index: 0, blockType: 'text' }), text('visi'), text('ble'))
    const time = log.at(-1)!.time
    expect(repairEvents(log)).toEqual([
      {
        type: 'assistant/message',
        seq: 7,
        time,
        data: { turn: 1, step: 1, content: [{ type: 'text', text: 'visible' }], provenance, interrupted: true },
        surfaceOp: 'append',
        sourceEventSeqs: [4, 5, 6],
      },
      { type: 'step/end', seq: 8, time, data: { turn: 1, step: 1 } },
      { type: 'turn/end', seq: 9, time, data: { turn: 1, reason: { kind: 'interrupted' } } },
    ])
  })

  it('golden log 8: of two calls the one that was running is unknown, the one behind it was not started', () => {
    const log = started(asked('c1', 'c2'), recorded('c1'))
    expect(words(log)).toEqual([
      'result c1 TOOL_OUTCOME_UNKNOWN',
      'call c2',
      'result c2 TOOL_NOT_STARTED',
      'step/end',
      'turn/end interrupted',
    ])
    const [first, second, third] = repairEvents(log)
    expect(first).toMatchObject({
      surfaceOp: 'append',
      sourceEventSeqs: [5],
      data: { isError: true, content: [{ text: OUTCOME_UNKNOWN_TEXT }] },
    })
    expect(second).toMatchObject({ data: { turn: 1, step: 1, callId: 'c2', name: 'echo', arguments: '{"id":"c2"}' } })
    expect(third).toMatchObject({ sourceEventSeqs: [second!.seq], data: { isError: true, content: [{ text: NOT_STARTED_TEXT }] } })
  })

  it('golden log 7: a call that waits for an answer or a decision is not repaired; its call, step and turn stay open', () => {
    const approval: Draft = ['approval/asked', { callId: 'c1', action: { tool: 'echo', summary: 'Run it' } }]
    for (const parked of [question('c1'), approval]) {
      expect(repairEvents(started(asked('c1'), recorded('c1'), parked))).toEqual([])
      expect(repairEvents(started(asked('c1', 'c2'), recorded('c1'), parked))).toEqual([])
    }
    expect(repairEvents(started(asked('c0', 'c1'), recorded('c0'), done('c0', 5), recorded('c1'), question('c1')))).toEqual([])
  })

  it('L16 a call that was running beside a parked one is unknown, and everything else stays open', () => {
    const log = started(asked('c1', 'c2', 'c3'), recorded('c1'), recorded('c2'), question('c1'))
    expect(words(log)).toEqual(['result c2 TOOL_OUTCOME_UNKNOWN'])
    expect(repairEvents([...log, ...repairEvents(log)])).toEqual([])
  })

  it('a call whose question was answered and whose result never came is unknown, and the result tells the answer', () => {
    const answered = (answers: EventOf<'question/answered'>['data']['answers']): readonly SessionEvent[] =>
      started(asked('c1'), recorded('c1'), question('c1'), ['question/answered', { callId: 'c1', answers }])
    expect(words(answered(null))).toEqual(['result c1 TOOL_OUTCOME_UNKNOWN', 'step/end', 'turn/end interrupted'])
    expect(JSON.stringify(repairEvents(answered(null)))).toContain('dismissed the question')
    expect(JSON.stringify(repairEvents(answered([{ id: 'q', chosen: ['blue'], text: 'dark' }])))).toContain('Which? → blue, dark')
  })

  it('a question of an earlier, finished step parks nothing', () => {
    const log = started(
      asked('c1'),
      recorded('c1'),
      question('c1'),
      done('c1', 5),
      ['step/end', { turn: 1, step: 1 }],
      ['step/start', { turn: 1, step: 2 }],
    )
    expect(words(log)).toEqual(['step/end', 'turn/end interrupted'])
  })

  it('with nothing visible no message is written', () => {
    const blank = [
      text(' \n'),
      chunk({ type: 'reasoning-delta', index: 1, text: '' }),
      chunk({ type: 'tool-call-delta', index: 2, id: 'c1', argumentsDelta: '{' }),
    ]
    expect(words(started(...blank))).toEqual(['step/end', 'turn/end interrupted'])
    expect(words(started())).toEqual(['step/end', 'turn/end interrupted'])
    expect(words(started().slice(0, 2))).toEqual(['turn/end interrupted'])
  })

  it('L21 calls of a cut reply are dropped, reasoning and its replay data are kept, and reported usage too', () => {
    const used = { inputTokens: 3, outputTokens: 2 }
    const reasoning = { type: 'reasoning', text: 'because', replay: { signature: 'x' } } as const
    const log = started(
      chunk({ type: 'reasoning-delta', index: 0, text: 'because' }),
      chunk({ type: 'block-end', index: 0, block: reasoning }),
      text('late', 1),
      chunk({ type: 'tool-call-delta', index: 2, id: 'c1', name: 'echo', argumentsDelta: '{}' }),
      chunk({ type: 'usage', usage: used }),
      chunk({ type: 'finish', reason: { kind: 'tool-calls' } }),
    )
    expect(repairEvents(log)[0]).toMatchObject({
      data: { content: [reasoning, { type: 'text', text: 'late' }], usage: used, interrupted: true },
      sourceEventSeqs: [4, 5, 6, 7, 8, 9],
    })
    expect(words(log)).toEqual(['assistant/message', 'step/end', 'turn/end interrupted'])
  })

  it('L43 chunks of a failed attempt are cited by nobody', () => {
    const failure = { class: 'overloaded', message: 'busy', transient: true } as const
    const retry: Draft = ['model/retry', { turn: 1, step: 1, attempt: 1, delayMs: 10, failure }]
    const failed = chunk({ type: 'finish', reason: { kind: 'error', message: 'busy' } })
    expect(words(started(text('lost'), failed))).toEqual(['step/end', 'turn/end interrupted'])
    expect(words(started(text('lost'), retry))).toEqual(['step/end', 'turn/end interrupted'])
    for (const between of [[retry], [failed], [chunk({ type: 'block-start', index: 0, blockType: 'text' })]]) {
      const log = started(text('lost'), ...between, text('seen'))
      const [message] = repairEvents(log)
      expect(message).toMatchObject({ data: { content: [{ text: 'seen' }] } })
      expect((message as EventOf<'assistant/message'>).sourceEventSeqs).not.toContain(4)
    }
  })

  it('an open run ends after its turn, as interrupted, with what it had used', () => {
    const start = eventOf(0, 'task/started', { run: 'r1', kind: 'task', prompt: [] })
    const used = { inputTokens: 10, outputTokens: 5, cost: 0.5 }
    const log = [
      start,
      ...started(['assistant/message', { turn: 1, step: 1, content: [call('c1')], provenance, usage: used }, APPEND], recorded('c1')),
    ].map((event, seq) => ({ ...event, seq }) as SessionEvent)
    expect(words(log)).toEqual(['result c1 TOOL_OUTCOME_UNKNOWN', 'step/end', 'turn/end interrupted', 'task/ended r1 interrupted'])
    expect(repairEvents(log).at(-1)).toMatchObject({
      data: { result: { success: false, toolCount: 1, turnCount: 1, totalCost: 0.5, totalUsage: { inputTokens: 10, outputTokens: 5 } } },
    })
    expect(words([start])).toEqual(['task/ended r1 interrupted'])
  })

  it('an open compaction is closed before its step and turn', () => {
    const log = started().slice(0, 2)
    expect(words([...log, eventOf(2, 'compaction/start', { trigger: 'pressure', tokens: 9 })])).toEqual([
      'compaction/end',
      'turn/end interrupted',
    ])
  })

  it('an empty log, and one with nothing open, need nothing', () => {
    expect(repairEvents([])).toEqual([])
    expect(
      repairEvents([...started(['step/end', { turn: 1, step: 1 }], ['turn/end', { turn: 1, reason: { kind: 'completed' } }])]),
    ).toEqual([])
  })
})

/** Choices shrink badly and slowly; the seed in the message is enough to see a failure again. */
const RUNS = { numRuns: 300, endOnFailure: true }

const cutLog = fc.gen().map((g) => {
  const log = realisticLog((max) => g(fc.nat, { max }))
  return log.slice(0, g(fc.integer, { min: 0, max: log.length }))
})

const callIds = (messages: readonly Message[], type: 'tool-call' | 'tool-result'): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === type ? [block.type === 'tool-call' ? block.id : block.type === 'tool-result' ? block.toolCallId : ''] : [],
    ),
  )

describe('S8 repair of any cut of any log', () => {
  it('keeps the prefix, follows it without a gap at the last real time, and gives a log that is valid and frozen', () => {
    fc.assert(
      fc.property(cutLog, (log) => {
        const repairs = repairEvents(log)
        const whole = createSessionLog({ header, now: () => 0, seed: [...log, ...repairs] }).events()
        expect(readStoredEvents(whole, 0)).toEqual([...log, ...repairs])
        for (const event of repairs) {
          expect(event.time).toBe(log.at(-1)?.time)
          expect(Object.isFrozen(event) && Object.isFrozen(event.data)).toBe(true)
        }
      }),
      RUNS,
    )
  })

  it('repairing twice changes nothing, and it is always the same repair', () => {
    fc.assert(
      fc.property(cutLog, (log) => {
        const repairs = repairEvents(log)
        expect(repairEvents([...log, ...repairs])).toEqual([])
        expect(repairEvents(structuredClone(log))).toEqual(repairs)
      }),
      RUNS,
    )
  })

  it('closes everything, or leaves open exactly the step in which a call waits for a person', () => {
    fc.assert(
      fc.property(cutLog, (log) => {
        const after = findOpenEnds([...log, ...repairEvents(log)])
        const waits = after.calls.some((each) => each.parked && !each.hasResult)
        expect(waits).toBe(findOpenEnds(log).calls.some((each) => each.parked && !each.hasResult))
        if (waits) expect(after.calls.filter((each) => each.recorded !== undefined && !each.hasResult && !each.parked)).toEqual([])
        else expect(after).toMatchObject({ turn: undefined, step: undefined, calls: [], attempt: [], runs: [], compacting: false })
      }),
      RUNS,
    )
  })

  it('every call that the model will see has exactly one result, unless a person is waited for', () => {
    fc.assert(
      fc.property(cutLog, (log) => {
        const whole = [...log, ...repairEvents(log)]
        if (findOpenEnds(whole).turn !== undefined) return
        const messages = createSessionLog({ header, now: () => 0, seed: whole }).deriveMessages()
        expect([...callIds(messages, 'tool-result')].sort()).toEqual([...callIds(messages, 'tool-call')].sort())
        expect(fold(usage, whole).calls).toBe(whole.filter((event) => event.type === 'assistant/message').length)
      }),
      RUNS,
    )
  })
})
