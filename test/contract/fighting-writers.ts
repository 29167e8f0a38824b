// Two writers that fight over one session (S2, S9, S15): whatever they do at the same time, the log is what was acknowledged, in order.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SideloopError } from '../../src/storage/log/errors.ts'
import type { SessionEvent } from '../../src/storage/log/events.ts'
import type { SessionStore } from '../../src/storage/session-store.ts'
import { eventOf, rowOf, waitingOf } from './session-samples.ts'
import type { StorageHarness } from './storage-harness.ts'
import { withStorage } from './with-storage.ts'

type Deed =
  | { readonly kind: 'claim' | 'merge' | 'read'; readonly who: number }
  /** `blindly`: though it was refused before, as one that was frozen and does not know it. */
  | { readonly kind: 'commit'; readonly who: number; readonly events: number; readonly strict: boolean; readonly blindly: boolean }

const who = fc.nat(1)
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constantFrom('claim', 'merge', 'read'), who }),
  fc.record({ kind: fc.constant('commit'), who, events: fc.integer({ min: 1, max: 30 }), strict: fc.boolean(), blindly: fc.boolean() }),
  fc.record({
    kind: fc.constant('commit'),
    who,
    events: fc.integer({ min: 1, max: 3 }),
    strict: fc.boolean(),
    blindly: fc.constant(false),
  }),
)
/** What stands in one burst is begun without waiting. */
const bursts = fc.array(fc.array(deed, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 10 })

type Writer = { readonly sessions: SessionStore; epoch: number; nextSeq: number; refused: boolean }
type Stored = { readonly id: string; readonly events: readonly SessionEvent[] }

const REFUSALS = ['storage/conflict', 'session/unknown']

export const fightingWritersSuite = (harness: StorageHarness): void => {
  describe(`two writers: ${harness.name}`, () => {
    const storage = withStorage(harness)
    let fights = 0

    it('S2 S9 of what two writers do at the same time, all that was acknowledged is stored once, in order, and nothing else', async () => {
      await fc.assert(
        fc.asyncProperty(bursts, async (plan) => {
          const id = `fight-${fights++}`
          const { here, there } = storage()
          await here.sessions.create(rowOf(id))
          const writers = [here, there].map(({ sessions }): Writer => ({ sessions, epoch: 0, nextSeq: 0, refused: true }))
          const stored: Stored[] = []
          let claims = 0
          let commits = 0

          const commit = async (writer: Writer, count: number, strict: boolean): Promise<void> => {
            const name = `c${commits++}`
            const from = writer.nextSeq
            const { epoch } = writer
            const claimedBefore = claims
            writer.nextSeq += count // the next one of the same burst follows it
            const events = Array.from({ length: count }, (_, i) => eventOf(from + i, 'plugin/noted', { plugin: name, data: i }))
            await writer.sessions.commit({ sessionId: id, epoch, events, inbox: [waitingOf(name)] }, strict ? 'strict' : 'relaxed')
            expect(epoch, 'whoever was claimed from is not let in any more').toBe(claimedBefore)
            stored.push({ id: name, events })
          }
          const act = async (each: Deed): Promise<void> => {
            const writer = writers[each.who]!
            const { sessions } = writer
            try {
              if (each.kind === 'commit') {
                if (!writer.refused || each.blindly) await commit(writer, each.events, each.strict)
              } else if (each.kind === 'claim') {
                const { epoch, nextSeq } = await sessions.claim(id)
                claims++
                Object.assign(writer, { epoch, nextSeq, refused: false })
              } else if (each.kind === 'merge') await sessions.merge(id, { epoch: writer.epoch, from: 0 })
              else {
                const read = await sessions.read(id, { after: -1 })
                expect(read.map(({ seq }) => seq)).toEqual(read.map((_, i) => i))
              }
            } catch (error) {
              if (!(error instanceof SideloopError && REFUSALS.includes(error.code))) throw error
              writer.refused = true
            }
          }
          for (const burst of plan) await Promise.all(burst.map(act))

          const inOrder = stored.sort((a, b) => a.events[0]!.seq - b.events[0]!.seq)
          const log = inOrder.flatMap(({ events }) => events)
          for (const { sessions } of writers) {
            expect(await sessions.read(id, { after: -1 })).toEqual(log)
            expect(await sessions.get(id)).toMatchObject({ nextSeq: log.length, epoch: claims })
            expect((await sessions.waiting(id)).map((waiting) => waiting.id)).toEqual(inOrder.slice(-1).map((each) => each.id))
          }
        }),
        { numRuns: 40, endOnFailure: true },
      )
    })
  })
}
