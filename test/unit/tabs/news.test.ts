// S9 what one tab changes, the others are told: the list of sessions, settings.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { text } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'
import { type Browser, openBrowser, type Tab, viewWhere } from '../../kit/several-tabs.ts'

vi.setConfig({ testTimeout: 20_000 }) // the machine may be busy

const browsers: Browser[] = []
afterEach(() => {
  for (const browser of browsers.splice(0)) browser.close()
})

const world = async () => {
  const browser = openBrowser({ model: scriptedModel([text('one'), text('two')]) })
  browsers.push(browser)
  const [a, b] = [await browser.open(), await browser.open()]
  return { browser, a, b }
}

/** What a tab is told from now on; `next` resolves with the next word of that kind. */
const hearing = (tab: Tab) => {
  const heard: string[] = []
  const waiting = new Set<() => void>()
  const stop = tab.client.news.subscribe((about) => {
    heard.push(about)
    for (const look of waiting) look()
  })
  const next = (about: string): Promise<void> => {
    const from = heard.length
    return new Promise((resolve) => {
      const look = (): void => {
        if (!heard.slice(from).includes(about)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
    })
  }
  return { heard, next, stop }
}

const titles = async (tab: Tab): Promise<readonly string[]> => (await tab.client.sessions.list()).map(({ title }) => title)

describe('S9 another tab, and the own one, are told that the list of sessions changed', () => {
  test('when a session is created, renamed, forked and deleted', async () => {
    const { a, b } = await world()
    const [here, there] = [hearing(a), hearing(b)]
    const both = () => Promise.all([here.next('sessions'), there.next('sessions')])

    const created = both()
    const session = await a.client.sessions.create({ title: 'Trip' })
    await created
    expect(await titles(b)).toEqual(['Trip'])

    const renamed = both()
    await b.client.sessions.rename(session.id, 'Journey')
    await renamed
    expect(await titles(a)).toEqual(['Journey'])

    const forked = both()
    const fork = await a.client.sessions.fork(session.id, (await a.client.host.log.read({ sessionId: session.id, after: -1 })).length)
    await forked
    expect(await titles(b)).toContain('Journey (fork)')

    const removed = both()
    await b.client.sessions.remove(fork)
    await removed
    expect(await titles(a)).toEqual(['Journey'])
  })

  test('when a turn begins and ends, and not with every piece of a reply', async () => {
    const { a, b } = await world()
    const session = await a.client.sessions.create({ title: 'Trip' })
    const there = hearing(b)
    const done = there.next('sessions')
    await session.send('go')
    await viewWhere(session, ({ live, usage, stored, length }) => live?.status === 'idle' && usage.calls === 1 && stored === length)
    await done
    expect(there.heard.length).toBeLessThan(6)
    expect(await b.client.sessions.list()).toMatchObject([{ turns: 1, status: 'idle' }])
  })

  test('when a session is imported', async () => {
    const { a, b } = await world()
    const session = await a.client.sessions.create({ title: 'Trip' })
    const { file } = await a.client.sessions.export(session.id)
    const told = hearing(b).next('sessions')
    await a.client.sessions.import(file)
    await told
    expect(await titles(b)).toEqual(['Trip', 'Trip'])
  })
})

test('S9 a tab is told which setting another one changed', async () => {
  const { a, b } = await world()
  const [here, there] = [hearing(a), hearing(b)]
  const told = there.next('chosen-model')
  await a.client.host.models.choose({ options: { provider: 'test', model: 'scripted' } })
  await told
  expect(here.heard).toEqual([])
})

test('S9 what a tab of another build says is no news', async () => {
  const { browser, a } = await world()
  const { heard, next } = hearing(a)
  const { post } = browser.stranger().channels('news')
  for (const message of [{}, { about: 1 }, { name: 'sessions' }, []]) post(message)
  const told = next('sessions')
  post({ about: 'sessions' })
  await told
  expect(heard).toEqual(['sessions'])
})
