// Packing runs of deltas (S2): nothing is lost, nothing is mixed, and it is worth it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeltaRun, PackedEvent } from '../../../src/storage/log/delta-runs.ts'
import { checkRun, isDeltaRun, packEvents, unpackEvents } from '../../../src/storage/log/delta-runs.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { readStoredEvents } from '../../../src/storage/log/stored-events.ts'
import { delta, eventOf, foreign, logOf, START } from '../../contract/session-samples.ts'
import { realisticLog } from './realistic-log.ts'

const runsOf = (packed: readonly PackedEvent[]): readonly DeltaRun[] => packed.filter(isDeltaRun)
const chunkEvent = (seq: number, chunk: Chunk, part: { turn?: number; step?: number } = {}): SessionEvent =>
  eventOf(seq, 'assistant/chunk', { turn: 1, step: 1, ...part, chunk })

const small = fc.integer({ min: 0, max: 2 })
const text = fc.string({ unit: 'binary', maxLength: 4 })
const anyChunk: fc.Arbitrary<Chunk> = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), index: small, text }),
  fc.record({ type: fc.constant('reasoning-delta' as const), index: small, text }),
  fc.record(
    {
      type: fc.constant('tool-call-delta' as const),
      index: small,
      id: fc.constantFrom('c1', 'c2'),
      name: fc.constantFrom('echo', ''),
      argumentsDelta: text,
    },
    { requiredKeys: ['type', 'index', 'id', 'argumentsDelta'] },
  ),
  fc.record({ type: fc.constant('block-start' as const), index: small, blockType: fc.constant('text' as const) }),
)
/** Mostly what follows its neighbour, sometimes anything: gaps in seq, odd times, unknown fields. */
const anyEvents = fc
  .array(fc.record({ chunk: anyChunk, again: fc.nat(5), turn: small, step: small, skip: fc.nat(20), pause: fc.nat(50), odd: fc.nat(30) }), {
    maxLength: 20,
  })
  .map((specs) => {
    const events: SessionEvent[] = []
    let seq = 0
    let time = START
    for (const { chunk, again, turn, step, skip, pause, odd } of specs) {
      if (skip === 0) seq += 5
      time += pause === 0 ? 60_000 : pause === 1 ? -5 : pause
      for (let i = 0; i <= again; i++) {
        const event = chunkEvent(seq++, chunk, { turn: turn === 2 ? 2 : 1, step: step === 2 ? 2 : 1 })
        events.push({ ...event, time: odd === 1 ? time + 0.1 : time, ...(odd === 2 && { optional: true as const }) } as SessionEvent)
      }
    }
    return events
  })

describe('S2 packed runs', () => {
  it('any list of chunk events comes back as it was', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        expect(unpackEvents(packEvents(events))).toEqual(events)
      }),
      { numRuns: 500 },
    )
  })

  it('any realistic log comes back as it was, through JSON and through the reader of stored events', () => {
    const logs = fc.gen().map((g) => realisticLog((max) => g(fc.nat, { max })))
    fc.assert(
      fc.property(logs, (log) => {
        const packed: readonly PackedEvent[] = foreign(packEvents(log))
        expect(readStoredEvents(packed, 0)).toEqual(log)
      }),
      { numRuns: 200, endOnFailure: true },
    )
  })

  it('a run never crosses a block, a step or a turn, and is at least three deltas long', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        for (const run of runsOf(packEvents(events))) {
          expect(run.lengths.length).toBeGreaterThanOrEqual(3)
          const part = events.filter((event) => event.seq >= run.seq && event.seq < run.seq + run.lengths.length)
          for (const { data } of part as readonly (SessionEvent & { type: 'assistant/chunk' })[]) {
            expect(data).toMatchObject({ turn: run.turn, step: run.step, chunk: { type: run.run, index: run.index } })
            if (data.chunk.type === 'tool-call-delta') expect([data.chunk.id, data.chunk.name]).toEqual([run.id, run.name])
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('three deltas are packed, two are not, and what stands between them ends a run', () => {
    const two = [delta(0, 'a'), delta(1, 'b')]
    expect(packEvents(two)).toEqual(two)
    expect(packEvents([...two, delta(2, 'c')])).toHaveLength(1)
    const parted = [...two, eventOf(2, 'plugin/noted', { plugin: 'p', data: 1 }), delta(3, 'c'), delta(4, 'd')]
    expect(packEvents(parted)).toEqual(parted)
    expect(packEvents([...two, delta(3, 'c')])).toHaveLength(3)
  })

  it('times are kept; one that goes back, or comes after very long, begins a new run', () => {
    const at = [5, 9, 9, 3, 3, 4, 90_000, 90_000, 145_263, 145_263]
    const events = at.map((time, seq) => ({ ...delta(seq, 'x'), time }) as SessionEvent)
    const packed = packEvents(events)
    expect(runsOf(packed).map((run) => [run.time, run.lengths.length])).toEqual([
      [5, 3],
      [3, 3],
      [90_000, 4],
    ])
    expect(unpackEvents(packed).map((event) => event.time)).toEqual(at)
  })

  it('a piece that is too long for its length to be written is stored as it is', () => {
    const events = ['a', 'b', 'c', 'x'.repeat(60_000), 'd', 'e', 'f'].map((piece, seq) => delta(seq, piece))
    const packed = packEvents(events)
    expect(packed).toHaveLength(3)
    expect(unpackEvents(packed)).toEqual(events)
  })

  it('wide characters do not make the text around them wide', () => {
    const pieces = ['plain ', 'text', ' – ', '😀', 'über', '', '日本', 'end']
    const run = runsOf(packEvents(pieces.map((piece, seq) => delta(seq, piece))))[0]
    expect(run?.text).toEqual(['plain text', ' – 😀', 'über', '日本', 'end'])
  })

  it('unpacked events are frozen all the way down', () => {
    for (const event of unpackEvents(packEvents([delta(0, 'a'), delta(1, 'b'), delta(2, 'c')]))) {
      const { data } = event as SessionEvent & { type: 'assistant/chunk' }
      expect([event, data, data.chunk].every(Object.isFrozen)).toBe(true)
    }
  })

  it('a typical stream takes less than 15 % of its unpacked JSON', () => {
    const log = logOf(500)
    expect(JSON.stringify(packEvents(log)).length).toBeLessThan(JSON.stringify(log).length * 0.15)
  })

  it('a run that is damaged is refused', () => {
    const run = runsOf(packEvents(logOf(10)))[0]!
    expect(checkRun(run)).toBe(run)
    const damages: readonly object[] = [
      { run: 'finish' },
      { seq: 1.5 },
      { time: null },
      { text: 'abc' },
      { text: [1] },
      { text: ['short'] },
      { lengths: '' },
      { lengths: [1] },
      { gaps: '' },
      { gaps: null },
      { run: 'tool-call-delta' },
    ]
    for (const damage of damages)
      expect(() => checkRun(foreign({ ...run, ...damage }))).toThrow(expect.objectContaining({ code: 'session/invalid' }))
  })
})
