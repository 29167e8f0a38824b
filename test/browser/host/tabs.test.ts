// S9 with real workers, IndexedDB, Web Locks and BroadcastChannel.
import { afterEach, expect, test, vi } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import { calibrate } from '../../bench/calibration.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { viewWhere, type WorkerTab, workerTabs } from './worker-tabs.ts'

vi.setConfig({ testTimeout: 60_000 }) // eight workers on a machine that may be busy

/** How fast this machine is now, beside the one on which the limit of a second was set. */
const machine = Math.min(1, 2 / calibrate())

const opened: { close(): void }[] = []
afterEach(() => {
  for (const tabs of opened.splice(0)) tabs.close()
})

type World = { readonly tabs: readonly WorkerTab[]; readonly sessions: readonly ClientSession[] }

const world = async (count: number): Promise<World> => {
  const browser = workerTabs()
  opened.push(browser)
  const tabs = await Promise.all(Array.from({ length: count }, () => browser.open()))
  const first = await tabs[0]!.client.sessions.create()
  const others = await Promise.all(tabs.slice(1).map(({ client }) => client.sessions.open(first.id)))
  return { tabs, sessions: [first, ...others] }
}

const says = (session: ClientSession, words: string): boolean => JSON.stringify(session.view.transcript).includes(words)
const restsWith = (length: number) => (view: ClientSession['view']) =>
  view.live?.status === 'idle' && view.live.waiting.length === 0 && view.length === length && view.stored === length

const messagesIn = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'user/message' ? [event.data.id] : []))

test.each([2, 8])('S9 %i workers that prompt at once: each prompt becomes one message, and all show the same', async (count) => {
  const { tabs, sessions } = await world(count)
  expect(sessions.map(({ view }) => view.live?.driver)).toEqual(['here', ...Array.from({ length: count - 1 }, () => 'elsewhere')])
  const ids = sessions.flatMap((_, i) => [`${i}-a`, `${i}-b`, `${i}-c`])
  await Promise.all(sessions.flatMap((session, i) => ['a', 'b', 'c'].map((n) => session.send(`${i}-${n}`, { messageId: `${i}-${n}` }))))
  await viewWhere(sessions[0]!, ({ live, length, stored }) => live?.status === 'idle' && live.waiting.length === 0 && length === stored)
  const events = await tabs[1]!.client.host.log.read({ sessionId: sessions[0]!.id, after: -1 })
  expect(messagesIn(events).toSorted()).toEqual(ids.toSorted())
  expect(problemsOf(events)).toEqual([])
  await Promise.all(sessions.map((session) => viewWhere(session, restsWith(events.length))))
  for (const { view } of sessions) expect(view.transcript).toEqual(sessions[0]!.view.transcript)
})

test('S9 a worker is ended in the middle of a reply: another one has the first new event within a second, and goes on', async () => {
  const { tabs, sessions } = await world(3)
  const [a, b, c] = sessions as [ClientSession, ClientSession, ClientSession]
  await b.send('talk', { messageId: 'm1' })
  await viewWhere(c, () => says(c, '5 '))
  await b.send('hello', { messageId: 'm2' })
  const killedAt = performance.now()
  tabs[0]!.kill()
  await Promise.all([b, c].map((session) => viewWhere(session, (view) => JSON.stringify(view.transcript).includes('hello'))))
  expect((performance.now() - killedAt) * machine).toBeLessThan(1000)
  expect([b, c].map(({ view }) => view.live?.driver).toSorted()).toEqual(['elsewhere', 'here'])
  await viewWhere(c, ({ live, stored, length }) => live?.status === 'idle' && live.waiting.length === 0 && stored === length)
  const events = await tabs[2]!.client.host.log.read({ sessionId: a.id, after: -1 })
  expect(messagesIn(events)).toEqual(['m1', 'm2'])
  expect(problemsOf(events)).toEqual([])
  await Promise.all([b, c].map((session) => viewWhere(session, restsWith(events.length))))
  expect(b.view.transcript).toEqual(c.view.transcript)
})

test('S9 kills one after the other, with prompts all the time, lose and repeat nothing', async () => {
  const { tabs, sessions } = await world(5)
  const sent: Promise<void>[] = []
  const ids: string[] = []
  const last = sessions.at(-1)!
  for (const [i, tab] of tabs.slice(0, -1).entries()) {
    for (const n of ['x', 'y']) {
      ids.push(`${i}-${n}`)
      sent.push(last.send(`${i}-${n}`, { messageId: `${i}-${n}` }))
    }
    if (i % 2 === 0) await sent.at(-1)
    tab.kill()
  }
  await Promise.all(sent)
  await viewWhere(last, ({ live }) => live?.driver === 'here' && live.status === 'idle' && live.waiting.length === 0)
  const events = await tabs.at(-1)!.client.host.log.read({ sessionId: last.id, after: -1 })
  expect(messagesIn(events).toSorted()).toEqual(ids.toSorted())
  expect(problemsOf(events)).toEqual([])
})

test('S9 H7 a worker that does not answer is not taken for dead; a person takes over, and it follows when it wakes', async () => {
  const { tabs, sessions } = await world(2)
  const [a, b] = sessions as [ClientSession, ClientSession]
  await a.send('block')
  await viewWhere(b, () => says(b, 'ok'))
  await viewWhere(b, ({ stored, length }) => stored === length)
  expect(await tabs[1]!.client.tabs.driver(a.id)).toBe('elsewhere')
  await tabs[1]!.client.tabs.takeOver(a.id)
  await viewWhere(b, ({ live, run }) => live?.driver === 'here' && run.kind === 'paused')
  await b.send('hello')
  // Until its turn is over and stored: between the message and its turn everything is at rest as well.
  const isOver = ({ live, run, stored, length }: ClientSession['view']) =>
    live?.status === 'idle' && run.kind === 'idle' && stored === length && length === b.view.length
  await viewWhere(b, isOver)
  await viewWhere(a, (view) => view.live?.driver === 'elsewhere' && isOver(view))
  expect(a.view.transcript).toEqual(b.view.transcript)
  const events = await tabs[0]!.client.host.log.read({ sessionId: a.id, after: -1 })
  expect(problemsOf(events)).toEqual([])
})
