// Merging segments (S2): nothing is lost or packed wrongly, wherever the edges were, and it comes to an end.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinSegments, smallNeighbours } from '../../../src/storage/idb/merge-segments.ts'
import { fromSegments, MOST_EVENTS, toSegments } from '../../../src/storage/idb/segments.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { eventOf, foreign, logOf } from '../../contract/session-samples.ts'
import { realisticLog } from './realistic-log.ts'

type Segments = ReturnType<typeof toSegments>

/** As a writer leaves them that was told to store after each of these lengths. */
const cut = (log: readonly SessionEvent[], sizes: readonly number[]): Segments => {
  const segments: Segments[number][] = []
  let from = 0
  for (const size of [...sizes, log.length]) {
    segments.push(...toSegments('s1', log.slice(from, from + size)))
    from += size
  }
  return segments
}
const edgesOf = (segments: Segments, end: number): readonly number[] => [...segments.map(({ firstSeq }) => firstSeq), end]

const mergeAll = (segments: Segments, end: number): Segments => {
  const group = smallNeighbours(edgesOf(segments, end))
  if (group === undefined) return segments
  const before = segments.filter(({ firstSeq }) => firstSeq < group.from)
  const inside = segments.filter(({ firstSeq }) => firstSeq >= group.from && firstSeq < group.to)
  const joined = joinSegments(inside, group.to)
  expect(joined.length).toBeLessThan(inside.length)
  return mergeAll([...before, ...joined, ...segments.filter(({ firstSeq }) => firstSeq >= group.to)], end)
}

const noted = (seq: number, characters: number): SessionEvent =>
  eventOf(seq, 'plugin/noted', { plugin: 'test', data: 'x'.repeat(characters) })

describe('S2 merged segments', () => {
  it('hold any realistic log as it was, wherever it was cut, in a few rows', () => {
    const logs = fc.gen().map((g) => realisticLog((max) => g(fc.nat, { max })))
    fc.assert(
      fc.property(logs, fc.array(fc.nat(9), { maxLength: 60 }), (log, sizes) => {
        const merged = mergeAll(cut(log, sizes), log.length)
        expect(fromSegments(foreign(merged))).toEqual(log)
        expect(merged.length).toBeLessThan(4)
      }),
      { numRuns: 25, endOnFailure: true },
    )
  })

  it('are groups of neighbours that fit together, until no four that follow each other would', () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: MOST_EVENTS })), { maxLength: 40 })
    fc.assert(
      fc.property(sizes, (lengths) => {
        let end = 0
        let edges: readonly number[] = [0, ...lengths.map((length) => (end += length))]
        for (let group = smallNeighbours(edges); group !== undefined; group = smallNeighbours(edges)) {
          const { from, to } = group
          expect(to - from).toBeLessThanOrEqual(MOST_EVENTS)
          expect(edges).toEqual(expect.arrayContaining([from, to]))
          edges = edges.filter((edge) => edge <= from || edge >= to)
        }
        for (let i = 4; i < edges.length; i++) expect(edges[i]! - edges[i - 4]!).toBeGreaterThan(MOST_EVENTS)
      }),
    )
  })

  it('pack a run across the edges that it was stored in', () => {
    const merged = mergeAll(cut(logOf(400), Array<number>(100).fill(4)), 400)
    expect(merged).toEqual(toSegments('s1', logOf(400)))
    expect(merged[0]?.events).toHaveLength(4)
  })

  it('are bounded in what they weigh: large results stay in segments of their own', () => {
    const log = [20_000, 20_000, 10, 10, 30_000, 10].map((characters, seq) => noted(seq, characters))
    const joined = joinSegments(cut(log, [1, 1, 1, 1, 1, 1]), 6)
    expect(joined.map(({ firstSeq }) => firstSeq)).toEqual([0, 1, 4, 5])
    expect(fromSegments(joined)).toEqual(log)
  })

  it('are not made of what is damaged or not all there', () => {
    const segments = cut(logOf(30), [10, 10])
    const invalid = expect.objectContaining({ code: 'session/invalid' })
    expect(() => joinSegments(segments, 31)).toThrow(invalid)
    expect(() => joinSegments(segments.toSpliced(1, 1), 30)).toThrow(invalid)
    expect(() => joinSegments([], 0)).toThrow(invalid)
    expect(() => joinSegments([foreign({ ...segments[0], events: [null] }), ...segments.slice(1)], 30)).toThrow(invalid)
  })
})
