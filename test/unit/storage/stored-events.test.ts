// What reading back refuses (S8, contract 1): unknown types, gaps, and data that is not of its type.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { readStoredEvents } from '../../../src/storage/log/stored-events.ts'
import { eventOf, foreign, START } from '../../contract/session-samples.ts'
import { realisticLog } from './realistic-log.ts'

const invalid = expect.objectContaining({ name: 'SideloopError', code: 'session/invalid' })
const noted = eventOf(0, 'plugin/noted', { plugin: 'test', data: { x: [1] } })

describe('stored events', () => {
  it('come back deep-frozen', () => {
    const [event] = readStoredEvents([foreign(noted)], 0) as readonly (SessionEvent & { type: 'plugin/noted' })[]
    expect(event).toEqual(noted)
    expect([event, event?.data, event?.data.data].every(Object.isFrozen)).toBe(true)
  })

  it('of an unknown type are refused, unless they say that a reader may skip them', () => {
    const unknown = { type: 'future/thing', seq: 0, time: START, data: 'anything' }
    expect(() => readStoredEvents([unknown], 0)).toThrow('"future/thing"')
    expect(() => readStoredEvents([{ ...unknown, optional: 'yes' }], 0)).toThrow(invalid)
    expect(() => readStoredEvents([{ ...unknown, type: 'toString' }], 0)).toThrow(invalid)
    expect(readStoredEvents([{ ...unknown, optional: true }], 0)).toHaveLength(1)
  })

  it('are refused when one of them is missing, repeated, out of order, or no event at all', () => {
    for (const items of [
      [{ ...noted, seq: 1 }],
      [noted, noted],
      [noted, { ...noted, seq: 2 }],
      [null],
      ['text'],
      [[]],
      [{}],
      [{ ...noted, time: '1' }],
    ]) {
      expect(() => readStoredEvents(items, 0)).toThrow(invalid)
    }
    expect(() => readStoredEvents([noted], 1)).toThrow(invalid)
  })

  it('are refused when any field of their data is missing or of another kind', () => {
    const logs = fc.gen().map((g) => {
      const log = realisticLog((max) => g(fc.nat, { max }))
      const at = g(fc.integer, { min: 0, max: log.length - 1 })
      const fields = Object.keys(log[at]!.data)
      return { log, at, field: fields[g(fc.integer, { min: 0, max: fields.length - 1 })]! }
    })
    fc.assert(
      fc.property(logs, ({ log, at, field }) => {
        const event = log[at]!
        const damaged = foreign<SessionEvent>({ ...event, data: { ...event.data, [field]: Number.NaN } })
        const misfit = field === 'data' || field === 'answers' ? undefined : damaged
        if (misfit !== undefined) expect(() => readStoredEvents([misfit], event.seq)).toThrow(invalid)
        expect(() => readStoredEvents([foreign({ ...event, data: null })], event.seq)).toThrow(invalid)
      }),
      { numRuns: 200, endOnFailure: true },
    )
  })

  it('on the surface must say where they stand, and others must not', () => {
    const message = eventOf(0, 'user/message', { id: 'm', content: [], source: { kind: 'user' } }, { surfaceOp: 'append' })
    expect(readStoredEvents([message], 0)).toEqual([message])
    const places: readonly object[] = [
      { surfaceOp: null },
      { surfaceOp: 'replace' },
      { surfaceOp: { op: 'replace', start: 0 } },
      { surfaceOp: { op: 'remove', start: 0, end: 0 } },
      { sourceEventSeqs: 'all' },
      { sourceEventSeqs: [0.5] },
    ]
    for (const place of places) expect(() => readStoredEvents([{ ...message, ...place }], 0)).toThrow(invalid)
    expect(() => readStoredEvents([{ ...noted, surfaceOp: 'append' }], 0)).toThrow(invalid)
  })

  it('with chunks of an unknown kind, or with pieces that are no text, are refused', () => {
    for (const chunk of [{ type: 'omega' }, { type: '__proto__' }, { type: 'text-delta', index: 0 }, { type: 'finish' }, {}]) {
      expect(() => readStoredEvents([{ type: 'assistant/chunk', seq: 0, time: START, data: { turn: 1, step: 1, chunk } }], 0)).toThrow(
        invalid,
      )
    }
  })
})
