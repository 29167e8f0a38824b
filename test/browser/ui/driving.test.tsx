// One session in many tabs as the page shows it, the menu of a session, the storage in the settings, and long texts that are pasted.
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { page as browserPage, cdp } from 'vitest/browser'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { stepStart, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, mountApp, press, row, shownText, type, unmountAll } from './mount.tsx'

beforeAll(() => browserPage.viewport(1280, 800))

afterEach(() => {
  unmountAll()
  vi.useRealTimers()
})

const MENU = 'What to do with this session'
const open = (driver: 'here' | 'elsewhere' = 'here') =>
  mountApp({
    sessions: [row('a', 'One'), row('b', 'Two')],
    address: 'a',
    before: (scripted) => scripted.session('a').setLive({ driver }),
  })

test('S9 a session that is deleted in another tab while it works is told in plain words, and works no more', async () => {
  const page = await open()
  page.session('a').setLive({ status: 'running' })
  page.session('a').write([turnStart, userSays('go'), stepStart()])
  await frame()
  expect(page.one('main').dataset.runState).toBe('running')
  page.session('a').go({ code: 'session/unknown', message: 'There is no session "1ec7745a-918a-4af4-83ce-d1b81576f69a" here.' })
  await frame()
  expect(page.one('main').dataset.runState).toBe('idle')
  expect(shownText(page.one('[data-banner=closed]'))).toContain('This session was deleted, or the browser removed it.')
  expect(page.all('button').map((button) => button.getAttribute('aria-label'))).not.toContain('Stop')
})

describe('S9 H7 who drives', () => {
  test('nothing is said of a session that is driven here', async () => {
    const page = await open()
    expect(page.all('.driver')).toEqual([])
  })

  test('one that is driven elsewhere says so, and everything else is as it is', async () => {
    const page = await open('elsewhere')
    expect(shownText(page.one('.driver'))).toBe('Driven by another tabTake over here')
    await type(page.message(), 'hello')
    await press(page.message(), 'Enter')
    await expectSoon(() => expect(page.of('send')).toHaveLength(1))
  })

  test('is taken over with a click, says so meanwhile, and the focus goes to where one writes', async () => {
    const page = await open('elsewhere')
    let taken = () => {}
    page.client.tabs.takeOver = () =>
      new Promise((resolve) => {
        taken = resolve
      })
    page.button('Take over here').focus()
    page.button('Take over here').click()
    await frame()
    expect(shownText(page.one('.driver'))).toContain('Taking over')
    page.session('a').setLive({ driver: 'here' })
    taken()
    await frame()
    expect(page.all('.driver')).toEqual([])
    expect(page.all('.notice')).toEqual([])
    expect(document.activeElement).toBe(page.message())
  })

  test('one that was not taken over says why', async () => {
    const page = await open('elsewhere')
    page.refuse('takeOver', new SideloopError('session/busy', 'Another tab was faster. Try once more.'))
    await page.choose(MENU, 'Take over here')
    await expectSoon(() => expect(shownText(page.one('.notice'))).toContain('The session was not taken over. Another tab was faster.'))
  })

  test('one that was taken away says so calmly, and so does one that came here by itself', async () => {
    const page = await open()
    page.session('a').setLive({ driver: 'elsewhere' })
    await frame()
    expect(shownText(page.one('.notice'))).toBe('Another tab drives this session now. You can go on here as before.')
    page.session('a').setLive({ driver: 'here' })
    await frame()
    expect(page.all('.notice').map(shownText).at(-1)).toBe('This tab drives the session now: the other one has left it.')
  })

  test('how a session stands when it is opened is no news', async () => {
    const page = await mountApp({
      sessions: [row('a', 'One'), row('b', 'Two')],
      address: 'a',
      before: (scripted) => scripted.session('b').setLive({ driver: 'elsewhere' }),
    })
    await page.app.current.open('b')
    await frame()
    expect(page.all('.driver')).toHaveLength(1)
    expect(page.all('.notice')).toEqual([])
  })

  test('the list shows what other tabs do, without anybody asking', async () => {
    const page = await open()
    page.setRows([row('a', 'One'), row('b', 'Two', 'running')])
    page.tell('sessions')
    await expectSoon(() => expect(page.all('.dot').map((dot) => dot.dataset.status)).toEqual(['idle', 'running']))
    const before = page.app.list.listing.value
    await page.app.list.refresh()
    expect(page.app.list.listing.value, 'what did not change is not drawn again').toBe(before)
  })
})

describe('A4 A9 the menu of a session', () => {
  const items = (page: { all(selector: string): readonly HTMLElement[] }) => page.all('[role=menuitem]').map(shownText)

  test('arrows, first letters, Home and End go through it; Escape closes it, gives the focus back and stops no turn', async () => {
    const page = await open()
    page.session('a').setLive({ status: 'running' })
    page.session('a').write([turnStart, userSays('go'), stepStart()])
    await frame()
    const button = page.button(MENU)
    button.focus()
    await press(button, 'ArrowDown')
    expect(items(page)).toEqual(['Rename', 'Fork from here', 'Sum up older messagesWhen the agent is done', 'Export', 'Delete'])
    const now = () => shownText(document.activeElement as HTMLElement)
    const key = (name: string) => press(document.activeElement as HTMLElement, name)
    expect(now()).toBe('Rename')
    await key('ArrowUp')
    expect(now()).toBe('Delete')
    await key('ArrowDown')
    expect(now()).toBe('Rename')
    await key('e')
    expect(now()).toBe('Export')
    await key('Home')
    await key('End')
    expect(now()).toBe('Delete')
    await key('Escape')
    expect(items(page)).toEqual([])
    expect(document.activeElement).toBe(button)
    expect(page.of('cancel')).toEqual([])
  })

  test('a press outside closes it', async () => {
    const page = await open()
    page.button(MENU).click()
    await frame()
    page.message().dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
    await frame()
    expect(items(page)).toEqual([])
  })

  test('renames in the bar above', async () => {
    const page = await open()
    await page.choose(MENU, 'Rename')
    const field = page.one<HTMLInputElement>('.top .session__rename')
    expect(document.activeElement).toBe(field)
    await type(field, 'Uno')
    await press(field, 'Enter')
    await expectSoon(() => expect(shownText(page.one('.top__title'))).toBe('Uno'))
    expect(document.activeElement).toBe(page.button(MENU))
  })

  test('sums up older messages, and tells how that ended', async () => {
    const page = await open()
    page.setCompaction({ outcome: 'unchanged', detail: 'The conversation is short.' })
    await page.choose(MENU, 'Sum up older messages')
    await expectSoon(() => expect(shownText(page.one('.notice'))).toBe('Nothing was summed up. The conversation is short.'))
    page.setCompaction({ outcome: 'done' })
    await page.choose(MENU, 'Sum up older messages')
    await expectSoon(() => expect(page.all('.notice').map(shownText).at(-1)).toContain('Older messages are summed up'))
  })

  test('what cannot be done now says why, and does nothing', async () => {
    const page = await open()
    page.session('a').setLive({ status: 'running' })
    await frame()
    await page.choose(MENU, 'Sum up older messages')
    expect(page.of('compact')).toEqual([])
    expect(items(page)).not.toEqual([])
  })
})

describe('S4 A7 storage', () => {
  test('a database that the browser threw away is told in plain words until the person has read it', async () => {
    const page = await mountApp()
    page.tell('data-loss')
    await frame()
    expect(page.all('.notice[data-kind=error]').map(shownText)).toEqual([expect.stringContaining('had to begin an empty one')])
  })

  const openSettings = async (before: Parameters<typeof mountApp>[0]) => {
    const page = await mountApp(before ?? {})
    page.button('Settings').click()
    const section = (await page.soon('.settings [aria-labelledby=settings-storage] .storage__words')).closest('section')
    return { page, words: () => shownText(section ?? page.place) }
  }

  test('shows about how much is used of how much, and that the browser may remove it', async () => {
    const { page, words } = await openSettings({})
    expect(words()).toContain('About 11.4 MB of 1.9 GB used')
    expect(words()).toContain('The browser may remove the data by itself')
    expect(page.one<HTMLMeterElement>('.storage__bar').value).toBeCloseTo(0.006)
  })

  test('what the browser does not say is not made up', async () => {
    const { page, words } = await openSettings({
      before: ({ setStorage }) => setStorage({ usage: 2048, quota: undefined, persisted: undefined }),
    })
    expect(words()).toContain('About 2.0 KB used. This browser does not say how much there is room for.')
    expect(words()).toContain('This browser does not say whether it keeps the data for good.')
    expect(page.all('.storage__bar')).toEqual([])
    page.button('Ask the browser to keep it').click()
    await expectSoon(() => expect(words()).toContain('It could not be asked.'))
  })

  test('the browser is asked to keep it, and its answer is told plainly', async () => {
    const { page, words } = await openSettings({})
    page.button('Ask the browser to keep it').click()
    await expectSoon(() => expect(words()).toContain('It was asked and did not agree.'))
    page.setStorage({ usage: 1, quota: 100, persisted: true }, true)
    page.button('Ask again').click()
    await expectSoon(() => expect(words()).toContain('The browser keeps the data until you delete it.'))
    expect(page.all('.storage__keep .button')).toEqual([])
  })

  test('little room is said before none is left', async () => {
    const { words } = await openSettings({ before: ({ setStorage }) => setStorage({ usage: 95, quota: 100, persisted: true }) })
    expect(words()).toContain('There is little room left. When none is left, nothing more can be saved')
  })

  test('a store that fails says what to do, shows the storage, is tried again, and the banner goes by itself', async () => {
    const page = await open()
    page.session('a').setLive({ storage: { kind: 'failed', code: 'storage/quota', message: 'No room left. Delete old sessions.' } })
    await frame()
    page.button('Show storage').click()
    await page.soon('.settings[open] #settings-storage')
    page.button('Close the settings').click()
    page.button('Try again').click()
    expect(page.of('save')).toHaveLength(1)
    page.session('a').setLive({ storage: { kind: 'ok' } })
    await frame()
    expect(page.all('.banner')).toEqual([])
  })
})

describe('A3 a long text that is pasted', () => {
  const paste = (field: HTMLTextAreaElement, text: string): Event => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    field.dispatchEvent(event)
    return event
  }
  const MEGABYTE = 'The quick brown fox jumps over the lazy dog, again.\n'.repeat(20_000)

  test('stands beside the message, and goes along with it', async () => {
    const page = await open()
    const sent: unknown[] = []
    page.session('a').send = async (content) => void sent.push(content)
    expect(paste(page.message(), 'a few words').defaultPrevented).toBe(false)
    expect(paste(page.message(), MEGABYTE).defaultPrevented).toBe(true)
    await frame()
    expect(shownText(page.one('[data-pasted]'))).toContain('Pasted text 1016 KB')
    expect(page.message().value).toBe('')
    await type(page.message(), 'sum this up')
    await press(page.message(), 'Enter')
    expect(page.all('[data-pasted]')).toEqual([])
    await expectSoon(() =>
      expect(sent).toEqual([
        [
          { type: 'text', text: 'sum this up' },
          { type: 'text', text: MEGABYTE },
        ],
      ]),
    )
  })

  test('stands beside the message, too, when it was dropped into the field, and the words around it stay', async () => {
    const page = await open()
    await type(page.message(), 'before after')
    await type(page.message(), `before ${MEGABYTE}after`)
    expect(page.message().value).toBe('before after')
    expect(shownText(page.one('[data-pasted]'))).toContain('Pasted text 1016 KB')
    page.message().focus()
    const session = cdp() as { send(method: string, params: object): Promise<unknown> }
    await session.send('Input.insertText', { text: MEGABYTE }) // as from a keyboard that dictates
    await frame()
    expect([page.message().value, page.all('[data-pasted]').length]).toEqual(['before after', 2])
    await type(page.message(), 'before and after')
    expect([page.message().value, page.all('[data-pasted]').length]).toEqual(['before and after', 2])
  })

  test('is kept with the draft, can be removed, and comes back when it could not be sent', async () => {
    const page = await open()
    paste(page.message(), MEGABYTE)
    await frame()
    await page.app.current.open('b')
    await frame()
    expect(page.all('[data-pasted]')).toEqual([])
    await page.app.current.open('a')
    await frame()
    expect(page.all('[data-pasted]')).toHaveLength(1)
    page.refuse('send', new SideloopError('storage/quota', 'No room.'))
    page.button('Send').click()
    await expectSoon(() => expect(shownText(page.one('.composer__failure'))).toContain('Not sent. No room.'))
    await expectSoon(() => expect(page.all('[data-pasted]')).toHaveLength(1))
    page.button('Remove the pasted text').click()
    await frame()
    expect(page.all('[data-pasted]')).toEqual([])
    expect(document.activeElement).toBe(page.message())
  })

  test('one that is not too long can be put into the message after all', async () => {
    const page = await open()
    paste(page.message(), 'x'.repeat(12_000))
    await frame()
    page.button('Put the pasted text into the message').click()
    await frame()
    expect(page.message().value).toBe('x'.repeat(12_000))
  })
})

test('A3 nothing is sent that is longer than a message may be, and says how long it is', async () => {
  const page = await mountApp()
  await page.app.sending.send('x'.repeat(4_000_001), 'turn')
  await frame()
  expect(page.of('create')).toEqual([])
  expect(document.querySelector('.composer [role=alert]')?.textContent).toMatch(/4,000,001 characters.*4,000,000/)
})
