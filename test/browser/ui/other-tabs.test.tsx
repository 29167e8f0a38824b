// What other tabs change is shown here at once: the list of sessions, and the models that can be chosen.
import { afterEach, describe, test, vi } from 'vitest'
import { expect, expectSoon, mountApp, row, shownText, unmountAll } from './mount.tsx'

afterEach(() => {
  vi.useRealTimers()
  unmountAll()
})

const fakeClock = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })

describe('S9 a change in another tab', () => {
  test('a new name is in the list and above the conversation, and a deleted session is gone', async () => {
    const page = await mountApp({ sessions: [row('a', 'Trip'), row('b', 'Other')], address: 'a' })
    page.setRows([row('a', 'Journey')])
    page.tell('sessions')
    await expectSoon(() => expect(shownText(page.one('.top__title'))).toBe('Journey'))
    expect(shownText(page.one('.sidebar__list'))).not.toContain('Other')
  })

  test('nothing is asked for while nothing was told', async () => {
    fakeClock()
    const page = await mountApp({ sessions: [row('a', 'Trip')] })
    const asked = page.of('list').length
    vi.advanceTimersByTime(60_000)
    expect(page.of('list')).toHaveLength(asked)
  })

  test('a session that runs elsewhere is looked at now and then: a tab that dies tells nobody', async () => {
    fakeClock()
    const page = await mountApp({ sessions: [row('a', 'Trip', 'running')] })
    page.setRows([row('a', 'Trip')])
    vi.advanceTimersByTime(10_000)
    await expectSoon(() => expect(page.all('.sidebar__list [data-status=running]')).toEqual([]))
  })

  test('providers that were added there can be chosen here', async () => {
    const page = await mountApp()
    page.addProvider({ id: 'x', label: 'Lab', api: 'openai-chat', baseUrl: 'https://x.example/v1', models: ['m'], hasKey: true })
    page.tell('providers')
    await expectSoon(() => expect(shownText(page.one('select[aria-label=Model]'))).toContain('m'))
  })
})
