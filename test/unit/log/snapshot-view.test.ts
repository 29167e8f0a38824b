// `session.events`: a snapshot of fixed length that copies nothing, reads like an array, and cannot be changed.
import { describe, expect, test } from 'vitest'
import { newLog, wrong } from './new-log.ts'

const withTitles = (count: number) => {
  const { log } = newLog()
  for (let i = 0; i < count; i++) log.append('session/title', { title: `t${i}`, by: 'user' })
  return log
}
const titles = (events: readonly unknown[]) => events.map((event) => (event as { data: { title: string } }).data.title)

describe('a view of the events', () => {
  test('keeps its length while the log grows', () => {
    const log = withTitles(2)
    const before = log.events()
    log.append('session/title', { title: 't2', by: 'user' })
    expect(before).toHaveLength(2)
    expect(before[2]).toBeUndefined()
    expect(before.at(-1)).toMatchObject({ seq: 1 })
    expect([...before]).toHaveLength(2)
    expect(log.events()).toHaveLength(3)
  })

  test('L90 is the same view until the log grows, over the same events', () => {
    const log = withTitles(2)
    expect(log.events()).toBe(log.events())
    expect(log.events()[1]).toBe(log.at(1))
  })

  test('reads by index, by iterator and by every reading method of an array', () => {
    const events = withTitles(3).events()
    expect(Array.isArray(events)).toBe(true)
    expect(titles([...events])).toEqual(['t0', 't1', 't2'])
    expect(titles(events)).toEqual(['t0', 't1', 't2'])
    expect(titles(events.slice(1))).toEqual(['t1', 't2'])
    expect(titles(events.filter(({ seq }) => seq !== 1))).toEqual(['t0', 't2'])
    expect(titles(events.concat(events))).toHaveLength(6)
    expect(titles(events.toReversed())).toEqual(['t2', 't1', 't0'])
    expect(titles(events.toSpliced(0, 2))).toEqual(['t2'])
    expect(events.find(({ seq }) => seq === 2)).toBe(events[2])
    expect(events.findLast(() => true)).toBe(events[2])
    expect(events.indexOf(events[1]!)).toBe(1)
    expect(events.includes(events[0]!)).toBe(true)
    expect(events.some(({ seq }) => seq === 2)).toBe(true)
    expect(events.every(({ seq }) => seq < 3)).toBe(true)
    expect(events.reduce((sum, { seq }) => sum + seq, 0)).toBe(3)
    expect([...events.entries()].map(([i]) => i)).toEqual([0, 1, 2])
    expect([...events.keys()]).toEqual([0, 1, 2])
    expect(Object.keys(events)).toEqual(['0', '1', '2'])
    expect(1 in events).toBe(true)
    expect(3 in events).toBe(false)
    expect(Object.entries(events)).toHaveLength(3)
    expect(JSON.parse(JSON.stringify(events))).toHaveLength(3)
    expect(events).toEqual([...events])
  })

  test('has nothing at what only looks like an index', () => {
    const events = withTitles(3).events()
    for (const key of ['01', '1e0', '1.0', '0x1', '-1', '1.5', ' 1']) {
      expect(Reflect.get(events, key), key).toBeUndefined()
      expect(Reflect.has(events, key), key).toBe(false)
    }
  })

  test('cannot be changed in any way, and the log goes on after every attempt', () => {
    const log = withTitles(2)
    const events: unknown[] = wrong(log.events())
    const attempts: readonly (() => unknown)[] = [
      () => events.push(1),
      () => events.pop(),
      () => events.shift(),
      () => events.splice(0, 1),
      () => events.sort(),
      () => events.reverse(),
      () => events.fill(0),
      () => events.copyWithin(0, 1),
      () => {
        events[0] = 1
      },
      () => {
        events.length = 0
      },
      () => delete events[0],
      () => Object.defineProperty(events, 0, { value: 1 }),
      () => Object.setPrototypeOf(events, null),
      () => Object.freeze(events),
      () => Object.seal(events),
      () => Object.preventExtensions(events),
    ]
    for (const attempt of attempts) expect(attempt, String(attempt)).toThrow(TypeError)
    expect(log.append('session/title', { title: 't2', by: 'user' }).seq).toBe(2)
    expect(titles(log.events())).toEqual(['t0', 't1', 't2'])
  })
})
