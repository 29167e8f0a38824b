// S9 and H7: a person in another tab takes over; a frozen tab is not taken for dead, and writes nothing when it was robbed.
import { afterEach, expect, test, vi } from 'vitest'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import type { SessionView } from '../../../src/worker/client/session-view.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { hold, type Reply, text, toolCall } from '../../kit/replies.ts'
import { type ScriptedModel, scriptedModel } from '../../kit/scripted-model.ts'
import { type Browser, type BrowserOptions, openBrowser, type Tab, viewWhere } from '../../kit/several-tabs.ts'

vi.setConfig({ testTimeout: 20_000 }) // the machine may be busy

const browsers: Browser[] = []
afterEach(() => {
  for (const browser of browsers.splice(0)) browser.close()
})

type World = { readonly browser: Browser; readonly model: ScriptedModel; readonly a: Tab; readonly b: Tab; readonly mine: ClientSession }

const world = async (replies: readonly Reply[], options: Partial<BrowserOptions> = {}): Promise<World> => {
  const model = scriptedModel(replies)
  const browser = openBrowser({ model, ...options })
  browsers.push(browser)
  const a = await browser.open()
  const b = await browser.open()
  return { browser, model, a, b, mine: await a.client.sessions.create() }
}

const says = (words: string) => (view: SessionView) => JSON.stringify(view.transcript).includes(words)
const atRest = (words: string) => (view: SessionView) => says(words)(view) && view.live?.status === 'idle' && view.stored === view.length
const driver = (where: 'here' | 'elsewhere') => (view: SessionView) => view.live?.driver === where

test('H7 client.tabs says who drives a session, follows it, and takes it over', async () => {
  const { a, b, mine } = await world([text('ok')])
  expect([await a.client.tabs.driver(mine.id), await b.client.tabs.driver(mine.id), await b.client.tabs.driver('none')]).toEqual([
    'here',
    'elsewhere',
    'nobody',
  ])
  const heard: string[] = []
  const twice = new Promise<void>((resolve) => {
    a.client.tabs.subscribe(mine.id, (where) => {
      heard.push(where)
      if (heard.length === 2) resolve()
    })
  })
  const other = await b.client.sessions.open(mine.id)
  await b.client.tabs.takeOver(mine.id)
  await viewWhere(mine, driver('elsewhere'))
  await viewWhere(other, driver('here'))
  await twice
  expect(heard).toEqual(['here', 'elsewhere'])
  await mine.send('from the follower')
  await viewWhere(mine, atRest('ok'))
})

test('S9 taking over in the middle of a reply stores what was said, and one command goes on', async () => {
  const half = gate()
  const { browser, b, mine } = await world([text('half', { chunks: ['half', half] }), text('the rest')])
  await mine.send('go')
  await half.reached
  await viewWhere(mine, says('half'))
  await b.client.tabs.takeOver(mine.id)
  const theirs = await b.client.sessions.open(mine.id)
  await viewWhere(mine, ({ run }) => run.kind === 'paused')
  expect(says('half')(theirs.view)).toBe(true)
  await mine.continue()
  await viewWhere(theirs, atRest('the rest'))
  expect(problemsOf(await browser.stores.sessions.read(mine.id, { after: -1 }))).toEqual([])
})

test('S9 L16 what waits for the person waits on in the tab that took over, and so does the queue', async () => {
  const { b, mine } = await world([
    toolCall('ask_user', { questions: [{ text: 'Which day?' }] }, 'c1'),
    text('Friday it is.'),
    text('last'),
  ])
  await mine.send('plan')
  await viewWhere(mine, ({ pending }) => pending.length === 1)
  await mine.send('and then', { messageId: 'm2' })
  await b.client.tabs.takeOver(mine.id)
  const theirs = await b.client.sessions.open(mine.id)
  expect(theirs.view.run).toMatchObject({ kind: 'waiting', on: 'answer' })
  expect(theirs.view.live?.waiting.map(({ id }) => id)).toEqual(['m2'])
  await mine.answer('c1', [{ id: 'q1', chosen: [], text: 'Friday' }])
  await viewWhere(theirs, atRest('last'))
})

test('S9 a frozen tab keeps its session: another one shows what is stored, waits, and is served when the tab wakes', async () => {
  const { a, b, mine } = await world([text('said before'), text('said after')])
  await mine.send('one')
  await viewWhere(mine, atRest('said before'))
  const wake = a.freeze()
  const theirs = await b.client.sessions.open(mine.id)
  expect(theirs.view).toMatchObject({ live: { driver: 'elsewhere', status: 'idle' } })
  expect(says('said before')(theirs.view)).toBe(true)
  const sent = theirs.send('two')
  expect(await b.client.tabs.driver(mine.id)).toBe('elsewhere')
  wake()
  await sent
  await viewWhere(theirs, atRest('said after'))
  expect(await a.client.tabs.driver(mine.id)).toBe('here')
})

test('S9 a frozen tab is robbed by a person in another one; it writes nothing more and follows when it wakes', async () => {
  const half = gate()
  const { browser, a, b, mine } = await world([text('half', { chunks: ['half', half, ' of it'] }), text('new driver')])
  await mine.send('one')
  await half.reached
  await viewWhere(mine, (view) => view.stored === view.length)
  const wake = a.freeze()
  await b.client.tabs.takeOver(mine.id)
  const theirs = await b.client.sessions.open(mine.id)
  await theirs.continue()
  await viewWhere(theirs, atRest('new driver'))
  half.open() // the agent of the robbed tab does not know yet, and goes on
  wake()
  await viewWhere(mine, (view) => driver('elsewhere')(view) && says('new driver')(view))
  expect(says('of it')(mine.view)).toBe(false)
  expect(mine.view.transcript).toEqual(theirs.view.transcript)
  expect(problemsOf(await browser.stores.sessions.read(mine.id, { after: -1 }))).toEqual([])
})

test('S9 the tab that asked gets the session, and none that stood before it in the queue drives it in between', async () => {
  const { browser, b, mine } = await world([], { yieldMs: 1000 })
  await b.client.sessions.open(mine.id)
  const c = await browser.open()
  const theirs = await c.client.sessions.open(mine.id)
  const before = await browser.stores.sessions.get(mine.id)
  await c.client.tabs.takeOver(mine.id)
  await viewWhere(theirs, driver('here'))
  expect((await browser.stores.sessions.get(mine.id))?.epoch).toBe((before?.epoch ?? 0) + 1)
})

test('S2 S9 a writer that was refused in the middle of a turn comes to rest before it opens the session anew', async () => {
  const pause = gate()
  const { browser, b, mine } = await world([hold(pause, 'ignore'), text('two'), text('three')], { alone: 'no locks and no channels' })
  await mine.send('first')
  await pause.reached
  const theirs = await b.client.sessions.open(mine.id)
  await theirs.send('second')
  await viewWhere(theirs, atRest('two'))
  await mine.send('third')
  await viewWhere(mine, atRest('three'))
  expect(problemsOf(await browser.stores.sessions.read(mine.id, { after: -1 }))).toEqual([])
})

test('S9 a driver at rest that was robbed while it was frozen follows when it wakes, though it has nothing to write', async () => {
  const { a, b, mine } = await world([text('ok')])
  await mine.send('hi')
  await viewWhere(mine, atRest('ok'))
  await mine.save()
  const theirs = await b.client.sessions.open(mine.id)
  const wake = a.freeze()
  await b.client.tabs.takeOver(mine.id)
  await viewWhere(theirs, driver('here'))
  wake()
  await viewWhere(mine, driver('elsewhere'))
})

test('S9 a driver that hears of no other tab learns from its lock that it was robbed', async () => {
  const { a, b, mine } = await world([])
  await mine.save()
  const theirs = await b.client.sessions.open(mine.id)
  a.deafen()
  await b.client.tabs.takeOver(mine.id)
  await viewWhere(theirs, driver('here'))
  await expect.poll(() => a.client.tabs.driver(mine.id)).toBe('elsewhere')
})

test('S9 a name that is given twice, as by a repeated command, is one event', async () => {
  const { browser, a, mine } = await world([])
  for (const title of ['Trip', 'Trip', 'Journey', 'Trip']) await a.client.sessions.rename(mine.id, title)
  expect((await browser.stores.sessions.read(mine.id, { after: -1 })).map(({ type }) => type)).toEqual(
    Array.from({ length: 3 }, () => 'session/title'),
  )
})

test('S9 a prompt that a robbed driver could not store any more is carried out by the next one, once', async () => {
  const { browser, a, b, mine } = await world([text('ok')])
  const wake = a.freeze()
  await b.client.tabs.takeOver(mine.id)
  const sent = mine.send('hello', { messageId: 'm1' })
  wake()
  await sent
  const theirs = await b.client.sessions.open(mine.id)
  await viewWhere(theirs, atRest('ok'))
  const events = await browser.stores.sessions.read(mine.id, { after: -1 })
  expect(events.filter(({ type }) => type === 'user/message').length).toBe(1)
})

test('S9 a session that nobody looks at and that is at rest goes to the tab that opens it', async () => {
  const { a, b, mine } = await world([text('ok')])
  await mine.send('hi')
  await viewWhere(mine, atRest('ok'))
  mine.close()
  const theirs = await b.client.sessions.open(mine.id)
  await viewWhere(theirs, driver('here'))
  expect(await a.client.tabs.driver(mine.id)).toBe('elsewhere')
})

test('S9 a tab that needs a session no longer does not wait for it: nobody drives it after the driver died', async () => {
  const { a, b, mine } = await world([])
  const theirs = await b.client.sessions.open(mine.id)
  theirs.close()
  await expect.poll(() => b.client.tabs.driver(mine.id)).toBe('elsewhere')
  a.kill()
  expect(await b.client.tabs.driver(mine.id)).toBe('nobody')
})

test('S2 S9 without locks and channels the epoch alone guards: the older writer is refused, opens anew and goes on', async () => {
  const { browser, b, mine } = await world([text('one'), text('two'), text('three')], { alone: 'no locks and no channels' })
  await mine.send('first')
  await viewWhere(mine, atRest('one'))
  const theirs = await b.client.sessions.open(mine.id)
  await theirs.send('second')
  await viewWhere(theirs, atRest('two'))
  await mine.send('third')
  await viewWhere(mine, atRest('three'))
  expect(says('two')(mine.view)).toBe(true)
  const events = await browser.stores.sessions.read(mine.id, { after: -1 })
  expect(events.filter(({ type }) => type === 'user/message').length).toBe(3)
  expect(problemsOf(events)).toEqual([])
})
