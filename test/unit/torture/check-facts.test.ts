// The kill test's own eyes: what is lost, doubled, changed or out of order is seen, and what nobody promised is not missed.
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { filesIn, findingsIn } from '../../torture/check-facts.ts'
import { logProblems } from '../../torture/check-log.ts'
import { createLedger, type Outcome, type Wish } from '../../torture/ledger.ts'
import { planOf } from '../../torture/plan.ts'

const content = (text: string) => [{ type: 'text' as const, text }]
const user = { kind: 'user' } as const
const said = (seq: number, id: string, text = `#${id}`): SessionEvent => ({
  type: 'user/message',
  seq,
  time: 0,
  data: { id, content: content(text), source: user },
  surfaceOp: 'append',
})

const prompt = (id: string): Wish => ({ kind: 'prompt', session: 's', id, text: `#${id}` })
const ledgerWith = (...wishes: readonly (readonly [Wish, Outcome])[]) => {
  const ledger = createLedger()
  for (const [wish, outcome] of wishes) ledger.note(wish).outcome = outcome
  return ledger
}
const found = (events: readonly SessionEvent[], ...wishes: readonly (readonly [Wish, Outcome])[]) => {
  const { lost, doubled, changed } = findingsIn(ledgerWith(...wishes), 's', events)
  return [lost.length, doubled.length, changed.length]
}

describe('S16 messages', () => {
  test('S16 an acknowledged one is there once: none is lost, two are doubled', () => {
    expect(found([said(0, 'a')], [prompt('a'), 'acknowledged'])).toEqual([0, 0, 0])
    expect(found([], [prompt('a'), 'acknowledged'])).toEqual([1, 0, 0])
    expect(found([said(0, 'a'), said(1, 'a')], [prompt('a'), 'acknowledged'])).toEqual([0, 1, 0])
  })

  test('S16 one without an answer may be there or not, and never twice', () => {
    expect(found([], [prompt('a'), 'unknown'])).toEqual([0, 0, 0])
    expect(found([said(0, 'a')], [prompt('a'), 'unknown'])).toEqual([0, 0, 0])
    expect(found([said(0, 'a'), said(1, 'a')], [prompt('a'), 'unknown'])).toEqual([0, 1, 0])
  })

  test('S16 what was removed stays away; what was only asked to be removed may be either', () => {
    const removal: Wish = { kind: 'removal', session: 's', id: 'a' }
    expect(found([], [prompt('a'), 'acknowledged'], [removal, 'acknowledged'])).toEqual([0, 0, 0])
    expect(found([said(0, 'a')], [prompt('a'), 'acknowledged'], [removal, 'acknowledged'])).toEqual([0, 0, 1])
    expect(found([said(0, 'a')], [prompt('a'), 'acknowledged'], [removal, 'unknown'])).toEqual([0, 0, 0])
  })

  test('S16 a queue that was cleared takes what was in it, and nothing that came later', () => {
    const clearing: Wish = { kind: 'clearing', session: 's' }
    expect(found([], [prompt('a'), 'acknowledged'], [clearing, 'acknowledged'])).toEqual([0, 0, 0])
    expect(found([], [clearing, 'acknowledged'], [prompt('a'), 'acknowledged'])).toEqual([1, 0, 0])
  })

  test('S16 an acknowledged edit is what is said; one without an answer may be', () => {
    const edit: Wish = { kind: 'edit', session: 's', id: 'a', text: 'new' }
    expect(found([said(0, 'a', 'new')], [prompt('a'), 'acknowledged'], [edit, 'acknowledged'])).toEqual([0, 0, 0])
    expect(found([said(0, 'a')], [prompt('a'), 'acknowledged'], [edit, 'acknowledged'])).toEqual([0, 0, 1])
    expect(found([said(0, 'a')], [prompt('a'), 'acknowledged'], [edit, 'unknown'])).toEqual([0, 0, 0])
    expect(found([said(0, 'a', 'other')], [prompt('a'), 'acknowledged'])).toEqual([0, 0, 1])
  })
})

test('S16 an acknowledged answer, decision and title are there once and as they were given', () => {
  const answers = [{ id: 'q1', chosen: ['left'] }]
  const answered = (seq: number, given = answers): SessionEvent => ({
    type: 'question/answered',
    seq,
    time: 0,
    data: { callId: 'c', answers: given },
  })
  const answer: Wish = { kind: 'answer', session: 's', callId: 'c', given: answers }
  expect(found([answered(0)], [answer, 'acknowledged'])).toEqual([0, 0, 0])
  expect(found([], [answer, 'acknowledged'])).toEqual([1, 0, 0])
  expect(found([answered(0), answered(1)], [answer, 'acknowledged'])).toEqual([0, 1, 0])
  expect(found([answered(0, [])], [answer, 'acknowledged'])).toEqual([0, 0, 1])
  expect(found([], [{ kind: 'title', session: 's', title: 'T' }, 'acknowledged'])).toEqual([1, 0, 0])
})

test('S16 a question that waited is not closed by a repair; by an answer or a stop it may be', () => {
  const question = { id: 'q1', text: 'Which?' }
  const asked: SessionEvent = { type: 'question/asked', seq: 0, time: 0, data: { callId: 'c', questions: [question] } }
  const answered: SessionEvent = { type: 'question/answered', seq: 1, time: 0, data: { callId: 'c', answers: null } }
  const closed = (code: 'TOOL_OUTCOME_UNKNOWN' | 'ABORTED'): SessionEvent => ({
    type: 'tool/result',
    seq: 2,
    time: 0,
    data: { turn: 1, step: 1, callId: 'c', content: [], isError: true, error: { name: 'Interrupted', code } },
    surfaceOp: 'append',
  })
  expect(found([asked, closed('TOOL_OUTCOME_UNKNOWN')])).toEqual([1, 0, 0])
  expect(found([asked, answered, closed('TOOL_OUTCOME_UNKNOWN')])).toEqual([0, 0, 0])
  expect(found([asked, closed('ABORTED')])).toEqual([0, 0, 0])
})

test('S16 what was told to be stored is never another event, and has no gap', () => {
  const ledger = createLedger()
  expect(ledger.stored('s', [said(0, 'a'), said(1, 'b')])).toEqual([])
  expect(ledger.stored('s', [said(1, 'b'), said(2, 'c')])).toEqual([])
  expect(ledger.stored('s', [said(2, 'd')])).toHaveLength(1)
  expect(ledger.stored('s', [said(4, 'e')])).toHaveLength(1)
  expect(ledger.facts.events).toBe(3)
})

test('S16 a log with a gap, an open turn or a history that no server takes is invalid', () => {
  const start: SessionEvent = { type: 'turn/start', seq: 0, time: 0, data: { turn: 1, trigger: { kind: 'message', source: user } } }
  const end: SessionEvent = { type: 'turn/end', seq: 2, time: 0, data: { turn: 1, reason: { kind: 'completed' } } }
  expect(logProblems([start, said(1, 'a'), end])).toEqual([])
  expect(logProblems([start, said(1, 'a')])).not.toEqual([])
  expect(logProblems([start, said(2, 'a')])).not.toEqual([])
  const reply: SessionEvent = {
    type: 'assistant/message',
    seq: 3,
    time: 0,
    data: {
      turn: 1,
      step: 1,
      content: [{ type: 'tool-call', id: 'c', name: 'f', arguments: '{}' }],
      provenance: { provider: 'p', model: 'm' },
    },
    surfaceOp: 'append',
    sourceEventSeqs: [],
  }
  expect(logProblems([start, said(1, 'a'), { ...end, seq: 2 }, reply])).not.toEqual([])
})

test('S16 the files that a log says are there are those of calls that ended well', () => {
  const call = (seq: number, callId: string): SessionEvent => ({
    type: 'tool/call',
    seq,
    time: 0,
    data: { turn: 1, step: 1, callId, name: 'write_file', arguments: `{"path":"/m${seq}.txt"}` },
  })
  const result = (seq: number, callId: string, isError: boolean): SessionEvent => ({
    type: 'tool/result',
    seq,
    time: 0,
    data: { turn: 1, step: 1, callId, content: [], isError },
    surfaceOp: 'append',
  })
  expect(filesIn([call(0, 'a'), call(1, 'b'), call(2, 'c'), result(3, 'b', true), result(4, 'a', false)])).toEqual(['m0'])
})

test('S16 a plan has as many kills as were asked for, of every kind and moment, and is the same for the same seed', () => {
  const plan = planOf(7, 300)
  expect(planOf(7, 300)).toEqual(plan)
  expect(planOf(8, 300)).not.toEqual(plan)
  const steps = plan.flatMap(({ steps }) => steps)
  const kills = steps.flatMap(({ kill, more }) => [kill, ...more])
  expect(kills).toHaveLength(300)
  expect(new Set(kills).size).toBe(4)
  expect(new Set(steps.map(({ moment }) => moment)).size).toBe(16)
  expect(new Set(plan.map(({ tabs }) => tabs))).toEqual(new Set([1, 2, 3, 4]))
})
