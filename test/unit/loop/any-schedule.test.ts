// What holds under every schedule of send, steer, inject, cancel, continue, dispose and edits of the inbox.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { problemsOf } from '../../kit/check-log.ts'
import { rebuildRequests } from '../../kit/rebuild-requests.ts'
import { type Run, runSchedule, schedule } from './any-schedule.ts'

vi.setConfig({ testTimeout: 60_000 }) // many runs each, beside everything else that a test run does on a busy machine

const always = (holds: (run: Run) => void | Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(schedule, async (drawn) => {
      const run = await runSchedule(drawn)
      await holds(run)
    }),
    { numRuns: 150 },
  )

const loggedIds = ({ events }: Run): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'user/message' || event.type === 'steering/message' || event.type === 'prompt/blocked' ? [event.data.id] : [],
  )

describe('under any schedule', () => {
  test('L5 L13 L14 L20 L24 each message is in the log once, or still waits, or was taken away by somebody', () =>
    always((run) => {
      expect(run.lost).toEqual([])
      const waiting = run.agent.inbox.unlogged.map(({ id }) => id)
      const found = [...loggedIds(run), ...waiting, ...run.takenAway]
      expect(found.toSorted()).toEqual(run.given.toSorted())
    }))

  test('L1 L22 L40 turns count up, boundaries balance, and every call has its result right behind it', () =>
    always(({ events }) => {
      expect(problemsOf(events)).toEqual([])
    }))

  test('L6 every request equals what the log alone gives, byte for byte', () =>
    always(({ events, sent }) => {
      const rebuilt = rebuildRequests(events)
      for (const { turn, step, attempt, json } of sent) {
        const same = rebuilt.find((each) => each.turn === turn && each.step === step && each.attempt === attempt)
        const leftNoTrace = same === undefined && attempt > 1
        if (!leftNoTrace) expect(same?.json, `request ${turn}.${step}, attempt ${attempt}`).toBe(json)
      }
    }))

  test('L10 L40 L41 the status only ever changes, the driver comes to rest, nothing is reported, and a disposal ends it all', () =>
    always(async ({ agent, events, statuses, reported, runtime }) => {
      for (const [i, status] of statuses.entries()) expect(status).not.toBe(statuses[i - 1] ?? 'idle')
      expect(['idle', 'disposed']).toContain(agent.status)
      expect(reported).toEqual([])
      await runtime.dispose()
      expect(agent.status).toBe('disposed')
      expect(agent.session.events).toHaveLength(events.length)
    }))
})
