// S9 and H7 with several tabs in one thread: one session alive in every tab, driven by one.
import { afterEach, expect, test, vi } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import type { SessionView } from '../../../src/worker/client/session-view.ts'
import { problemsOf } from '../../kit/check-log.ts'
import { gate } from '../../kit/gate.ts'
import { type Reply, text, toolCall } from '../../kit/replies.ts'
import { type ScriptedModel, scriptedModel } from '../../kit/scripted-model.ts'
import { type Browser, openBrowser, type Tab, viewWhere } from '../../kit/several-tabs.ts'

vi.setConfig({ testTimeout: 20_000 }) // the machine may be busy

const browsers: Browser[] = []
afterEach(() => {
  for (const browser of browsers.splice(0)) browser.close()
})

type World = {
  readonly browser: Browser
  readonly model: ScriptedModel
  readonly tabs: readonly Tab[]
  readonly views: readonly ClientSession[]
}

/** The first tab makes the session and drives it; all look at it. */
const world = async (replies: readonly Reply[], count = 2): Promise<World> => {
  const model = scriptedModel(replies)
  const browser = openBrowser({ model })
  browsers.push(browser)
  const first = await browser.open()
  const session = await first.client.sessions.create()
  const views = [session]
  for (let i = 1; i < count; i++) views.push(await (await browser.open()).client.sessions.open(session.id))
  return { browser, model, tabs: browser.tabs, views }
}

const says = (words: string) => (view: SessionView) => JSON.stringify(view.transcript).includes(words)
const atRest = (words: string) => (view: SessionView) => says(words)(view) && view.live?.status === 'idle' && view.stored === view.length

const stored = ({ browser, views }: World): Promise<readonly SessionEvent[]> => browser.stores.sessions.read(views[0]!.id, { after: -1 })
const typed = (events: readonly SessionEvent[], type: SessionEvent['type']) => events.filter((event) => event.type === type)

test('S9 a second tab opens the same session and sees the reply stream while the first one drives', async () => {
  const half = gate()
  const { views } = await world([text('half and whole', { chunks: ['half', half, ' and whole'] })])
  const [a, b] = views as [ClientSession, ClientSession]
  expect([a.view.live?.driver, b.view.live?.driver]).toEqual(['here', 'elsewhere'])
  await a.send('go')
  await half.reached
  await viewWhere(b, says('half'))
  half.open()
  const view = await viewWhere(b, atRest('half and whole'))
  await viewWhere(a, atRest('half and whole'))
  expect(view.transcript).toEqual(a.view.transcript)
})

test('S9 prompts, steering, edits of the queue, a name and a stop of a second tab go to the driver', async () => {
  const first = gate()
  const made = await world([text('one', { chunks: ['o', first, 'ne'] }), text('two'), text('three')])
  const [a, b] = made.views as [ClientSession, ClientSession]
  await b.send('from b', { messageId: 'b1' })
  await first.reached
  await b.send('waits', { messageId: 'b2' })
  await b.send('never', { messageId: 'b3' })
  await b.queue.edit('b2', 'edited')
  await b.queue.move('b3', 'b2')
  await viewWhere(a, ({ live }) => live?.waiting.map(({ id }) => id).join() === 'b3,b2')
  await b.queue.remove('b3')
  await made.tabs[1]!.client.sessions.rename(b.id, 'Named by b')
  await b.cancel('enough', { queue: 'hold' })
  await viewWhere(b, ({ live }) => live?.held === true && live.status === 'idle')
  await b.steer('and this')
  await viewWhere(a, atRest('and this'))
  const events = await stored(made)
  expect(
    typed(events, 'user/message')
      .map(({ data }) => JSON.stringify(data))
      .join(),
  ).toMatch(/from b.*edited.*and this/)
  expect(JSON.stringify(events)).not.toContain('never')
  expect((await made.tabs[0]!.client.sessions.list())[0]?.title).toBe('Named by b')
  expect(problemsOf(events)).toEqual([])
})

test('S9 a question is answered from another tab, an equal answer again is an acknowledgement, another one is refused', async () => {
  const made = await world([toolCall('ask_user', { questions: [{ text: 'Which day?' }] }, 'c1'), text('Friday it is.')])
  const [a, b] = made.views as [ClientSession, ClientSession]
  await a.send('plan')
  await viewWhere(b, ({ pending }) => pending.length === 1)
  const answers = [{ id: 'q1', chosen: [], text: 'Friday' }]
  await b.answer('c1', answers)
  await viewWhere(a, atRest('Friday it is.'))
  await b.answer('c1', answers)
  await expect(b.answer('c1', null)).rejects.toMatchObject({ code: 'command/invalid', name: 'SideloopError' })
  expect(typed(await stored(made), 'question/answered').length).toBe(1)
})

test('S9 H6 an error of the driver crosses to the tab that asked, with its code', async () => {
  const { views } = await world([])
  await expect(views[1]!.queue.edit('nope', 'x')).rejects.toMatchObject({ name: 'SideloopError', code: 'command/invalid' })
})

test('S9 S10 events() of every tab gives the stored log, in order, without gap or repeat', async () => {
  const pieces = Array.from({ length: 2500 }, (_, i) => `${i} `)
  const made = await world([text(pieces.join(''), { chunks: pieces })], 3)
  await made.views[2]!.send('count')
  const read = async (session: ClientSession): Promise<readonly SessionEvent[]> => {
    const seen: SessionEvent[] = []
    for await (const event of session.events({ after: -1 })) {
      seen.push(event)
      if (event.type === 'turn/end') break
    }
    return seen
  }
  const all = await Promise.all(made.views.map(read))
  const events = await stored(made)
  for (const seen of all) expect(seen).toEqual(events)
})

test('S9 when the driver dies in the middle of a reply, another tab repairs, drives and goes on', async () => {
  const half = gate()
  const made = await world([text('half', { chunks: ['half', half] }), text('the rest')], 3)
  const [, b, c] = made.views as [ClientSession, ClientSession, ClientSession]
  await b.send('go')
  await half.reached
  await viewWhere(c, (view) => says('half')(view) && view.stored === view.length)
  made.tabs[0]!.kill()
  const view = await viewWhere(b, ({ run }) => run.kind === 'paused')
  expect(view.run).toMatchObject({ by: { kind: 'interrupted' } })
  await viewWhere(c, ({ run }) => run.kind === 'paused')
  expect([b.view.live?.driver, c.view.live?.driver]).toEqual(['here', 'elsewhere'])
  await c.continue()
  await viewWhere(b, atRest('the rest'))
  await viewWhere(c, atRest('the rest'))
  const events = await stored(made)
  expect(problemsOf(events)).toEqual([])
  expect(b.view.length).toBe(events.length)
  expect(b.view.transcript).toEqual(c.view.transcript)
})

test('S9 what a dead driver showed and never stored is taken back, and the views are those of the log', async () => {
  const half = gate()
  const end = gate()
  const made = await world([text('seen only', { chunks: ['seen', half, ' only', end] }), text('fresh')], 2)
  const [a, b] = made.views as [ClientSession, ClientSession]
  await a.send('go')
  await half.reached
  await viewWhere(b, (view) => view.stored === view.length)
  half.open()
  await viewWhere(b, (view) => says('seen only')(view) && view.stored < view.length)
  made.tabs[0]!.kill()
  await viewWhere(b, ({ run, stored: on, length }) => run.kind === 'paused' && on === length)
  const events = await stored(made)
  expect(b.view.length).toBe(events.length)
  await b.continue()
  await viewWhere(b, atRest('fresh'))
})

test('S9 L16 a question that waits survives the death of its driver, and is answered from the tab that took over', async () => {
  const made = await world([toolCall('ask_user', { questions: [{ text: 'Which day?' }] }, 'c1'), text('Friday it is.')], 2)
  const [a, b] = made.views as [ClientSession, ClientSession]
  await a.send('plan')
  await viewWhere(b, ({ pending, stored: on, length }) => pending.length === 1 && on === length)
  made.tabs[0]!.kill()
  await viewWhere(b, ({ live }) => live?.driver === 'here')
  expect(b.view.run).toMatchObject({ kind: 'waiting', on: 'answer' })
  await b.answer('c1', [{ id: 'q1', chosen: [], text: 'Friday' }])
  await viewWhere(b, atRest('Friday it is.'))
  expect(problemsOf(await stored(made))).toEqual([])
})

test('S9 S13 a session that another tab drives can be deleted, and every tab is told that it is gone', async () => {
  const made = await world([text('ok')], 3)
  await made.views[0]!.send('hi')
  await viewWhere(made.views[2]!, atRest('ok'))
  await made.tabs[1]!.client.sessions.remove(made.views[0]!.id)
  for (const session of made.views)
    expect((await viewWhere(session, ({ closed }) => closed !== undefined)).closed?.code).toBe('session/unknown')
  expect(await made.tabs[0]!.client.sessions.list()).toEqual([])
})

test('S9 a tool that one tab wants to be asked about is asked about in a session that another tab drives', async () => {
  const { tabs, views } = await world([toolCall('list_files', {}), text('ok')])
  const [driver, follower] = views as [ClientSession, ClientSession]
  await tabs[1]?.client.host.people.ask({ tools: ['list_files'] })
  await vi.waitFor(async () => expect(await tabs[0]?.client.host.people.asked({})).toEqual(['list_files']))
  await follower.send('go')
  await viewWhere(driver, ({ pending }) => pending.length === 1)
})

test('S9 H4 a session that is deleted in one tab while another one streams is told to be gone in both', async () => {
  const half = gate()
  const { tabs, views } = await world([text('half and whole', { chunks: ['half', half, ' and whole'] })])
  const [driver, follower] = views as [ClientSession, ClientSession]
  await driver.send('go')
  await viewWhere(follower, says('half'))
  await tabs[1]?.client.sessions.remove(driver.id)
  for (const view of views) await viewWhere(view, ({ closed }) => closed?.code === 'session/unknown')
  half.open()
})
