// A view of the newest part, with what was before it put in front, is the view of the whole log (S10).
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packEvents, unpackEvents } from '../../../src/storage/log/delta-runs.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Transcript } from '../../../src/storage/log/projections/transcript-items.ts'
import { foldLog, type LogView, lengthOf, newestView, withEarlier, withoutPieces } from '../../../src/worker/client/session-view.ts'
import { realisticLog } from '../storage/realistic-log.ts'

const logs = fc.gen().map((g) => realisticLog((max) => g(fc.nat, { max })))
const itemsOf = ({ pages, open }: Transcript) => [...pages.flat(), ...open]
const shownIn = ({ transcript, run, usage, pending }: LogView) => ({ items: itemsOf(transcript), run, usage, pending })
const edges = (log: readonly SessionEvent[], type: SessionEvent['type']): readonly number[] =>
  log.flatMap((event) => (event.type === type ? [event.seq] : []))

/** As a page does it: what came packed is folded without its pieces. */
const joined = (log: readonly SessionEvent[]): readonly SessionEvent[] => withoutPieces(packEvents(log))

describe('S10 a session that is shown newest first', () => {
  it('folds packed runs as if each of their pieces had come by itself', () => {
    fc.assert(
      fc.property(logs, (log) => {
        expect(shownIn(foldLog(joined(log)))).toEqual(shownIn(foldLog(log)))
        expect(lengthOf(packEvents(log))).toBe(log.length)
        expect(unpackEvents(packEvents(log))).toHaveLength(log.length)
      }),
      { numRuns: 80, endOnFailure: true },
    )
  })

  it('is the same as the whole, parted at any turn or step, whatever happened since', () => {
    fc.assert(
      fc.property(logs, fc.nat(20), (log, live) => {
        const whole = shownIn(foldLog(log))
        for (const from of [...edges(log, 'turn/start'), ...edges(log, 'step/start')]) {
          const read = Math.max(from + 1, log.length - live)
          const newest = newestView({ from, events: packEvents(log.slice(from, read)) })
          const events = [...joined(log.slice(from, read)), ...log.slice(read)]
          const tail = { ...newest, ...foldLog(log.slice(read), newest) }
          const shown = withEarlier(tail, foldLog(joined(log.slice(0, from))), events)
          expect(shownIn(shown)).toEqual(whole)
          expect(shown.earlier).toBeUndefined()
        }
      }),
      { numRuns: 50, endOnFailure: true },
    )
  })

  it('shows, before the rest is there, what the whole shows from there on, under the same keys', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const whole = itemsOf(foldLog(log).transcript)
        for (const from of edges(log, 'turn/start')) {
          const tail = itemsOf(newestView({ from, events: packEvents(log.slice(from)) }).transcript)
          expect(tail).toEqual(whole.slice(whole.length - tail.length))
        }
      }),
      { numRuns: 50, endOnFailure: true },
    )
  })

  it('keeps the objects of what was shown when the rest comes before it', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const from = edges(log, 'turn/start').at(-1) ?? 0
        const tail = newestView({ from, events: packEvents(log.slice(from)) })
        const before = foldLog(joined(log.slice(0, from)))
        fc.pre(before.transcript.open.length === 0)
        const shown = withEarlier(tail, before, joined(log.slice(from)))
        for (const page of tail.transcript.pages) expect(shown.transcript.pages).toContain(page)
        expect(shown.transcript.open).toBe(tail.transcript.open)
      }),
      { numRuns: 50, endOnFailure: true },
    )
  })
})
