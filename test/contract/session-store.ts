// The suite of the session port: every adapter runs it.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/storage/log/content.ts'
import type { SessionEvent, SessionHeader } from '../../src/storage/log/events.ts'
import type { SessionCommit, SessionPatch, SessionStore } from '../../src/storage/session-store.ts'
import { expectCode } from './expect-code.ts'
import { eventOf, foreign, logOf, rowOf, START, waitingOf } from './session-samples.ts'
import type { StorageHarness } from './storage-harness.ts'
import { withStorage } from './with-storage.ts'

const ALL = { after: -1 }

/** A session that the caller may write to. */
const opened = async (sessions: SessionStore, id = 's1', length = 0): Promise<{ id: string; epoch: number }> => {
  await sessions.create(rowOf(id))
  const { epoch } = await sessions.claim(id)
  if (length > 0) await sessions.commit({ sessionId: id, epoch, events: logOf(length) }, 'relaxed')
  return { id, epoch }
}

export const sessionStoreSuite = (harness: StorageHarness): void => {
  describe(`session store: ${harness.name}`, () => {
    const storage = withStorage(harness)
    const here = (): SessionStore => storage().here.sessions
    const there = (): SessionStore => storage().there.sessions

    describe('rows', () => {
      it('S1 a created session has its header, options and counts, no events and no writer', async () => {
        const options = { provider: 'demo', model: 'rules', maxTokens: 100 }
        await here().create(rowOf('s1', { options }))
        expect(await there().get('s1')).toEqual({ ...rowOf('s1', { options }), nextSeq: 0, epoch: 0 })
        expect(await there().read('s1', ALL)).toEqual([])
        expect(await there().waiting('s1')).toEqual([])
      })

      it('an id is taken once', async () => {
        await here().create(rowOf('s1', { title: 'first' }))
        await expectCode(there().create(rowOf('s1', { title: 'second' })), 'storage/conflict')
        expect((await here().get('s1'))?.title).toBe('first')
      })

      it('a header of another version, id or shape is refused before anything is stored', async () => {
        const version = foreign<SessionHeader>({ version: 2, id: 's1', createdAt: START })
        await expectCode(here().create(rowOf('s1', { header: version })), 'session/invalid')
        await expectCode(here().create(rowOf('s1', { header: { version: 1, id: 's2', createdAt: START } })), 'session/invalid')
        await expectCode(
          here().create(rowOf('s1', { header: { version: 1, id: 's1', createdAt: START, cwd: 'relative' } })),
          'session/invalid',
        )
        expect(await here().get('s1')).toBeUndefined()
      })

      it('an unknown session is undefined to get, and an error to everything that needs it', async () => {
        expect(await here().get('none')).toBeUndefined()
        await expectCode(here().claim('none'), 'session/unknown')
        await expectCode(here().read('none', ALL), 'session/unknown')
        await expectCode(here().waiting('none'), 'session/unknown')
        await expectCode(here().commit({ sessionId: 'none', epoch: 1, events: [] }, 'relaxed'), 'session/unknown')
      })

      it('S10 the list is newest first, filtered by title without regard to case, and limited', async () => {
        for (const [id, title, updatedAt] of [
          ['a', 'Trip to Lisbon', START + 1],
          ['b', 'Groceries', START + 3],
          ['c', 'LISBON again', START + 2],
        ] as const) {
          await here().create(rowOf(id, { title, updatedAt }))
        }
        const ids = async (options: Parameters<SessionStore['list']>[0]): Promise<readonly string[]> =>
          (await there().list(options)).map((row) => row.id)
        expect(await ids({})).toEqual(['b', 'c', 'a'])
        expect(await ids({ query: 'lisbon' })).toEqual(['c', 'a'])
        expect(await ids({ limit: 2 })).toEqual(['b', 'c'])
        expect(await ids({ query: ' Lisbon ', limit: 1 })).toEqual(['c'])
        expect(await ids({ query: 'nowhere' })).toEqual([])
      })

      it('what is given back is frozen all the way down', async () => {
        const { id, epoch } = await opened(here(), 's1', 8)
        await here().commit({ sessionId: id, epoch, events: [], inbox: [waitingOf('m1')] }, 'relaxed')
        const row = await here().get(id)
        const [, message] = await here().read(id, ALL)
        const [waiting] = await here().waiting(id)
        for (const value of [row, row?.header, message, message?.data, waiting, waiting?.content[0]])
          expect(Object.isFrozen(value)).toBe(true)
        const [last] = (await here().read(id, { after: 6 })) as readonly (SessionEvent & { type: 'assistant/chunk' })[]
        expect(Object.isFrozen(last?.data.chunk)).toBe(true)
      })
    })

    describe('events', () => {
      it('S2 what was committed is read back event by event as it was', async () => {
        const { id } = await opened(here(), 's1', 40)
        expect(await there().read(id, ALL)).toEqual(logOf(40))
        expect((await there().get(id))?.nextSeq).toBe(40)
      })

      it('S10 reading after a seq, with or without a limit, gives exactly that part, over the edges of commits too', async () => {
        const { id, epoch } = await opened(here(), 's1', 7)
        for (const [from, to] of [
          [7, 8],
          [8, 30],
          [30, 2_500],
        ] as const) {
          await here().commit({ sessionId: id, epoch, events: logOf(to).slice(from) }, 'relaxed')
        }
        const log = logOf(2_500)
        for (const after of [-1, 0, 5, 6, 7, 8, 28, 29, 30, 1_028, 2_498, 2_499, 3_000]) {
          expect(await there().read(id, { after })).toEqual(log.slice(after + 1))
          for (const limit of [0, 1, 2, 25, 1_500, 5_000]) {
            expect(await there().read(id, { after, limit })).toEqual(log.slice(after + 1, after + 1 + limit))
          }
        }
      })

      it('S2 events must begin at the next seq and follow each other', async () => {
        const { id, epoch } = await opened(here(), 's1', 5)
        const commit = (events: readonly SessionEvent[]): Promise<void> => here().commit({ sessionId: id, epoch, events }, 'relaxed')
        await expectCode(commit(logOf(5)), 'storage/conflict')
        await expectCode(commit(logOf(8).slice(6)), 'storage/conflict')
        await expectCode(commit(logOf(9).filter((event) => event.seq === 5 || event.seq === 7)), 'session/invalid')
        expect(await here().read(id, ALL)).toEqual(logOf(5))
      })

      it('an event that is not plain JSON is refused, and nothing of its commit is stored', async () => {
        const { id, epoch } = await opened(here(), 's1', 5)
        for (const data of [Number.NaN, 1n, undefined, () => 1, new Map()] as readonly unknown[]) {
          const noted = eventOf(5, 'plugin/noted', { plugin: 'test', data: data as Json })
          await expectCode(here().commit({ sessionId: id, epoch, events: [noted], patch: { title: 'no' } }, 'strict'), 'session/invalid')
        }
        expect((await here().get(id))?.title).toBe('Session s1')
        expect(await here().read(id, ALL)).toEqual(logOf(5))
      })

      it('keys such as __proto__, lone surrogates and every other text come back as they were', async () => {
        const { id, epoch } = await opened(here())
        const data = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"text":"\\ud800 😀 \\u0000"}')
        const event = eventOf(0, 'plugin/noted', { plugin: 'test', data })
        await here().commit({ sessionId: id, epoch, events: [event] }, 'relaxed')
        const [read] = await there().read(id, ALL)
        expect(JSON.stringify(read)).toBe(JSON.stringify(event))
        expect(Object.hasOwn({}, 'polluted')).toBe(false)
      })

      it('reading refuses an unknown event type and changes nothing; one marked optional passes', async () => {
        const { id, epoch } = await opened(here(), 's1', 3)
        const unknown = (seq: number, optional: boolean): SessionEvent =>
          foreign({ type: 'future/thing', seq, time: START, data: { x: 1 }, ...(optional && { optional: true }) })
        await here().commit({ sessionId: id, epoch, events: [unknown(3, true)] }, 'relaxed')
        expect((await there().read(id, ALL)).at(-1)).toEqual(unknown(3, true))
        await here().commit({ sessionId: id, epoch, events: [unknown(4, false)] }, 'relaxed')
        expect((await expectCode(there().read(id, ALL), 'session/invalid')).message).toContain('future/thing')
        expect((await there().get(id))?.nextSeq).toBe(5)
      })

      it('reading refuses an event whose data or place is not of its type', async () => {
        const { id, epoch } = await opened(here(), 's1', 3)
        const broken = foreign<SessionEvent>({ type: 'step/end', seq: 3, time: START, data: { turn: 'one' } })
        await here().commit({ sessionId: id, epoch, events: [broken] }, 'relaxed')
        await expectCode(there().read(id, ALL), 'session/invalid')
        const { id: other, epoch: itsEpoch } = await opened(here(), 's2', 1)
        const unplaced = foreign<SessionEvent>({ ...logOf(2)[1]!, surfaceOp: 'prepend' })
        await here().commit({ sessionId: other, epoch: itsEpoch, events: [unplaced] }, 'relaxed')
        await expectCode(there().read(other, ALL), 'session/invalid')
      })
    })

    describe('commits', () => {
      it('S3 events, inbox and row change together', async () => {
        const { id, epoch } = await opened(here())
        await here().commit({ sessionId: id, epoch, events: [], inbox: [waitingOf('m1'), waitingOf('m2', 'step')] }, 'strict')
        expect(await there().waiting(id)).toEqual([waitingOf('m1'), waitingOf('m2', 'step')])
        const patch = {
          title: 'New',
          updatedAt: START + 9,
          turns: 1,
          status: 'running',
          cost: 0.5,
          options: { model: 'm' },
          held: true,
        } as const
        await here().commit({ sessionId: id, epoch, events: logOf(3), inbox: [waitingOf('m2')], patch }, 'strict')
        expect(await there().waiting(id)).toEqual([waitingOf('m2')])
        expect(await there().get(id)).toEqual({ ...rowOf(id, patch), nextSeq: 3, epoch })
      })

      it('S3 a commit without an inbox leaves what waits as it is', async () => {
        const { id, epoch } = await opened(here())
        await here().commit({ sessionId: id, epoch, events: [], inbox: [waitingOf('m1')] }, 'strict')
        await here().commit({ sessionId: id, epoch, events: logOf(2) }, 'strict')
        expect(await there().waiting(id)).toEqual([waitingOf('m1')])
      })

      it('S2 a refused commit stores nothing: no event, no inbox, no row', async () => {
        const { id, epoch } = await opened(here(), 's1', 4)
        const refused: SessionCommit = { sessionId: id, epoch, events: logOf(3).slice(2), inbox: [waitingOf('m1')], patch: { title: 'no' } }
        await expectCode(here().commit(refused, 'strict'), 'storage/conflict')
        expect(await there().waiting(id)).toEqual([])
        expect(await there().get(id)).toEqual({ ...rowOf(id), nextSeq: 4, epoch })
        expect(await there().read(id, ALL)).toEqual(logOf(4))
      })

      it('a commit cannot change who writes, what is next, or which session it is', async () => {
        const { id, epoch } = await opened(here(), 's1', 4)
        const patch = foreign<SessionPatch>({ title: 'New', epoch: 99, nextSeq: 99, id: 'other', header: null })
        await here().commit({ sessionId: id, epoch, events: [], patch }, 'relaxed')
        expect(await there().get(id)).toEqual({ ...rowOf(id, { title: 'New' }), nextSeq: 4, epoch })
      })

      it('S4 with no room left a commit is a typed error, nothing stored before is lost, and after room was made it goes on', async () => {
        const { id, epoch } = await opened(here(), 's1', 4)
        await storage().fill()
        const commit: SessionCommit = {
          sessionId: id,
          epoch,
          events: logOf(900).slice(4),
          inbox: [waitingOf('m1')],
          patch: { title: 'no' },
        }
        await expectCode(here().commit(commit, 'strict'), 'storage/quota')
        expect(await here().read(id, ALL)).toEqual(logOf(4))
        expect(await here().waiting(id)).toEqual([])
        expect((await here().get(id))?.title).toBe('Session s1')
        await storage().makeRoom()
        await here().commit(commit, 'strict')
        expect(await there().read(id, ALL)).toEqual(logOf(900))
      })
    })

    describe('merging', () => {
      const pieces = async (
        sizes: readonly number[],
      ): Promise<{ readonly id: string; readonly epoch: number; readonly log: readonly SessionEvent[] }> => {
        const { id, epoch } = await opened(here())
        const log = logOf(sizes.reduce((sum, size) => sum + size, 0))
        let from = 0
        for (const size of sizes) {
          await here().commit({ sessionId: id, epoch, events: log.slice(from, from + size) }, 'relaxed')
          from += size
        }
        return { id, epoch, log }
      }
      const mergeAll = async (id: string, epoch: number, from = 0): Promise<number> => {
        const { from: next, more } = await here().merge(id, { epoch, from })
        return more ? mergeAll(id, epoch, next) : next
      }

      it('S2 what is read after a merge is what was read before it, whole and in part, and writing goes on', async () => {
        const { id, epoch, log } = await pieces([3, 1, 200, 996, 4, 1_000, 2, 2, 2])
        await mergeAll(id, epoch)
        expect(await there().read(id, ALL)).toEqual(log)
        for (const after of [2, 3, 4, 203, 1_199, 1_204, 2_205, 2_208])
          expect(await there().read(id, { after, limit: 5 })).toEqual(log.slice(after + 1, after + 6))
        await here().commit({ sessionId: id, epoch, events: logOf(log.length + 2).slice(log.length) }, 'strict')
        await mergeAll(id, epoch)
        expect(await there().read(id, ALL)).toEqual(logOf(log.length + 2))
        expect((await there().get(id))?.nextSeq).toBe(log.length + 2)
      })

      it('S2 only the writer may merge, and a second writer fails also after it', async () => {
        const { id, epoch, log } = await pieces([10, 5, 5, 5, 5])
        await mergeAll(id, epoch)
        await expectCode(here().commit({ sessionId: id, epoch, events: log.slice(20) }, 'strict'), 'storage/conflict')
        const taken = await there().claim(id)
        await expectCode(here().merge(id, { epoch, from: 0 }), 'storage/conflict')
        await expectCode(here().commit({ sessionId: id, epoch, events: logOf(31).slice(30) }, 'strict'), 'storage/conflict')
        await expectCode(there().commit({ sessionId: id, epoch: taken.epoch, events: log.slice(10, 20) }, 'strict'), 'storage/conflict')
        await expectCode(here().merge('none', { epoch: 1, from: 0 }), 'session/unknown')
        expect(await here().read(id, ALL)).toEqual(log)
      })
    })

    describe('writers', () => {
      it('S2 a second writer fails instead of overwriting', async () => {
        const { id, epoch } = await opened(here(), 's1', 4)
        const taken = await there().claim(id)
        expect(taken.epoch).toBeGreaterThan(epoch)
        expect(taken.nextSeq).toBe(4)
        await expectCode(here().commit({ sessionId: id, epoch, events: logOf(6).slice(4) }, 'strict'), 'storage/conflict')
        await expectCode(here().commit({ sessionId: id, epoch, events: [], inbox: [] }, 'strict'), 'storage/conflict')
        await there().commit({ sessionId: id, epoch: taken.epoch, events: logOf(5).slice(4) }, 'strict')
        expect(await here().read(id, ALL)).toEqual(logOf(5))
      })

      it('S9 of two that claim and write at the same time exactly one wins, and the log has its events only', async () => {
        const { id } = await opened(here(), 's1', 4)
        for (let round = 0; round < 10; round++) {
          const before = await here().get(id)
          const next = before!.nextSeq
          const write = async (sessions: SessionStore, who: string): Promise<string> => {
            const { epoch, nextSeq } = await sessions.claim(id)
            const events = [0, 1, 2].map((i) => eventOf(nextSeq + i, 'plugin/noted', { plugin: who, data: i }))
            await sessions.commit({ sessionId: id, epoch, events }, 'relaxed')
            return who
          }
          const outcomes = await Promise.allSettled([write(here(), 'here'), write(there(), 'there')])
          const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
          const log = await here().read(id, { after: next - 1 })
          const writers = log.flatMap((event) => (event.type === 'plugin/noted' ? [event.data.plugin] : []))
          expect(winners.length).toBeGreaterThan(0)
          expect(writers).toEqual(winners.length === 2 ? expect.arrayContaining(winners) : winners.flatMap((who) => [who, who, who]))
          expect(log.map((event) => event.seq)).toEqual(log.map((_, i) => next + i))
          expect(log.length).toBe(winners.length * 3)
        }
      })

      it('S2 many commits of one writer that are not awaited are stored in their order', async () => {
        const { id, epoch } = await opened(here())
        const log = logOf(200)
        await Promise.all(
          Array.from({ length: 20 }, (_, i) => here().commit({ sessionId: id, epoch, events: log.slice(i * 10, i * 10 + 10) }, 'relaxed')),
        )
        expect(await there().read(id, ALL)).toEqual(log)
      })
    })

    describe('removal', () => {
      it('S13 a removed session is gone with its events and its inbox; its neighbours stay', async () => {
        for (const id of ['s', 's1', 's10']) {
          const { epoch } = await opened(here(), id, 6)
          await here().commit({ sessionId: id, epoch, events: [], inbox: [waitingOf('m1')] }, 'strict')
        }
        await here().remove('s1')
        expect(await there().get('s1')).toBeUndefined()
        await expectCode(there().read('s1', ALL), 'session/unknown')
        for (const id of ['s', 's10']) {
          expect(await there().read(id, ALL)).toEqual(logOf(6))
          expect(await there().waiting(id)).toHaveLength(1)
        }
        await here().create(rowOf('s1'))
        expect(await there().read('s1', ALL)).toEqual([])
        expect(await there().waiting('s1')).toEqual([])
      })

      it('S13 removing what is not there is no error, and a writer of a removed session is told', async () => {
        await here().remove('none')
        const { id, epoch } = await opened(here())
        await there().remove(id)
        await expectCode(here().commit({ sessionId: id, epoch, events: logOf(2) }, 'relaxed'), 'session/unknown')
      })
    })

    it('after it was closed every call is refused with what to do', async () => {
      storage().here.close()
      await expectCode(here().list({}), 'storage/unavailable')
      await expectCode(storage().here.settings.get('x'), 'storage/unavailable')
    })
  })
}
