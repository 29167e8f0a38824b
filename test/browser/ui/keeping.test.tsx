// Sessions as what is kept: found, forked, reworded, exported, imported, deleted in groups, and driven by one tab of many.
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { page as browserPage } from 'vitest/browser'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { LONG_TEXT } from '../../../src/ui/state/message-words.ts'
import { UNDO_MS } from '../../../src/ui/state/removals.ts'
import { message, stepEnd, stepStart, text, turnEnd, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, memoryKeepsakes, mountApp, press, row, shownText, type, unmountAll } from './mount.tsx'

beforeAll(() => browserPage.viewport(1280, 800)) // what is in a closed drawer cannot be focused

afterEach(() => {
  unmountAll()
  vi.useRealTimers()
})

const MENU = 'What to do with this session'
const turn = (said: string, answer: string) =>
  [turnStart, userSays(said), stepStart(), message([text(answer)]), stepEnd(), turnEnd()] as const
const titles = (page: { all(selector: string): readonly HTMLElement[] }) => page.all('.session__title').map(shownText)

describe('A4 search', () => {
  const many = ['Lisbon', 'Porto', 'Garden', 'Tax', 'LISP', 'Water', 'Wood'].map((title, at) => row(`s${at}`, title))
  const field = (page: { one<E extends Element>(selector: string): E }) => page.one<HTMLInputElement>('#session-search')

  test('is there when there is something to search in, and finds a title without regard to case as one types', async () => {
    const page = await mountApp({ sessions: many })
    await type(field(page), ' lis')
    expect(titles(page)).toEqual(['Lisbon', 'LISP'])
    expect(shownText(page.one('.search [role=status]'))).toBe('2 sessions found')
    await type(field(page), 'nowhere')
    expect(shownText(page.one('.sidebar__list'))).toContain('No session has “nowhere” in its title.')
    page.button('Show all sessions').click()
    await frame()
    expect(titles(page)).toHaveLength(7)
  })

  test('arrows go from the field through the list and back, Enter opens the first, Escape shows all again and stops no turn', async () => {
    const page = await mountApp({ sessions: many, address: 's3' })
    page.session('s3').setLive({ status: 'running' })
    page.session('s3').write([turnStart, userSays('go'), stepStart()])
    await type(field(page), 'lis')
    await press(field(page), 'ArrowDown')
    expect(document.activeElement?.textContent).toContain('Lisbon')
    await press(document.activeElement as HTMLElement, 'ArrowDown')
    expect(document.activeElement?.textContent).toContain('LISP')
    await press(document.activeElement as HTMLElement, 'ArrowUp')
    await press(document.activeElement as HTMLElement, 'ArrowUp')
    expect(document.activeElement).toBe(field(page))
    await press(field(page), 'Escape')
    expect(field(page).value).toBe('')
    expect(page.of('cancel')).toEqual([])
    await type(field(page), 'port')
    await press(field(page), 'Enter')
    await expectSoon(() => expect(page.one('main').dataset.sessionId).toBe('s1'))
  })

  test('is opened by its key where there are few sessions, and goes away with Escape', async () => {
    const page = await mountApp({ sessions: many.slice(0, 2) })
    expect(page.all('#session-search')).toEqual([])
    await press(page.message(), 'k', { ctrlKey: true })
    await expectSoon(() => expect(document.activeElement).toBe(field(page)))
    await press(field(page), 'Escape')
    expect(page.all('#session-search')).toEqual([])
    expect(document.activeElement).toBe(page.message())
  })

  test('the worker is asked for what is not listed', async () => {
    const listed = Array.from({ length: 500 }, (_, at) => row(`s${at}`, `Session ${at}`))
    const page = await mountApp({ sessions: listed })
    page.setRows([row('old', 'An old one')])
    await type(field(page), 'old')
    await expectSoon(() => expect(titles(page)).toEqual(['An old one']))
    expect(page.of('list').at(-1)).toEqual([{ query: 'old', limit: 500 }])
  })
})

describe('S11 A4 forks', () => {
  const open = async (keepsakes = memoryKeepsakes()) => {
    const page = await mountApp({ sessions: [row('a', 'Trip')], address: 'a', keepsakes })
    page.session('a').write([...turn('one', 'first'), ...turn('two', 'second')])
    await frame()
    return page
  }

  test('from the edge between two turns: the fork is opened, says whose it is, and leads back', async () => {
    const page = await open()
    expect(page.all('.edge__act')).toHaveLength(2)
    page.all('.edge__act')[0]?.click()
    await expectSoon(() => expect(page.one('main').dataset.sessionId).toBe('a-fork'))
    expect(page.of('fork')).toEqual([['a', 7]])
    expect(shownText(page.one('[data-fork-of=a]'))).toBe('Forked here from Trip')
    expect(shownText(page.one('.session .session__title'))).toBe('Trip (fork)')
    page.one('[data-fork-of=a] .link-button').click()
    await expectSoon(() => expect(page.one('main').dataset.sessionId).toBe('a'))
  })

  test('the seam stands between what was taken over and what is the fork’s own', async () => {
    const page = await mountApp({
      sessions: [row('a', 'Trip'), { ...row('b', 'Mine'), forkOf: { sessionId: 'a', length: 6 } }],
      address: 'b',
    })
    page.session('b').write([...turn('one', 'first'), ['session/title', { title: 'Mine', by: 'plugin' }], ...turn('two', 'second')])
    await frame()
    const order = page.all('[data-item], [data-fork-of]').map((item) => item.dataset.item ?? 'seam')
    expect(order).toEqual(['user', 'assistant', 'seam', 'user', 'assistant'])
  })

  test('of a session that was deleted say so', async () => {
    const page = await mountApp({ sessions: [{ ...row('b', 'Mine'), forkOf: { sessionId: 'gone', length: 0 } }], address: 'b' })
    await frame()
    expect(shownText(page.one('[data-fork-of]'))).toBe('Forked here from a session that is not here any more')
  })

  test('from the menu while the agent works: of all that is stored, and the original goes on', async () => {
    const page = await open()
    page.session('a').setLive({ status: 'running' })
    page.session('a').write([turnStart, userSays('three'), stepStart()])
    await frame()
    expect(page.all('.edge__act'), 'no edge at the end of what runs').toHaveLength(2)
    await page.choose(MENU, 'Fork from here')
    await expectSoon(() => expect(page.of('fork')).toEqual([['a', 15]]))
    await expectSoon(() => expect(shownText(page.one('.notice'))).toContain('The original goes on with its work.'))
    expect(page.of('cancel')).toEqual([])
  })

  test('a message is edited in its place, and sent in a fork that ends before it', async () => {
    const page = await open()
    page.all('[data-act=reword]')[1]?.click()
    const field = (await page.soon('.reword__text')) as HTMLTextAreaElement
    expect(field.value).toBe('two')
    expect(document.activeElement).toBe(field)
    await type(field, 'two, but better')
    await press(field, 'Enter')
    await expectSoon(() => expect(page.of('send')).toEqual([['two, but better', 'message-1']]))
    expect(page.of('fork')).toEqual([['a', 7]])
    expect(page.one('main').dataset.sessionId).toBe('a-fork')
    expect(page.all('.reword')).toEqual([])
  })

  test('what is written survives a reload and a look at another session, and is gone when it was sent or left', async () => {
    const keepsakes = memoryKeepsakes()
    const page = await open(keepsakes)
    page.all('[data-act=reword]')[1]?.click()
    await type((await page.soon('.reword__text')) as HTMLTextAreaElement, 'two, but better')
    await page.app.current.open('b')
    await frame()
    expect(page.all('.reword')).toEqual([])
    await page.app.current.open('a')
    await expectSoon(() => expect(page.one<HTMLTextAreaElement>('.reword__text').value).toBe('two, but better'))
    unmountAll()

    const again = await open(keepsakes)
    const field = (await again.soon('.reword__text')) as HTMLTextAreaElement
    expect(field.value).toBe('two, but better')
    expect(document.activeElement, 'nobody asked for it just now').toBe(again.message())
    await press(field, 'Enter')
    await expectSoon(() => expect(again.of('send')).toEqual([['two, but better', 'message-1']]))
    expect(again.of('fork')).toEqual([['a', 7]])
    await again.app.current.open('a')
    await frame()
    expect(again.all('.reword')).toEqual([])

    again.all('[data-act=reword]')[0]?.click()
    await press((await again.soon('.reword__text')) as HTMLTextAreaElement, 'Escape')
    expect([...keepsakes.all.keys()].filter((name) => name.startsWith('reworded'))).toEqual([])
  })

  test('the prompt of a task is sent as a task again', async () => {
    const page = await open()
    page
      .session('a')
      .write([['task/started', { run: 'r', kind: 'explore', prompt: [text('look')] }], turnStart, userSays('look'), turnEnd()])
    await frame()
    page.all('[data-act=reword]').at(-1)?.click()
    const field = (await page.soon('.reword__text')) as HTMLTextAreaElement
    await type(field, 'look again')
    await press(field, 'Enter')
    await expectSoon(() => expect(page.of('run')).toEqual([['look again', { kind: 'explore' }, 'message-1']]))
  })

  test('Escape leaves the message as it was, gives the focus back, and stops no turn', async () => {
    const page = await open()
    page.session('a').setLive({ status: 'running' })
    await frame()
    page.all('[data-act=reword]')[0]?.click()
    const field = (await page.soon('.reword__text')) as HTMLTextAreaElement
    expect(shownText(page.one('.reword'))).toContain('This session goes on with its work.')
    await press(field, 'Escape')
    expect(page.all('.reword')).toEqual([])
    expect(document.activeElement?.getAttribute('data-act')).toBe('reword')
    expect(page.of('cancel')).toEqual([])
  })

  test('a fork that fails keeps what was written, and says why', async () => {
    const page = await open()
    page.refuse('fork', new SideloopError('storage/quota', 'There is no room left.'))
    page.all('[data-act=reword]')[0]?.click()
    const field = (await page.soon('.reword__text')) as HTMLTextAreaElement
    await type(field, 'one more')
    await press(field, 'Enter')
    await expectSoon(() =>
      expect(shownText(page.one('.reword [role=alert]'))).toBe('Not sent. There is no room left. Delete some sessions, then try again.'),
    )
    expect(page.one<HTMLTextAreaElement>('.reword__text').value).toBe('one more')
    expect(page.one('main').dataset.sessionId).toBe('a')
  })

  test('pictures and long texts of the message go along as they are', async () => {
    const page = await mountApp({ sessions: [row('a', 'Trip')], address: 'a' })
    const sent: unknown[] = []
    const forked = page.session('a-fork')
    forked.send = async (content) => void sent.push(content)
    const picture = { type: 'image', blob: 'sha256-0', mediaType: 'image/png', name: 'map.png' } as const
    const long = text('x'.repeat(LONG_TEXT))
    page
      .session('a')
      .write([turnStart, ['user/message', { id: 'm', content: [picture, text('where?'), long], source: { kind: 'user' } }], turnEnd()])
    await frame()
    page.one('[data-act=reword]').click()
    const field = (await page.soon('.reword__text')) as HTMLTextAreaElement
    expect(field.value).toBe('where?')
    expect(shownText(page.one('.reword__beside'))).toContain('map.png')
    await type(field, 'where exactly?')
    await press(field, 'Enter')
    await expectSoon(() => expect(sent).toEqual([[picture, text('where exactly?'), long]]))
  })
})

describe('S12 A4 session files', () => {
  const file = (name: string, words: string) => new File([words], name)
  const give = (page: { one<E extends Element>(selector: string): E }, ...files: readonly File[]) => {
    const all = new DataTransfer()
    for (const each of files) all.items.add(each)
    const field = page.one<HTMLInputElement>('.sidebar [data-import]')
    field.files = all.files
    field.dispatchEvent(new Event('change', { bubbles: true }))
  }

  test('a session is exported from its row and from the menu of the one on the screen', async () => {
    const page = await mountApp({ sessions: [row('a', 'One'), row('b', 'Two')], address: 'a' })
    await page.choose('What to do with “Two”', 'Export')
    await page.choose(MENU, 'Export')
    await expectSoon(() => expect(page.saved.map(({ name }) => name)).toEqual(['b.jsonl', 'a.jsonl']))
    page.refuse('export', new SideloopError('session/invalid', 'It was written by a newer version. Update first.'))
    await page.choose(MENU, 'Export')
    await expectSoon(() => expect(shownText(page.one('.notice'))).toContain('“One” was not exported. It was written by a newer version.'))
  })

  test('everything is exported from the settings, and what could not be read is named', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')] })
    page.setSkipped([{ sessionId: 'b', title: 'Two', message: 'Its log is damaged.' }])
    page.button('Settings').click()
    await page.soon('#settings-storage')
    page.button('Export all sessions').click()
    await expectSoon(() => expect(page.saved.map(({ name }) => name)).toEqual(['all.sideloop.zip']))
    await expectSoon(() =>
      expect(shownText(page.one('.notice'))).toContain('One session could not be read and is not in the file. “Two”: Its log is damaged.'),
    )
  })

  test('several files come in one after the other; the first is opened, and what was refused is told with its reason', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
    give(page, file('1.jsonl', 'x'), file('2.jsonl', 'no: line 1 is no header.'), file('3.sideloop.zip', 'y'))
    await expectSoon(() => expect(page.one('main').dataset.sessionId).toBe('x'))
    const said = page.all('.notice').map(shownText)
    expect(said[0]).toContain('“2.jsonl” was not imported. no: line 1 is no header.')
    expect(said[1]).toContain('Imported 2 sessions.')
    expect(titles(page)).toEqual(['From y', 'From x', 'One'])
  })

  test('one that takes long says so meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let arrive = () => {}
    const page = await mountApp({
      before: ({ client }) => {
        const { import: bring } = client.sessions
        const isThere = new Promise<void>((resolve) => {
          arrive = resolve
        })
        client.sessions.import = (given) => isThere.then(() => bring(given))
      },
    })
    give(page, file('big.sideloop.zip', 'x'))
    await vi.advanceTimersByTimeAsync(500)
    await frame()
    expect(shownText(page.one('.notice[data-kind=busy]'))).toContain('Importing “big.sideloop.zip”…')
    expect(page.button('Import sessions').disabled).toBe(true)
    arrive()
    await vi.waitFor(() => expect(page.all('.notice[data-kind=busy]')).toEqual([]))
  })

  test('files that are dropped on the page are imported, and what is no session file is not', async () => {
    const page = await mountApp()
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(file('1.jsonl', 'x'))
    dataTransfer.items.add(file('holiday.png', 'y'))
    page.message().dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true }))
    await frame()
    expect(shownText(page.one('.drop'))).toBe('Drop session files to import them')
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    page.message().dispatchEvent(drop)
    expect(drop.defaultPrevented, 'the browser would leave the page for the file').toBe(true)
    await expectSoon(() => expect(page.of('import')).toHaveLength(1))
    expect(page.all('.drop')).toEqual([])
    expect(page.all('.notice').map(shownText).join()).toContain('“holiday.png” is no session file.')
  })
})

describe('A4 delete with undo', () => {
  const sessions = [row('a', 'One'), row('b', 'Two'), row('c', 'Three')]
  const remove = async (page: Awaited<ReturnType<typeof mountApp>>, title: string) => page.choose(`What to do with “${title}”`, 'Delete')

  test('several in a row are one group: one word brings all of them back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const page = await mountApp({ sessions })
    await remove(page, 'One')
    await vi.advanceTimersByTimeAsync(UNDO_MS - 100)
    await remove(page, 'Three')
    await vi.advanceTimersByTimeAsync(UNDO_MS - 100)
    await frame()
    expect(page.all('.notice').map(shownText)).toEqual(['Deleted 2 sessions.Undo'])
    page.button('Undo').click()
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    await frame()
    expect(titles(page)).toEqual(['One', 'Two', 'Three'])
    expect(page.of('remove')).toEqual([])
  })

  test('one in which something was said since, in another tab, is kept', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const page = await mountApp({ sessions })
    await remove(page, 'One')
    page.setRows(sessions.map((session) => (session.title === 'One' ? { ...session, turns: session.turns + 1 } : session)))
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    await frame()
    expect(page.of('remove')).toEqual([])
    expect(titles(page)).toEqual(['One', 'Two', 'Three'])
    expect(page.all('.notice').map(shownText).join()).toContain('“One” was kept')
  })

  test('another notice does not take the undo away', async () => {
    const page = await mountApp({ sessions })
    await remove(page, 'One')
    page.app.notices.show({ kind: 'error', text: 'Something else.' })
    await frame()
    page.button('Undo').click()
    await frame()
    expect(titles(page)).toEqual(['One', 'Two', 'Three'])
  })

  test('the one on the screen comes back to the screen', async () => {
    const page = await mountApp({ sessions, address: 'b' })
    await page.choose(MENU, 'Delete')
    expect(page.one('main').dataset.sessionId).toBeUndefined()
    page.button('Undo').click()
    await expectSoon(() => expect(page.one('main').dataset.sessionId).toBe('b'))
  })

  test('what another tab took back is not removed here', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const keepsakes = memoryKeepsakes()
    const page = await mountApp({ sessions, keepsakes })
    await remove(page, 'One')
    await remove(page, 'Two')
    keepsakes.set('pending-removals', 'b')
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(page.of('remove')).toEqual([['b']])
    await frame()
    expect(titles(page)).toEqual(['One', 'Three'])
  })

  test('one that could not be deleted is in the list again, with the reason', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const page = await mountApp({ sessions })
    page.refuse('remove', new SideloopError('storage/unavailable', 'The browser forbids it. Allow site data.'))
    await remove(page, 'One')
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    await frame()
    expect(titles(page)).toEqual(['One', 'Two', 'Three'])
    expect(shownText(page.one('.notice'))).toContain('“One” was not deleted. The browser forbids it.')
  })
})
