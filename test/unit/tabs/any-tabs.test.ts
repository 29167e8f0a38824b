// S9 under any interleaving: prompts from two to eight tabs, with kills, takeovers and thefts between and during them.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { anything, play, promptsOnly, type Run } from './any-tabs.ts'

vi.setConfig({ testTimeout: 120_000 }) // many runs each, beside everything else that a test run does on a busy machine

const idsIn = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'user/message' || event.type === 'steering/message' ? [event.data.id] : []))

const eachOnce = ({ events, sent, acknowledged }: Run): void => {
  const ids = idsIn(events)
  expect(new Set(ids).size, 'none twice').toBe(ids.length)
  const lost = acknowledged.filter((id) => !ids.includes(id))
  expect(lost, 'none lost').toEqual([])
  const made = ids.filter((id) => !sent.includes(id))
  expect(made, 'none made up').toEqual([])
  expect(problemsOf(events)).toEqual([])
}

const readAll = async (session: ClientSession, until: number): Promise<readonly SessionEvent[]> => {
  const seen: SessionEvent[] = []
  if (until > 0) for await (const event of session.events({ after: -1 })) if (seen.push(event) >= until) break
  return seen
}

test('S9 under any interleaving of prompts, kills, takeovers and thefts, every acknowledged prompt is one message and every tab shows the stored log', () =>
  fc.assert(
    fc.asyncProperty(anything, (schedule) =>
      play(schedule, {}, async (run) => {
        eachOnce(run)
        expect(
          run.refused.filter((code) => code !== 'session/busy'),
          'only a takeover can come too late',
        ).toEqual([])
        for (const session of run.survivors) {
          expect(session.view.transcript).toEqual(run.survivors[0]?.view.transcript)
          expect(await readAll(session, run.events.length)).toEqual(run.events)
        }
      }),
    ),
    { numRuns: 60 },
  ))

test('S2 S9 writers that fight with nothing but the epoch lose nothing that was acknowledged, and the log stays valid', () =>
  fc.assert(
    fc.asyncProperty(promptsOnly, (schedule) => play(schedule, { alone: 'no locks and no channels' }, async (run) => eachOnce(run))),
    { numRuns: 40 },
  ))
