// What the transcript keeps of the person in the loop, and of what a loop does beside talking.
import { describe, expect, test } from 'vitest'
import type { SessionEventData, TaskResult } from '../../../src/storage/log/events.ts'
import { HANDED_OVER } from '../../../src/storage/log/handed-over.ts'
import { fold } from '../../../src/storage/log/projection.ts'
import { transcript } from '../../../src/storage/log/projections/transcript.ts'
import type { ToolCard, TranscriptItem } from '../../../src/storage/log/projections/transcript-items.ts'
import type { Entry } from './build-log.ts'
import { buildLog, call, delta, message, stepEnd, stepStart, text, turnEnd, turnStart, userSays } from './build-log.ts'

const shown = (entries: readonly Entry[]): readonly TranscriptItem[] => {
  const { pages, open } = fold(transcript, buildLog(entries))
  return [...pages.flat(), ...open]
}
const kinds = (entries: readonly Entry[]) => shown(entries).map(({ kind }) => kind)
const opening: readonly Entry[] = [turnStart, userSays('go'), stepStart()]
const result = (extra: Partial<SessionEventData['tool/result']> = {}, more: object = {}): Entry => [
  'tool/result',
  { turn: 1, step: 1, callId: 'c1', content: [text('1')], isError: false, ...extra },
  more,
]
const called: readonly Entry[] = [
  ...opening,
  message([call('c1', 'ask_user', '{}')]),
  ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'ask_user', arguments: '{}' }],
]
const card = (entries: readonly Entry[]): ToolCard => {
  for (const item of shown(entries)) {
    const found = item.kind === 'reply' ? item.blocks.find((block) => block.kind === 'tool') : undefined
    if (found?.kind === 'tool') return found
  }
  throw new Error('no card')
}

describe('questions and approvals on the card of their call', () => {
  const questions = [{ id: 'q1', text: 'Which one?', options: [{ label: 'A' }, { label: 'B' }] }] as const
  const asked: Entry = ['question/asked', { callId: 'c1', questions }]
  const answers = [{ id: 'q1', chosen: ['B'] }]

  test('A5 a question waits on its card, and the card keeps the answer', () => {
    expect(card([...called, asked])).toMatchObject({ state: { kind: 'waiting', on: 'answer', since: 1005 }, asked: { questions } })
    const answered: Entry = ['question/answered', { callId: 'c1', answers }]
    expect(card([...called, asked, answered, result()])).toMatchObject({ state: { kind: 'done', ms: 1 }, asked: { questions, answers } })
  })

  test('A5 a dismissed question has the answer null', () => {
    expect(card([...called, asked, ['question/answered', { callId: 'c1', answers: null }], result()]).asked).toEqual({
      questions,
      answers: null,
    })
  })

  test('A5 an approval waits on its card; the time of the person is not the time of the tool', () => {
    const wanted: Entry = ['approval/asked', { callId: 'c1', action: { tool: 'ask_user', summary: 's' } }]
    const decision = { kind: 'allow', reach: 'session' } as const
    expect(card([...called, wanted])).toMatchObject({ state: { kind: 'waiting', on: 'decision' } })
    const running = [...called, wanted, ['approval/decided', { callId: 'c1', decision }]] as const satisfies readonly Entry[]
    expect(card(running)).toMatchObject({ state: { kind: 'running', since: 1006 }, decision })
    expect(card([...running, result()])).toMatchObject({ state: { kind: 'done', ms: 1 }, decision })
  })

  test('A5 a denied call keeps the reason', () => {
    const decision = { kind: 'deny', reach: 'once', note: 'not that file' } as const
    const denied = result({ isError: true, error: { name: 'ToolError', code: 'DENIED' } })
    expect(card([...called, ['approval/decided', { callId: 'c1', decision }], denied])).toMatchObject({
      state: { kind: 'denied' },
      decision,
    })
  })

  test('L81 a result that was shortened while its step runs says where the whole of it is', () => {
    const place = { surfaceOp: { op: 'replace', start: 5, end: 5 }, sourceEventSeqs: [4, 5] }
    const shortened = result({ content: [text('cut')], meta: { pruned: { size: 9, file: '/tool-results/4.txt' } } }, place)
    expect(card([...called, result(), shortened])).toMatchObject({
      state: { content: [text('1')] },
      shortened: { file: '/tool-results/4.txt' },
    })
  })
})

describe('a retry', () => {
  const failure = { class: 'overloaded', message: 'busy', transient: true } as const
  const retry = (attempt: number, delayMs = 5): Entry => ['model/retry', { turn: 1, step: 1, attempt, delayMs, failure }]
  const states = (entries: readonly Entry[]) => shown(entries).flatMap((item) => (item.kind === 'retry' ? [item.state] : []))

  test('L43 waits until the next chunk or the next failure', () => {
    expect(states([...opening, retry(1)])).toEqual(['waiting'])
    expect(states([...opening, retry(1), delta('a')])).toEqual(['tried'])
    expect(states([...opening, retry(1), retry(2)])).toEqual(['tried', 'waiting'])
    expect(states([...opening, retry(1), message([text('whole')])])).toEqual(['tried'])
  })

  test('L43 is told as stopped when its turn ends before its time', () => {
    expect(states([...opening, retry(1, 5000), stepEnd(), turnEnd({ kind: 'aborted' })])).toEqual(['stopped'])
    expect(states([...opening, retry(1, 1), stepEnd(), turnEnd({ kind: 'error', step: 1, message: 'no' })])).toEqual(['tried'])
  })
})

describe('a compaction', () => {
  const started: Entry = ['compaction/start', { trigger: 'pressure', tokens: 9000 }]
  const summary: Entry = [
    'context/message',
    {
      content: [text('in short')],
      source: { kind: 'plugin', plugin: 'compaction' },
      envelope: 'raw',
      meta: { hidden: 3, before: 8000, after: 200 },
    },
    { surfaceOp: { op: 'replace', start: 1, end: 1 }, sourceEventSeqs: [1] },
  ]
  const ended: Entry = ['compaction/end', { outcome: 'done' }]
  const compactionIn = (entries: readonly Entry[]) => shown(entries).find(({ kind }) => kind === 'compaction')

  test('L80 is one item from its start to its end, with its summary and what it saved', () => {
    expect(compactionIn([...opening, started])).toMatchObject({ tokens: 9000 })
    const done = [...opening, started, summary, ended]
    expect(kinds(done)).toEqual(['user', 'compaction'])
    expect(compactionIn(done)).toMatchObject({
      end: { outcome: 'done' },
      summary: [text('in short')],
      shorter: { before: 8000, after: 200 },
    })
  })

  test.each(['unchanged', 'failed', 'aborted'] as const)('L80 its outcome %s is kept as it is', (outcome) => {
    expect(compactionIn([...opening, started, ['compaction/end', { outcome, detail: 'why' }]])).toMatchObject({
      end: { outcome, detail: 'why' },
    })
  })

  test('one that goes on over the end of a step still gets its end, and what followed it keeps its place', () => {
    const over = [...opening, started, stepEnd(), userSays('next'), stepStart(2), ended, stepEnd(2), turnEnd()]
    expect(kinds(over)).toEqual(['user', 'compaction', 'user'])
    expect(compactionIn(over)).toMatchObject({ end: { outcome: 'done' } })
  })

  test('one whose end is missing ends with its turn', () => {
    expect(compactionIn([...opening, started, turnEnd({ kind: 'interrupted' })])).toMatchObject({ end: { outcome: 'aborted' } })
  })

  test('that goes on in the turn that a message began is one item, where it goes on', () => {
    const left: Entry = ['compaction/end', { outcome: 'aborted', detail: HANDED_OVER }]
    const entries = [turnStart, started, left, turnEnd(), turnStart, userSays('and?')] as const
    expect(kinds(entries)).toEqual(['user'])
    const done = [...entries, started, summary, ended]
    expect(kinds(done)).toEqual(['user', 'compaction'])
    expect(compactionIn(done)).toMatchObject({ end: { outcome: 'done' } })
  })

  test('a summary outside of a compaction is an item of its own', () => {
    expect(shown([...opening, summary])).toMatchObject([{}, { kind: 'context', summary: true, reminder: false }])
  })
})

describe('task runs', () => {
  const reminder = (words: string, plugin = 'task'): Entry => [
    'context/message',
    { content: [text(words)], source: { kind: 'plugin', plugin }, envelope: 'raw' },
  ]

  test('T10 a reminder is told from other contexts by its tag', () => {
    const items = shown([...opening, reminder('<automated_reminder>\nGo on.\n</automated_reminder>'), reminder('a note', 'other')])
    expect(items.slice(1)).toMatchObject([
      { kind: 'context', reminder: true },
      { kind: 'context', reminder: false },
    ])
  })

  test('T32 a run has a start and an end with its true outcome, and its notes are no items', () => {
    const outcome: TaskResult = {
      success: false,
      exitReason: 'max_iterations',
      summary: 'Stopped after 100 steps',
      toolCount: 3,
      turnCount: 100,
      totalCost: null,
      totalUsage: { inputTokens: 1, outputTokens: 1 },
    }
    const items = shown([
      ['task/started', { run: 'r1', kind: 'task', prompt: [text('go')] }],
      ...opening,
      ['task/noted', { run: 'r1', name: 'iteration', data: { current: 1, max: 100 } }],
      stepEnd(),
      turnEnd(),
      ['task/ended', { run: 'r1', result: outcome }],
    ])
    expect(items).toMatchObject([
      { kind: 'task-started', task: 'task' },
      { kind: 'user' },
      { kind: 'task-ended', result: { exitReason: 'max_iterations', success: false } },
    ])
  })
})
