// B10 of design/performance.md: from the death of the tab that drives a session to the first new event in another one; and by a takeover.
import { expect, it } from 'vitest'
import type { ClientSession } from '../../src/worker/client/session.ts'
import { viewWhere, type WorkerTab, workerTabs } from '../browser/host/worker-tabs.ts'
import { calibrate, report } from './calibration.ts'

const ROUNDS = 7
const SECOND_US = 1_000_000

type Pair = { readonly tabs: readonly WorkerTab[]; readonly driving: ClientSession; readonly following: ClientSession; close(): void }

/** Two tabs, of which the first drives a reply that goes on and on, behind an earlier one of so many events. */
const talking = async (events: number): Promise<Pair> => {
  const browser = workerTabs()
  const tabs = [await browser.open(), await browser.open()] as const
  const driving = await tabs[0].client.sessions.create()
  const following = await tabs[1].client.sessions.open(driving.id)
  await driving.send(events > 0 ? `first ${events}` : 'talk')
  if (events > 0) {
    await viewWhere(following, ({ live, length, stored }) => live?.status === 'idle' && length > events && stored === length)
    await driving.send('talk')
  }
  // Well into that reply: a prompt that was only queued would be answered anew by the next driver.
  await viewWhere(following, ({ run, stored }) => run.kind === 'running' && stored > events + 30)
  return { tabs, driving, following, close: () => browser.close() }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const rounds = async (count: number, events: number, takeOver: (pair: Pair) => unknown): Promise<readonly number[]> => {
  const times: number[] = []
  for (let round = 0; round < count; round++) {
    const pair = await talking(events)
    const start = performance.now()
    takeOver(pair)
    await viewWhere(pair.following, ({ live, run }) => live?.driver === 'here' && run.kind === 'paused')
    times.push(performance.now() - start)
    pair.close()
  }
  expect(times.length).toBe(count)
  return times
}

const kill = ({ tabs }: Pair): void => tabs[0]?.kill()
const ask = ({ tabs, following }: Pair): Promise<void> | undefined => tabs[1]?.client.tabs.takeOver(following.id)

it('B10: the tab that writes is killed, and another one goes on', async () => {
  await rounds(1, 0, kill)
  const calibration = calibrate()
  const killed = await rounds(ROUNDS, 0, kill)
  const long = await rounds(ROUNDS, 20_000, kill)
  const asked = await rounds(ROUNDS, 0, ask)
  const row = (what: string, ms: number) => ({ what, us: ms * 1000, limitUs: SECOND_US })
  report(calibration, [
    row('B10 killed, to the first new event, median', median(killed)),
    row('B10 the same, the longest', Math.max(...killed)),
    row('B10 a session of 20,000 events, median', median(long)),
    row('B10 the same, the longest', Math.max(...long)),
    row('    taken over by a person, median', median(asked)),
  ])
})
