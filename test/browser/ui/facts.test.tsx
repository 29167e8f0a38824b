// What a loop does beside talking, as a person sees it: retries, compactions, reminders, task runs.
import { afterEach, describe, expect, test } from 'vitest'
import type { ExitReason, TaskResult } from '../../../src/storage/log/events.ts'
import type { Entry } from '../../unit/projections/build-log.ts'
import { delta, stepEnd, stepStart, text, turnEnd, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, memoryKeepsakes, mountApp, row, shownText, unmountAll } from './mount.tsx'

afterEach(unmountAll)

/** The clock stands at 2,000 ms; event `n` of the log has the time 1,000 + `n`. */
const opened = async (entries: readonly Entry[], keepsakes = memoryKeepsakes()) => {
  const page = await mountApp({ sessions: [row('a', 'One')], address: 'a', keepsakes, now: 2000 })
  await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  const session = page.session('a')
  session.setLive({ status: 'running' })
  session.write(entries)
  await frame()
  return { ...page, session }
}
const opening: readonly Entry[] = [turnStart, userSays('go'), stepStart()]

describe('A2 a retry', () => {
  const retry: Entry = [
    'model/retry',
    {
      turn: 1,
      step: 1,
      attempt: 1,
      delayMs: 8000,
      failure: { class: 'overloaded', message: 'The server is busy.', transient: true },
    },
  ]

  test('counts the seconds down, and is history when the next chunk comes', async () => {
    const page = await opened([...opening, retry])
    expect(shownText(page.one('[data-item=retry]'))).toBe('The server is busy. Trying again in 8 s (attempt 2)')
    expect(page.all('.working'), 'nothing says it twice').toEqual([])
    page.session.write([delta('here')])
    await frame()
    expect(shownText(page.one('[data-item=retry]'))).toBe('The server is busy. Tried again after 8.0 s (attempt 2).')
  })

  test('that a stop came before is not told as made', async () => {
    const page = await opened([...opening, retry, stepEnd(), turnEnd({ kind: 'aborted' })])
    expect(shownText(page.one('[data-item=retry]'))).toBe('The server is busy. It was not tried again.')
  })
})

describe('A2 a compaction', () => {
  const started: Entry = ['compaction/start', { trigger: 'pressure', tokens: 90_000 }]

  test('is a marker from its start to its outcome, with the summary inside', async () => {
    const page = await opened([...opening, started])
    expect(shownText(page.one('[data-item=compaction]'))).toBe(`Summing up earlier messages (${(90_000).toLocaleString()} tokens)`)
    page.session.write([
      [
        'context/message',
        { content: [text('In short.')], source: { kind: 'plugin', plugin: 'compaction' }, meta: { before: 8000, after: 200 } },
        { surfaceOp: { op: 'replace', start: 1, end: 1 }, sourceEventSeqs: [1] },
      ],
      ['compaction/end', { outcome: 'done' }],
    ])
    await frame()
    expect(shownText(page.one('[data-item=compaction] .rule'))).toContain(`${(8000).toLocaleString()} tokens became 200`)
    expect(page.one('[data-item=compaction] .plain').textContent).toBe('In short.')
    expect(page.all('[data-item=context]')).toEqual([])
  })

  test.each([
    ['unchanged', 'left as they are'],
    ['failed', 'could not be summed up'],
    ['aborted', 'was stopped; nothing changed'],
  ] as const)('that ended as %s says so, with its reason', async (outcome, words) => {
    const page = await opened([...opening, started, ['compaction/end', { outcome, detail: 'The reason.' }]])
    expect(page.one('[data-item=compaction]').dataset.state).toBe(outcome)
    expect(shownText(page.one('[data-item=compaction]'))).toContain(words)
    expect(shownText(page.one('[data-item=compaction]'))).toContain('The reason.')
  })
})

describe('T10 reminders', () => {
  const reminder: Entry = [
    'context/message',
    {
      content: [text('<automated_reminder>\nGo on with the work.\n</automated_reminder>')],
      source: { kind: 'plugin', plugin: 'task' },
      envelope: 'raw',
    },
  ]

  test('are small notes without their tags, can be hidden, and stay hidden', async () => {
    const keepsakes = memoryKeepsakes()
    const page = await opened([...opening, reminder], keepsakes)
    expect(shownText(page.one('[data-item=reminder] summary'))).toBe('Reminder to the agent: Go on with the work.')
    expect(page.one('[data-item=reminder]').textContent).not.toContain('automated_reminder')
    page.button('Hide reminders').click()
    await frame()
    expect(page.all('[data-item=reminder]')).toEqual([])
    unmountAll()
    const again = await opened([...opening, reminder], keepsakes)
    expect(again.all('[data-item=reminder]')).toEqual([])
    again.app.layout.showSettings(true)
    const box = await again.soon('[aria-labelledby=settings-conversation] input')
    box.click()
    await frame()
    expect(again.all('[data-item=reminder]')).toHaveLength(1)
  })
})

describe('T1 T32 a task run', () => {
  const started: Entry = ['task/started', { run: 'r1', kind: 'task', prompt: [text('go')] }]
  const iteration: Entry = ['task/noted', { run: 'r1', name: 'iteration', data: { current: 3, max: 100 } }]
  const ended = (exitReason: ExitReason, success: boolean): Entry => {
    const totalUsage: TaskResult['totalUsage'] = { inputTokens: 1, outputTokens: 1 }
    return [
      'task/ended',
      { run: 'r1', result: { success, exitReason, summary: 'The summary.', toolCount: 1, turnCount: 12, totalCost: 0.5, totalUsage } },
    ]
  }

  test('shows its step while it runs, and its end with what it took', async () => {
    const page = await opened([started, ...opening, iteration])
    expect(shownText(page.one('[data-item=task-started]'))).toBe('Task')
    expect(shownText(page.one('.top__run'))).toBe('Task · step 3 of 100')
    page.session.write([stepEnd(), turnEnd(), ended('status_complete', true)])
    page.session.setLive({ status: 'idle' })
    await frame()
    expect(page.all('.top__run')).toEqual([])
    expect(shownText(page.one('[data-item=task-ended]'))).toBe('Task completed12 replies · 1 tool call · $0.50The summary.')
  })

  test.each([
    'stopped',
    'error_stop',
    'nudge_exhaustion',
    'loop_detected',
    'max_iterations',
    'budget_exhausted',
    'disposed',
    'interrupted',
    'execution_error',
    'awaiting_user',
  ] as const)('that ended as %s is never told as completed', async (exitReason) => {
    const page = await opened([started, ...opening, stepEnd(), turnEnd(), ended(exitReason, exitReason === 'awaiting_user')])
    const shown = page.one('[data-item=task-ended]')
    expect(shown.dataset.state).toBe(exitReason === 'awaiting_user' ? 'open' : 'cut')
    expect(shownText(shown.querySelector('strong') as Element)).not.toMatch(/complete|done|success/i)
  })

  test('that was stopped can be gone on with', async () => {
    const page = await opened([started, ...opening, stepEnd(), turnEnd({ kind: 'aborted' }), ended('stopped', false)])
    page.session.setLive({ status: 'idle' })
    await frame()
    page.button('Go on').click()
    await expectSoon(() => expect(page.of('continue')).toHaveLength(1))
  })
})

test('L11 steering is marked where it entered the turn', async () => {
  const page = await opened([
    ...opening,
    ['steering/message', { id: 's1', turn: 1, content: [text('to the left')], source: { kind: 'user' } }],
  ])
  expect(shownText(page.one('[data-item=steering]'))).toBe('Steeredto the left')
})
