// What other tabs change is shown here at once: the list of sessions, and the models that can be chosen.
import { afterEach, describe, test, vi } from 'vitest'
import { expect, expectSoon, frame, mountApp, press, row, shownText, type, unmountAll } from './mount.tsx'

afterEach(() => {
  vi.useRealTimers()
  unmountAll()
})

const lab = { id: 'x', label: 'Lab', api: 'openai-chat', baseUrl: 'https://x.example/v1', models: ['m'], hasKey: true } as const

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

  test('a page that cannot be seen looks when it is shown, and not before', async () => {
    const page = await mountApp({ sessions: [row('a', 'Trip')] })
    const asked = page.of('list').length
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    page.tell('sessions')
    expect(page.of('list')).toHaveLength(asked)
    hidden.mockRestore()
    document.dispatchEvent(new Event('visibilitychange'))
    await expectSoon(() => expect(page.of('list')).toHaveLength(asked + 1))
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
    page.addProvider(lab)
    page.tell('providers')
    await expectSoon(() => expect(shownText(page.one('select[aria-label=Model]'))).toContain('m'))
  })
})

describe('A1 a provider is removed while a session uses it', () => {
  const using = async () => {
    const page = await mountApp({ sessions: [row('s', 'Trip')], before: (scripted) => scripted.addProvider(lab) })
    await page.app.current.open('s')
    page.session('s').setLive({ options: { provider: 'x', model: 'm' } })
    await frame()
    return page
  }
  type Page = Awaited<ReturnType<typeof using>>
  const notices = (page: Page) => page.all('.notice').map((notice) => shownText(notice.querySelector('.notice__text') ?? notice))
  const picked = (page: Page) => page.one<HTMLSelectElement>('select.picker').selectedOptions[0]?.textContent

  test.each(['here', 'in another tab'])('%s: it keeps its model, which says so, and nothing else is chosen by itself', async (where) => {
    const page = await using()
    if (where === 'here') await page.app.models.remove('x')
    else {
      page.removeProvider('x')
      page.tell('providers')
    }
    await expectSoon(() => expect(picked(page)).toBe('Provider removed: m'))
    expect(notices(page)).toEqual([
      '“Lab” was removed. This session keeps its model, which cannot answer any more: choose another one to go on.',
    ])
    expect([page.of('configure'), page.of('models.choose')]).toEqual([[], []])
  })

  test('a message says what to do instead of being sent, and is sent when that is done', async () => {
    const page = await using()
    await page.app.models.remove('x')
    await type(page.message(), 'hello')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(shownText(page.one('.composer__failure'))).toContain('Choose another model'))
    expect([page.of('send'), page.message().value]).toEqual([[], 'hello'])
    const demo = page.app.models.choices.value[0]
    if (demo !== undefined) await page.app.models.pick(demo)
    expect(notices(page), 'done, so it need not be read').toEqual([])
    page.session('s').setLive({ options: { provider: 'demo', model: 'demo' } })
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('send')).toHaveLength(1))
  })

  test('one that was added again in another tab is found before a message is refused', async () => {
    const page = await using()
    await page.app.models.remove('x')
    page.addProvider(lab)
    await type(page.message(), 'hello')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('send')).toHaveLength(1))
  })

  test('what new sessions begin with is said, where that was of the removed one', async () => {
    const page = await mountApp({ before: (scripted) => scripted.addProvider(lab) })
    await page.app.models.pick(page.app.models.choices.value[1] ?? { provider: '', model: '', label: '' })
    await page.app.models.remove('x')
    await frame()
    expect(notices(page)).toEqual(['“Lab” was removed. New sessions begin with “Demo” now.'])
  })

  test('nobody is bothered who does not use it', async () => {
    const page = await mountApp({ before: (scripted) => scripted.addProvider(lab) })
    await page.app.models.remove('x')
    await frame()
    expect(notices(page)).toEqual([])
  })
})
