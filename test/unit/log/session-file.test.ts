// The session file as lines (S12): exact both ways, and a clear refusal of everything else.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packEvents } from '../../../src/storage/log/delta-runs.ts'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import type { SessionEvent, SessionHeader } from '../../../src/storage/log/events.ts'
import { createSessionFileReader, eventLine, type FiledSession, headerLine } from '../../../src/storage/log/session-file.ts'
import { idleEvents } from '../../../src/storage/log/session-file-idle.ts'
import { delta, eventOf, logOf, START } from '../../contract/session-samples.ts'
import { problemsOf } from '../../kit/check-log.ts'

const HEADER: SessionHeader = { version: 1, id: 'a-session-id-001', createdAt: START, cwd: '/' }
const linesOf = (events: readonly SessionEvent[], header = HEADER): string[] => [
  headerLine(header, events.length),
  ...events.map(eventLine),
]
const read = (lines: readonly string[]): FiledSession => {
  const reader = createSessionFileReader()
  for (const line of lines) reader.take(line)
  return reader.end()
}
const refusal = (lines: readonly string[]): SideloopError => {
  try {
    read(lines)
  } catch (error) {
    if (error instanceof SideloopError && error.code === 'import/refused') return error
    throw error
  }
  return expect.fail('It was read; expected a refusal')
}
const edited = (seq: number, change: (event: Record<string, unknown>) => void, events = logOf(6)): string[] => {
  const lines = linesOf(events)
  const event = JSON.parse(lines[seq + 1]!) as Record<string, unknown>
  change(event)
  lines[seq + 1] = JSON.stringify(event)
  return lines
}
const golden = (name: string): readonly string[] =>
  readFileSync(fileURLToPath(new URL(`../../sessions/golden-${name}.jsonl`, import.meta.url)), 'utf8')
    .trimEnd()
    .split('\n')

describe('exact reading', () => {
  test.each(['01', '02', '03', '04', '05', '06', '07', '08', '08b', '09', '09b', '10', '11', '12'])(
    'S12 golden log %s comes back as it was, event by event',
    (name) => {
      const [first = '', ...rest] = golden(name)
      const events = rest.map((line) => JSON.parse(line) as SessionEvent)
      const session = read([headerLine(JSON.parse(first), events.length), ...rest])
      expect(session.header).toEqual(JSON.parse(first))
      expect(session.events.map(eventLine)).toEqual(rest)
      expect(problemsOf([...session.events, ...idleEvents(session.events)])).toEqual([])
    },
  )

  test('S12 any plain JSON in an event comes back as it was, keys such as __proto__ and lone surrogates too', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, words) => {
        const data = JSON.parse(
          JSON.stringify({ value, words, own: { a: 1 } })
            .replace('"own"', '"__proto__"')
            .replaceAll('-0', '0'),
        )
        const event = eventOf(0, 'plugin/noted', { plugin: 'test', data })
        expect(read(linesOf([event])).events.map(eventLine)).toEqual([eventLine(event)])
      }),
    )
    expect(Object.hasOwn({}, 'a')).toBe(false)
  })

  test('S12 empty lines are passed over, an empty log is a session, and an optional unknown event is kept', () => {
    expect(read(['', ...linesOf([]), '  '])).toEqual({ header: HEADER, events: [] })
    const unknown = JSON.parse(
      JSON.stringify({ type: 'future/thing', seq: 0, time: START, data: { x: 1 }, optional: true }),
    ) as SessionEvent
    expect(read(linesOf([unknown])).events).toEqual([unknown])
  })

  test('S12 what is read is frozen all the way down', () => {
    const { events } = read(linesOf(logOf(3)))
    expect(Object.isFrozen((events[1] as SessionEvent & { type: 'user/message' }).data.content[0])).toBe(true)
  })
})

describe('refusals', () => {
  test('S12 a file of another format, version or kind is refused by its first line', () => {
    for (const line of ['', 'hello', '[]', 'null', '{}', '{"version":1,"id":"x","createdAt":1}', '"sideloop-session/1"', '{"format":1}']) {
      expect(refusal(line === '' ? [] : [line]).message).toMatch(/no session file/)
    }
    const future = JSON.stringify({ format: 'sideloop-session/2', length: 0, ...HEADER })
    expect(refusal([future]).message).toMatch(/sideloop-session\/2.*newer/)
  })

  test('S12 a header that is not a header of this version is refused', () => {
    for (const part of [
      { version: 2 },
      { id: '' },
      { createdAt: null },
      { cwd: 'relative' },
      { extra: 1 },
      { length: -1 },
      { length: 1.5 },
      { length: '1' },
    ]) {
      expect(refusal([JSON.stringify({ format: 'sideloop-session/1', length: 0, ...HEADER, ...part })]).message).toMatch(/^Line 1/)
    }
    const proto = `{"format":"sideloop-session/1","length":0,"version":1,"id":"x","createdAt":1,"__proto__":{"cwd":"/"}}`
    expect(refusal([proto]).message).toContain('__proto__')
  })

  test('S12 a file that was cut short says how much is missing; one that is too long says so', () => {
    const lines = linesOf(logOf(6))
    expect(refusal(lines.slice(0, -2)).message).toContain('4 of 6')
    expect(refusal([...lines.slice(0, -1), lines.at(-1)!.slice(0, 20)]).message).toMatch(/^Line 7/)
    expect(refusal([...lines, lines.at(-1)!]).message).toMatch(/^Line 8.*more follows/)
  })

  test('S12 a line out of order, twice, left out or foreign is refused with its number', () => {
    const lines = linesOf(logOf(6))
    const swapped = [...lines.slice(0, 3), lines[4]!, lines[3]!, ...lines.slice(5)]
    expect(refusal(swapped)).toMatchObject({ message: expect.stringMatching(/^Line 4 .*event 2 is missing/), details: { line: 4 } })
    expect(refusal([...lines.slice(0, 3), lines[2]!, ...lines.slice(3)]).message).toMatch(/^Line 4/)
    expect(refusal([...lines.slice(0, 3), ...lines.slice(4)]).message).toMatch(/^Line 4/)
    for (const foreign of ['x', '[]', 'null', '3', '{"seq":0}', '{"run":"text-delta","seq":0}', '<html>'])
      expect(refusal([lines[0]!, foreign, ...lines.slice(2)]).message).toMatch(/^Line 2/)
    const packed = JSON.stringify(packEvents([delta(0, 'a'), delta(1, 'b'), delta(2, 'c')])[0])
    expect(refusal([lines[0]!, packed]).message).toMatch(/^Line 2.*not an event/)
    expect(refusal([lines[0]!, lines[0]!, ...lines.slice(1)]).message).toMatch(/^Line 2/)
  })

  test('S12 a time that no date can show is refused', () => {
    for (const time of [-1, -1e18, 1e17]) {
      expect(refusal(edited(3, (event) => Object.assign(event, { time }))).message).toMatch(/time/)
      expect(refusal(linesOf(logOf(6), { ...HEADER, createdAt: time })).message).toMatch(/time/)
    }
  })

  test('S12 an unknown event is refused unless it is optional', () => {
    expect(refusal(edited(3, (event) => Object.assign(event, { type: 'future/thing' }))).message).toContain('future/thing')
  })

  test('S12 an event whose data is not of its type is refused, inside and out', () => {
    const noted = (data: object): readonly SessionEvent[] => [JSON.parse(JSON.stringify({ seq: 0, time: START, ...data })) as SessionEvent]
    const source = { kind: 'user' }
    for (const event of [
      { type: 'user/message', data: { id: 'm', content: [{ type: 'text' }], source }, surfaceOp: 'append' },
      { type: 'user/message', data: { id: 'm', content: [null], source }, surfaceOp: 'append' },
      { type: 'user/message', data: { id: 'm', content: [{ type: 'html', text: '<b>' }], source }, surfaceOp: 'append' },
      {
        type: 'user/message',
        data: { id: 'm', content: [{ type: 'image', blob: '../../x', mediaType: 'image/png' }], source },
        surfaceOp: 'append',
      },
      { type: 'user/message', data: { id: 'm', content: [], source: {} }, surfaceOp: 'append' },
      { type: 'user/message', data: { id: 'm', content: [], source } },
      { type: 'turn/start', data: { turn: 1, trigger: { kind: 'alarm', source } } },
      { type: 'turn/end', data: { turn: 1, reason: {} } },
      { type: 'question/asked', data: { callId: 'c', questions: [{ id: 'q' }] } },
      { type: 'question/answered', data: { callId: 'c', answers: [{ id: 'q', chosen: 'x' }] } },
      { type: 'approval/decided', data: { callId: 'c', decision: { kind: 'allow', reach: 'everywhere' } } },
      { type: 'todo/write', data: { todos: [{ content: 'x', status: 'someday' }] } },
      { type: 'files/snapshot', data: { tree: 'tree', changed: [] } },
      { type: 'files/snapshot', data: { tree: `sha256-${'0'.repeat(64)}`, changed: [1] } },
      { type: 'artifact/saved', data: { name: 'a', version: 1, blob: 'x', mediaType: 'text/html' } },
      { type: 'assistant/chunk', data: { turn: 1, step: 1, chunk: { type: 'block-end', index: 0, block: { type: 'text' } } } },
      { type: 'assistant/chunk', data: { turn: 1, step: 1, chunk: { type: 'usage', usage: { inputTokens: 'many' } } } },
      { type: 'compaction/start', data: { trigger: 'whim', tokens: 1 } },
      { type: 'request/header', data: { header: { config: { provider: 'x' } }, reason: 'initial' } },
      { type: 'session/title', data: { title: 'x', by: 'nobody' } },
    ]) {
      expect(refusal(linesOf(noted(event))).message, JSON.stringify(event)).toMatch(/^Line 2.*no valid/)
    }
  })

  test('S12 a place on the surface that cannot be is refused now, not when the session is opened', () => {
    expect(refusal(edited(1, (event) => Object.assign(event, { sourceEventSeqs: [5] }))).message).toMatch(/^Line 3/)
    expect(
      refusal(edited(1, (event) => Object.assign(event, { surfaceOp: { op: 'replace', start: 0, end: 0 }, sourceEventSeqs: [0] }))).message,
    ).toMatch(/^Line 3/)
  })
})

describe('an imported log is idle', () => {
  test('S12 every beginning of every golden log is closed: no turn, no question, no approval, no run is open', () => {
    for (const name of ['01', '03', '06', '07', '08', '09', '10', '11', '12']) {
      const lines = golden(name).slice(1)
      for (let length = 0; length <= lines.length; length++) {
        const events = read([headerLine(HEADER, length), ...lines.slice(0, length)]).events
        const closed = [...events, ...idleEvents(events)]
        expect(problemsOf(closed), `${name} at ${length}`).toEqual([])
        expect(idleEvents(closed), `${name} at ${length}`).toEqual([])
        const last = closed.findLast(({ type }) => type === 'turn/start' || type === 'turn/end')
        expect(last?.type ?? 'turn/end', `${name} at ${length}`).toBe('turn/end')
      }
    }
  })

  test('S12 C11 a permission in a file counts for its own call only', () => {
    const decided = eventOf(0, 'approval/decided', { callId: 'c', decision: { kind: 'allow', reach: 'session' } })
    expect(read(linesOf([decided])).events[0]?.data).toEqual({ callId: 'c', decision: { kind: 'allow', reach: 'once' } })
  })
})
