// The transcript as a fold: the same items live and after a reload, and nothing shown twice.
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { fold } from '../../../src/storage/log/projection.ts'
import { transcript } from '../../../src/storage/log/projections/transcript.ts'
import type { ReplyItem, Transcript, TranscriptItem } from '../../../src/storage/log/projections/transcript-items.ts'
import { PAGE_SIZE } from '../../../src/storage/log/projections/transcript-items.ts'
import type { Entry } from './build-log.ts'
import {
  buildLog,
  call,
  chunk,
  delta,
  end,
  finish,
  message,
  start,
  stepEnd,
  stepStart,
  text,
  turnEnd,
  turnStart,
  userSays,
} from './build-log.ts'

const itemsOf = (state: Transcript): readonly TranscriptItem[] => [...state.pages.flat(), ...state.open]
const folded = (entries: readonly Entry[]) => fold(transcript, buildLog(entries))
const shown = (entries: readonly Entry[]) => itemsOf(folded(entries))
const replyIn = (items: readonly TranscriptItem[]): ReplyItem => {
  const reply = items.find((item) => item.kind === 'reply')
  if (reply === undefined) throw new Error('no reply in the transcript')
  return reply
}
const opening: readonly Entry[] = [turnStart, userSays('hi'), stepStart()]

describe('a text reply', () => {
  const streamed = [...opening, start(), delta('o'), delta('k')]

  test('H4 a reply is one item, live from its chunks and then final from its message', () => {
    const live = shown(streamed)
    expect(live.map((item) => item.kind)).toEqual(['user', 'reply'])
    expect(replyIn(live)).toMatchObject({ state: { kind: 'streaming' }, blocks: [{ kind: 'text', text: 'ok', open: true }] })

    const done = shown([...streamed, end(text('ok')), finish(), message([text('ok')]), stepEnd(), turnEnd()])
    expect(done.map((item) => item.kind)).toEqual(['user', 'reply'])
    expect(replyIn(done)).toMatchObject({
      key: replyIn(live).key,
      state: { kind: 'done' },
      blocks: [{ key: replyIn(live).blocks[0]?.key, text: 'ok', open: false }],
    })
  })

  test('H4 a block that the message repeats keeps its identity', () => {
    const before = folded([...streamed, end(text('ok')), finish()])
    const [final] = buildLog([message([text('ok')])], 8)
    const after = transcript.apply(before, final as SessionEvent)
    expect(replyIn(itemsOf(after)).blocks[0]).toBe(replyIn(itemsOf(before)).blocks[0])
  })

  test('a message that a listener changed is shown as it was logged', () => {
    const items = shown([...streamed, end(text('ok')), finish(), message([text('changed')])])
    expect(replyIn(items).blocks).toMatchObject([{ text: 'changed' }])
  })

  test('a message without chunks is shown whole', () => {
    expect(replyIn(shown([...opening, message([text('seeded')])])).blocks).toMatchObject([{ text: 'seeded', open: false }])
  })

  test('deltas after the end of their block are ignored, and the first end wins', () => {
    const items = shown([...streamed, end(text('ok')), delta('!'), end(text('other'))])
    expect(replyIn(items).blocks).toMatchObject([{ text: 'ok', open: false }])
  })

  test('deltas without a start, and an end without deltas, are shown in the order first seen', () => {
    const items = shown([...opening, delta('a', 3), end(text('b'), 1), chunk({ type: 'reasoning-delta', index: 2, text: 'why' })])
    expect(replyIn(items).blocks).toMatchObject([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
      { kind: 'reasoning', text: 'why' },
    ])
  })

  test('W5 a block with nothing but a vendor’s data is not shown, live or finished, and moves no other', () => {
    const silent = { type: 'reasoning', text: '', replay: { signature: 's' } } as const
    const live = [...opening, end(silent), start(1), delta('Done.', 1), end(text('Done.'), 1), end(silent, 2)]
    const blocks = (entries: readonly Entry[]) => replyIn(shown(entries)).blocks
    expect(blocks(live)).toMatchObject([{ kind: 'text', text: 'Done.' }])
    expect(blocks([...live, finish(), message([silent, text('Done.'), silent])])).toEqual(blocks(live))
  })

  test('L21 a reply cut by a stop keeps what was visible, and its half-written call is marked as never run', () => {
    const items = shown([
      ...streamed,
      chunk({ type: 'tool-call-delta', index: 1, id: 'c1', name: 'run_js', argumentsDelta: '{"co' }),
      message([text('ok')], { interrupted: true }),
      stepEnd(),
      turnEnd({ kind: 'aborted', reason: 'cancelled' }),
    ])
    expect(replyIn(items)).toMatchObject({
      state: { kind: 'interrupted' },
      blocks: [{ text: 'ok' }, { kind: 'tool', name: 'run_js', state: { kind: 'aborted' } }],
    })
    expect(items.at(-1)).toMatchObject({ kind: 'ending', reason: { kind: 'aborted' } })
  })

  test('L30 a reply cut by the output limit says so', () => {
    const items = shown([...streamed, finish('max-tokens'), message([text('ok')]), stepEnd(), turnEnd({ kind: 'max-tokens' })])
    expect(items.at(-1)).toMatchObject({ kind: 'ending', reason: { kind: 'max-tokens' } })
  })
})

describe('failures', () => {
  test('L32 what a failed attempt had said stays visible, marked as failed', () => {
    const items = shown([
      ...opening,
      start(),
      delta('half'),
      stepEnd(),
      turnEnd({ kind: 'error', step: 1, message: 'The connection broke.' }),
    ])
    expect(items.map((item) => item.kind)).toEqual(['user', 'reply', 'ending'])
    expect(replyIn(items)).toMatchObject({ state: { kind: 'failed' }, blocks: [{ text: 'half', open: false }] })
  })

  test('L32 a failed attempt that said nothing leaves no empty item', () => {
    const items = shown([...opening, finish(), stepEnd(), turnEnd({ kind: 'error', step: 1, message: 'No.' })])
    expect(items.map((item) => item.kind)).toEqual(['user', 'ending'])
  })

  test('L43 a retry leaves the failed attempt, says why, and the next attempt is an item of its own', () => {
    const failure = { class: 'overloaded', message: 'The server is busy.', transient: true } as const
    const items = shown([
      ...opening,
      delta('one'),
      ['model/retry', { turn: 1, step: 1, attempt: 1, delayMs: 500, failure }],
      delta('two'),
      message([text('two')]),
    ])
    expect(items.map((item) => item.kind)).toEqual(['user', 'reply', 'retry', 'reply'])
    expect(items[1]).toMatchObject({ state: { kind: 'failed', message: 'The server is busy.' }, blocks: [{ text: 'one' }] })
    expect(items[3]).toMatchObject({ state: { kind: 'done' }, blocks: [{ text: 'two' }] })
  })

  test('L43 an attempt made again without a note does not run into the first one', () => {
    const items = shown([...opening, start(), delta('one'), start(), delta('two'), end(text('two')), finish(), message([text('two')])])
    expect(items.filter((item) => item.kind === 'reply')).toMatchObject([
      { state: { kind: 'failed' }, blocks: [{ text: 'one' }] },
      { state: { kind: 'done' }, blocks: [{ text: 'two' }] },
    ])
  })

  test('L2 a blocked prompt is shown with its reason', () => {
    const blocked: Entry = ['prompt/blocked', { id: 'm1', content: [text('no')], source: { kind: 'user' }, reason: 'why' }]
    expect(shown([turnStart, blocked, turnEnd({ kind: 'rejected', reason: 'why' })])).toMatchObject([{ kind: 'blocked', reason: 'why' }])
  })

  test('S8 an interrupted turn is marked', () => {
    const items = shown([
      ...opening,
      delta('visible'),
      message([text('visible')], { interrupted: true }),
      stepEnd(),
      turnEnd({ kind: 'interrupted' }),
    ])
    expect(items.at(-1)).toMatchObject({ kind: 'ending', reason: { kind: 'interrupted' } })
  })
})

describe('tools', () => {
  const asked: readonly Entry[] = [
    ...opening,
    chunk({ type: 'tool-call-delta', index: 0, id: 'c1', name: 'run_js', argumentsDelta: '{"code":' }),
    chunk({ type: 'tool-call-delta', index: 0, id: 'c1', argumentsDelta: '"1"}' }),
  ]
  const called: readonly Entry[] = [
    ...asked,
    end(call('c1', 'run_js', '{"code":"1"}')),
    finish('tool-calls'),
    message([call('c1', 'run_js', '{"code":"1"}')]),
    ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'run_js', arguments: '{"code":"1"}' }],
  ]
  const result = (extra: object): Entry => [
    'tool/result',
    { turn: 1, step: 1, callId: 'c1', content: [text('1')], isError: false, ...extra },
    { sourceEventSeqs: [8] },
  ]
  const stateOf = (entries: readonly Entry[]) => replyIn(shown(entries)).blocks[0]

  test('a tool card goes from preparing over running to done, as one card with one key', () => {
    const preparing = stateOf(asked)
    expect(preparing).toMatchObject({ kind: 'tool', name: 'run_js', arguments: '{"code":"1"}', state: { kind: 'preparing' } })
    expect(stateOf(called)).toMatchObject({ key: preparing?.key, state: { kind: 'running', since: 1008 } })
    expect(stateOf([...called, result({})])).toMatchObject({ key: preparing?.key, state: { kind: 'done', content: [text('1')], ms: 1 } })
  })

  test.each([
    ['TOOL_FAILED', 'failed'],
    ['DENIED', 'denied'],
    ['ABORTED_BEFORE_DISPATCH', 'aborted'],
    ['TOOL_OUTCOME_UNKNOWN', 'aborted'],
  ])('a result with the code %s shows the card as %s', (code, kind) => {
    expect(stateOf([...called, result({ isError: true, error: { name: 'Error', code } })])).toMatchObject({
      state: { kind, error: { code } },
    })
  })

  test('L81 a result that was shortened for the model stays whole for the person', () => {
    const shortened: Entry = [
      'tool/result',
      { turn: 1, step: 1, callId: 'c1', content: [text('cut')], isError: false },
      { surfaceOp: { op: 'replace', start: 9, end: 9 }, sourceEventSeqs: [8, 9] },
    ]
    expect(stateOf([...called, result({}), shortened])).toMatchObject({ state: { content: [text('1')] }, shortened: {} })
  })

  test('a call whose reply is not in the log gets a card of its own', () => {
    const lone: Entry = ['tool/call', { turn: 1, step: 1, callId: 'c9', name: 'echo', arguments: '{}' }]
    expect(shown([...opening, lone])).toMatchObject([{ kind: 'user' }, { kind: 'tool', callId: 'c9', state: { kind: 'running' } }])
  })

  test('L22 of two calls with one id the one that is still open takes the result', () => {
    const twice = call('c1', 'run_js', '{}')
    const items = shown([
      ...opening,
      message([twice, twice]),
      ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'run_js', arguments: '{}' }],
      result({}),
      ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'run_js', arguments: '{}' }],
      result({ isError: true, error: { name: 'Error', code: 'DUPLICATE' } }),
    ])
    expect(replyIn(items).blocks.map((block) => block.kind === 'tool' && block.state.kind)).toEqual(['done', 'failed'])
  })
})

describe('notes', () => {
  test('steering and contexts are items; an empty context that only takes something away is none', () => {
    const items = shown([
      ...opening,
      ['steering/message', { id: 's1', turn: 1, content: [text('left')], source: { kind: 'user' } }],
      ['context/message', { content: [text('note')], source: { kind: 'plugin', plugin: 'x' } }],
      ['context/message', { content: [], source: { kind: 'plugin', plugin: 'x' } }, { surfaceOp: { op: 'replace', start: 1, end: 1 } }],
    ])
    expect(items.map((item) => item.kind)).toEqual(['user', 'steering', 'context'])
  })

  test('events that nobody reads leave the very same transcript', () => {
    const state = folded(opening)
    const unknown = { type: 'x/y', seq: 3, time: 0, data: {}, optional: true } as unknown
    for (const event of buildLog(
      [
        ['session/title', { title: 't', by: 'user' }],
        ['plugin/noted', { plugin: 'p', data: 1 }],
      ],
      3,
    ))
      expect(transcript.apply(state, event)).toBe(state)
    expect(transcript.apply(state, unknown as SessionEvent)).toBe(state)
  })
})

describe('growth', () => {
  const longLog = (turns: number): SessionEvent[] =>
    buildLog(
      Array.from({ length: turns }, (_, n) => [
        turnStart,
        userSays(`q${n}`),
        stepStart(),
        message([text(`a${n}`)]),
        stepEnd(),
        turnEnd(),
      ]).flat(),
    )

  test('B14 a delta keeps every finished page by reference, and full pages are never replaced', () => {
    const log = longLog(200)
    const before = fold(transcript, log)
    expect(before.pages.every((page) => page.length <= PAGE_SIZE)).toBe(true)
    expect(itemsOf(before)).toHaveLength(400)
    const after = fold(transcript, buildLog([turnStart, stepStart(), delta('x')], log.length), before)
    expect(after.pages).toBe(before.pages)
    const closed = fold(transcript, buildLog([message([text('x')]), stepEnd(), turnEnd()], log.length + 3), after)
    for (const [index, page] of before.pages.entries()) if (page.length === PAGE_SIZE) expect(closed.pages[index]).toBe(page)
  })

  test('the fold of a log is the same however it is cut', () => {
    const log = longLog(40)
    const whole = fold(transcript, log)
    for (const cut of [1, 7, 63, 120]) expect(fold(transcript, log.slice(cut), fold(transcript, log.slice(0, cut)))).toEqual(whole)
  })
})
