// Contract 1, event envelope: what an append gives, what it refuses, and that a refusal leaves no trace.
import { describe, expect, test } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { createSessionLog } from '../../../src/storage/log/session-log.ts'
import { isDeepFrozen, newLog, user, type WatchedLog, words, wrong } from './new-log.ts'

const APPEND = { surfaceOp: 'append' } as const

const refusal = ({ log, seen }: WatchedLog, attempt: () => unknown): string => {
  const before = { length: log.length, messages: log.deriveMessages(), seen: seen.length }
  let thrown: unknown
  try {
    attempt()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(SideloopError)
  expect(thrown).toMatchObject({ code: 'session/invalid' })
  expect({ length: log.length, messages: log.deriveMessages(), seen: seen.length }).toEqual(before)
  return (thrown as SideloopError).message
}

describe('an append', () => {
  test('gives the event: type, seq, time from the clock, data', () => {
    const { log } = newLog()
    expect(log.append('session/title', { title: 'A', by: 'user' })).toEqual({
      type: 'session/title',
      seq: 0,
      time: 1000,
      data: { title: 'A', by: 'user' },
    })
    expect(log.append('session/title', { title: 'B', by: 'user' })).toMatchObject({ seq: 1, time: 1001 })
  })

  test('numbers events without a gap from 0, in the order of the appends', () => {
    const { log } = newLog()
    for (let i = 0; i < 50; i++) log.append('plugin/noted', { plugin: 'p', data: i })
    expect(log.events().map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => i))
  })

  test('freezes the event all the way down, and what it was given stays as it was', () => {
    const { log } = newLog()
    const data = { plugin: 'p', data: { list: [{ a: 1 }] } }
    const event = log.append('plugin/noted', data)
    expect(isDeepFrozen(event)).toBe(true)
    data.data.list.push({ a: 2 })
    expect(event.data).toEqual({ plugin: 'p', data: { list: [{ a: 1 }] } })
  })

  test('is in the log before its observer is told', () => {
    const found: unknown[] = []
    const { log } = newLog({ onEvent: (event) => void found.push(log.at(event.seq) === event, log.events().length) })
    log.append('session/title', { title: 'A', by: 'user' })
    expect(found).toEqual([true, 1])
  })

  test('numbers itself after its data was read, also when reading it appends', () => {
    const { log } = newLog()
    const data = {
      plugin: 'p',
      get data() {
        log.append('session/title', { title: 'from a getter', by: 'plugin' })
        return 1
      },
    }
    expect(log.append('plugin/noted', data).seq).toBe(1)
    expect(log.events().map(({ seq }) => seq)).toEqual([0, 1])
  })

  test('stands on the surface with its op and its sources, in this order of keys', () => {
    const { log } = newLog()
    log.append('session/title', { title: 'A', by: 'user' })
    const event = log.append('context/message', { content: words('x'), source: user }, { sourceEventSeqs: [0], surfaceOp: 'append' })
    expect(Object.keys(event)).toEqual(['type', 'seq', 'time', 'data', 'surfaceOp', 'sourceEventSeqs'])
  })
})

describe('an append is refused, before anything is stored or notified', () => {
  test.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['NaN', Number.NaN],
    ['minus zero', -0],
    ['a BigInt', 1n],
    ['a class instance', new Date(0)],
  ])('for data that holds %s', (_, value) => {
    const watched = newLog()
    expect(refusal(watched, () => watched.log.append('plugin/noted', { plugin: 'p', data: wrong({ value }) }))).toMatch(
      /plugin\/noted\.data\.value is not lossless JSON/,
    )
  })

  test('for a type that does not exist', () => {
    const watched = newLog()
    expect(refusal(watched, () => watched.log.append(wrong('user/massage'), wrong({})))).toMatch(/Unknown event type "user\/massage"/)
    expect(refusal(watched, () => watched.log.append(wrong('toString'), wrong({})))).toMatch(/Unknown event type/)
  })

  test('for data that a reader of the stored log would refuse', () => {
    const watched = newLog()
    expect(refusal(watched, () => watched.log.append('user/message', wrong({ id: 'm', source: user }), APPEND))).toMatch(/"content"/)
    expect(refusal(watched, () => watched.log.append('user/message', wrong('hi'), APPEND))).toMatch(/"data"/)
    expect(refusal(watched, () => watched.log.append('assistant/chunk', wrong({ turn: 1, step: 1, chunk: { type: 'odd' } })))).toMatch(
      /"chunk.type"/,
    )
  })

  test('without surfaceOp on the five surface types, and with it elsewhere', () => {
    const watched = newLog()
    const { log } = watched
    const provenance = { provider: 'p', model: 'm' }
    expect(refusal(watched, () => log.append('user/message', { id: 'm', content: [], source: user }))).toMatch(/needs the surfaceOp/)
    expect(refusal(watched, () => log.append('assistant/message', { turn: 1, step: 1, content: [], provenance }))).toMatch(/needs/)
    expect(refusal(watched, () => log.append('tool/result', { turn: 1, step: 1, callId: 'c', content: [], isError: false }))).toMatch(
      /needs/,
    )
    expect(refusal(watched, () => log.append('context/message', { content: [], source: user }))).toMatch(/needs/)
    expect(refusal(watched, () => log.append('steering/message', { id: 'm', turn: 1, content: [], source: user }))).toMatch(/needs/)
    expect(refusal(watched, () => log.append('session/title', { title: 'A', by: 'user' }, APPEND))).toMatch(/is not on the surface/)
    expect(refusal(watched, () => log.append('session/title', { title: 'A', by: 'user' }, wrong({ sourceEventSeqs: [0] })))).toMatch(
      /not on/,
    )
  })

  test.each([
    ['another op', { surfaceOp: 'prepend' }],
    ['an op of another name', { surfaceOp: { op: 'remove', start: 0, end: 0 } }],
    ['an op without an end', { surfaceOp: { op: 'replace', start: 0 } }],
    ['null', { surfaceOp: null }],
    ['sources that are no list', { surfaceOp: 'append', sourceEventSeqs: '0' }],
    ['a source that is no number', { surfaceOp: 'append', sourceEventSeqs: ['0'] }],
    ['an envelope field of its own', { surfaceOp: 'append', seq: 99 }],
  ])('for a place with %s', (_, place) => {
    const watched = newLog()
    watched.log.append('context/message', { content: words('a'), source: user }, APPEND)
    refusal(watched, () => watched.log.append('context/message', { content: words('b'), source: user }, wrong(place)))
  })

  test('for sources that are empty, later, negative, broken or named twice', () => {
    const watched = newLog()
    const { log } = watched
    log.append('session/title', { title: 'A', by: 'user' })
    const add = (sourceEventSeqs: readonly number[]) =>
      log.append('context/message', { content: words('x'), source: user }, { surfaceOp: 'append', sourceEventSeqs })
    expect(refusal(watched, () => add([]))).toMatch(/must not be empty/)
    expect(refusal(watched, () => add([1]))).toMatch(/must name earlier events; 1 is none/)
    expect(refusal(watched, () => add([-1]))).toMatch(/-1 is none/)
    refusal(watched, () => add([0.5]))
    expect(refusal(watched, () => add([0, 0]))).toMatch(/unique/)
    log.append('session/title', { title: 'B', by: 'user' })
    expect(refusal(watched, () => add([1, 0, 1]))).toMatch(/unique/)
    expect(add([1, 0]).sourceEventSeqs).toEqual([1, 0])
  })

  test('but an assistant/message may come from nothing', () => {
    const { log } = newLog()
    const provenance = { provider: 'p', model: 'm' }
    const event = log.append(
      'assistant/message',
      { turn: 1, step: 1, content: [], provenance },
      { surfaceOp: 'append', sourceEventSeqs: [] },
    )
    expect(event.sourceEventSeqs).toEqual([])
  })

  test('L71 from inside an observer, whose own event stays', () => {
    const refused: unknown[] = []
    const { log } = newLog({
      onEvent: () => {
        try {
          log.append('session/title', { title: 'again', by: 'plugin' })
        } catch (error) {
          refused.push(error)
        }
      },
    })
    log.append('session/title', { title: 'A', by: 'user' })
    expect(refused).toEqual([expect.objectContaining({ code: 'session/invalid', message: expect.stringContaining('session/event') })])
    expect(log.length).toBe(1)
  })

  test('when the clock gives no time', () => {
    const watched = newLog({ now: () => Number.NaN })
    expect(refusal(watched, () => watched.log.append('session/title', { title: 'A', by: 'user' }))).toMatch(/The clock gave NaN/)
  })

  test('and the log goes on as if nothing had been', () => {
    const watched = newLog()
    refusal(watched, () => watched.log.append('plugin/noted', { plugin: 'p', data: wrong(undefined) }))
    expect(watched.log.append('session/title', { title: 'A', by: 'user' }).seq).toBe(0)
  })
})

describe('a log made from a seed', () => {
  const history = (): readonly SessionEvent[] => {
    const { log } = newLog()
    log.append('turn/start', { turn: 1, trigger: { kind: 'message', source: user } })
    log.append('user/message', { id: 'm1', content: words('hi'), source: user }, APPEND)
    log.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    return [...log.events()]
  }

  test('derives identical messages, adds no event and tells nobody', () => {
    const seed = history()
    const { log, seen } = newLog({ seed })
    expect([...log.events()]).toEqual(seed)
    expect(seen).toEqual([])
    expect(JSON.stringify(log.deriveMessages())).toBe(JSON.stringify(newLog({ seed: [...log.events()] }).log.deriveMessages()))
    expect(log.deriveMessages()).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }])
    expect(log.lastTurn).toBe(1)
    expect(log.hasMessage('m1')).toBe(true)
    expect(log.append('session/title', { title: 'A', by: 'user' }).seq).toBe(3)
  })

  test('from a parsed file is frozen all the way down', () => {
    const { log } = newLog({ seed: JSON.parse(JSON.stringify(history())) })
    expect([...log.events()].every(isDeepFrozen)).toBe(true)
  })

  test.each([
    ['a gap', (events: SessionEvent[]) => events.splice(1, 1)],
    ['a repeat', (events: SessionEvent[]) => events.splice(1, 0, events[0]!)],
    ['an unknown type', (events: SessionEvent[]) => events.splice(1, 1, wrong({ ...events[1], type: 'x/y' }))],
    [
      'an unknown type at the wrong place',
      (events: SessionEvent[]) => events.splice(1, 1, wrong({ type: 'x/y', seq: 7, time: 1, optional: true })),
    ],
    ['no time', (events: SessionEvent[]) => events.splice(1, 1, wrong({ ...events[1], time: undefined }))],
    ['a surface event without a place', (events: SessionEvent[]) => events.splice(1, 1, wrong({ ...events[1], surfaceOp: undefined }))],
    ['a place on a plain event', (events: SessionEvent[]) => events.splice(0, 1, wrong({ ...events[0], surfaceOp: 'append' }))],
    ['a source that is not earlier', (events: SessionEvent[]) => events.splice(1, 1, wrong({ ...events[1], sourceEventSeqs: [1] }))],
    ['something that is no event', (events: SessionEvent[]) => events.splice(1, 1, wrong(null))],
  ])('is refused if it has %s', (_, damage) => {
    const events = [...history()]
    damage(events)
    expect(() => newLog({ seed: events })).toThrow(SideloopError)
  })

  test('keeps an event of an unknown type that says it is optional, and shows it to nobody', () => {
    const later = { type: 'x/later', seq: 3, time: 1, data: { any: 1 }, optional: true }
    const { log } = newLog({ seed: [...history(), wrong(later)] })
    expect(log.at(3)).toEqual(later)
    expect(log.deriveMessages()).toHaveLength(1)
  })
})

describe('a session header', () => {
  const open = (header: unknown) => createSessionLog({ header: wrong(header), now: () => 0 }).header

  test('is frozen, and holds what it was given', () => {
    const header = { version: 1, id: 's', createdAt: 5, cwd: '/', parentSession: 'p', seedLength: 0, depth: 1 }
    expect(open(header)).toEqual(header)
    expect(Object.isFrozen(open(header))).toBe(true)
  })

  test.each([
    ['another version', { version: 2, id: 's', createdAt: 0 }, /version is 2/],
    ['no id', { version: 1, createdAt: 0 }, /id is undefined/],
    ['an empty id', { version: 1, id: '', createdAt: 0 }, /id is ""/],
    ['a time that is none', { version: 1, id: 's', createdAt: 'now' }, /createdAt/],
    ['a relative cwd', { version: 1, id: 's', createdAt: 0, cwd: 'src' }, /cwd is "src"/],
    ['a negative length', { version: 1, id: 's', createdAt: 0, seedLength: -1 }, /seedLength/],
    ['a field of its own', { version: 1, id: 's', createdAt: 0, title: 'A' }, /unknown field "title"/],
    ['nothing', null, /not an object/],
  ])('with %s is refused, and says what is wrong', (_, header, expected) => {
    expect(() => open(header)).toThrow(expected)
  })
})
