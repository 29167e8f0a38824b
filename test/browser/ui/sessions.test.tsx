// Sessions, files, settings, banners: what stands around the conversation.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import { UNDO_MS } from '../../../src/ui/state/removals.ts'
import { stepStart, turnEnd, turnStart, userSays } from '../../unit/projections/build-log.ts'
import { expectSoon, frame, memoryKeepsakes, mountApp, press, row, shownText, type, unmountAll } from './mount.tsx'

afterEach(() => {
  unmountAll()
  vi.useRealTimers()
})

const titles = (rows: readonly HTMLElement[]) => rows.map((item) => shownText(item))

describe('A1 the first minute', () => {
  test('says honestly who answers, and a suggested task starts with one click', async () => {
    const page = await mountApp()
    expect(shownText(page.one('.welcome__model'))).toContain('a set of rules, not a language model')
    expect(page.all('.task')).toHaveLength(4)
    page.one('.task').click()
    await expectSoon(() => expect(page.of('send')).toHaveLength(1))
    expect(page.one('main').dataset.sessionId).toBe('session-1')
    expect(page.address()).toBe('session-1')
  })

  test('a provider that was chosen is named, and what is sent to it is said', async () => {
    const page = await mountApp({
      before: (scripted) => {
        scripted.addProvider({
          id: 'ollama',
          label: 'Ollama',
          api: 'openai-chat',
          baseUrl: 'http://localhost:11434/v1',
          models: ['llama'],
          hasKey: false,
        })
      },
    })
    await page.app.models.pick({ provider: 'ollama', model: 'llama', label: 'llama' })
    await frame()
    expect(shownText(page.one('.welcome__model'))).toContain('llama answers. What you write is sent to that provider.')
    expect(page.of('models.choose')).toEqual([[{ provider: 'ollama', model: 'llama' }]])
  })

  test('the browser’s own model is on this device, which is said', async () => {
    const page = await mountApp()
    await page.app.models.pick({ provider: 'built-in', model: 'built-in', label: 'Built-in model' })
    await frame()
    expect(shownText(page.one('.welcome__model'))).toContain('on this device: nothing you write leaves it')
  })
})

describe('A4 sessions', () => {
  const sessions = [row('a', 'One', 'running'), row('b', 'Two', 'failed')]

  test('are listed with their state, and opened with a click', async () => {
    const page = await mountApp({ sessions })
    expect(titles(page.all('.session__title'))).toEqual(['One', 'Two'])
    expect(page.all('.dot').map((dot) => dot.dataset.status)).toEqual(['running', 'failed'])
    page.all('.session__open')[1]?.click()
    await expectSoon(() => expect(page.one('main').dataset.sessionId).toBe('b'))
    expect(page.one('[aria-current=page]').textContent).toContain('Two')
  })

  test('the one that was open last is opened again, and the address wins', async () => {
    const keepsakes = memoryKeepsakes({ 'last-session': 'b' })
    const page = await mountApp({ sessions, keepsakes })
    expect(page.one('main').dataset.sessionId).toBe('b')
    unmountAll()
    const other = await mountApp({ sessions, keepsakes, address: 'a' })
    expect(other.one('main').dataset.sessionId).toBe('a')
  })

  test('are renamed in place; Escape leaves the name as it was', async () => {
    const page = await mountApp({ sessions })
    await page.choose('What to do with “One”', 'Rename')
    const field = (await page.soon('.session__rename')) as HTMLInputElement
    await type(field, 'Uno')
    await press(field, 'Escape')
    expect(page.of('rename')).toEqual([])
    await page.choose('What to do with “One”', 'Rename')
    const again = (await page.soon('.session__rename')) as HTMLInputElement
    await type(again, 'Uno')
    await press(again, 'Enter')
    await expectSoon(() => expect(titles(page.all('.session__title'))).toEqual(['Uno', 'Two']))
  })

  test('a deleted one is gone at once, comes back with undo, and is removed after its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const page = await mountApp({ sessions })
    await page.choose('What to do with “One”', 'Delete')
    await frame()
    expect(titles(page.all('.session__title'))).toEqual(['Two'])
    page.button('Undo').click()
    await frame()
    expect(titles(page.all('.session__title'))).toEqual(['One', 'Two'])
    await page.choose('What to do with “Two”', 'Delete')
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(page.of('remove')).toEqual([['b']])
  })

  test('one that was deleted just before the page was left stays gone, can be brought back for as long again, and is then removed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const keepsakes = memoryKeepsakes({ 'pending-removals': 'a' })
    const page = await mountApp({ sessions, keepsakes })
    expect(titles(page.all('.session__title'))).toEqual(['Two'])
    expect(shownText(page.one('.notice'))).toContain('Deleted “One”.')
    expect(page.of('remove')).toEqual([])
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(page.of('remove')).toEqual([['a']])
    expect(keepsakes.all.has('pending-removals')).toBe(false)
  })

  test('one that takes a while to open says so, what is written meanwhile is kept, and nothing can be sent yet', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let letIn = () => {}
    const page = await mountApp({
      sessions,
      address: 'a',
      before: ({ client }) => {
        const { open } = client.sessions
        const isFree = new Promise<void>((resolve) => {
          letIn = resolve
        })
        client.sessions.open = (id) => isFree.then(() => open(id))
      },
    })
    expect(shownText(page.one('.opening'))).toBe('Opening…')
    await vi.advanceTimersByTimeAsync(1000)
    await frame()
    expect(shownText(page.one('.opening'))).toContain('waiting for the other tab')
    await type(page.message(), 'first')
    await press(page.message(), 'Enter')
    expect(page.button('Send').disabled).toBe(true)
    expect(shownText(page.one('#composer-hint'))).toContain('The session is being opened.')
    letIn()
    await vi.waitFor(() => expect(page.all('.opening')).toEqual([]))
    expect(page.message().value).toBe('first')
    expect(page.of('send')).toEqual([])
    expect(page.button('Send').disabled).toBe(false)
  })

  test('one that cannot be opened says why and can be tried again', async () => {
    const page = await mountApp({
      sessions,
      address: 'a',
      before: (scripted) => scripted.refuse('open', new SideloopError('session/busy', 'Another tab has it.')),
    })
    const failure = await page.soon('.failure')
    expect(shownText(failure)).toContain('Another tab has it.')
    page.refuse('open', undefined)
    page.button('Try again').click()
    await expectSoon(() => expect(page.app.current.opened.value.kind).toBe('open'))
  })
})

describe('the state of things', () => {
  test('can be read from the page', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
    const main = page.one('main')
    expect(main.dataset.runState).toBe('idle')
    page.session('a').setLive({ status: 'running' })
    page.session('a').write([turnStart, userSays('go'), stepStart()])
    await frame()
    expect(main.dataset.runState).toBe('running')
    page.session('a').write([turnEnd({ kind: 'interrupted' })])
    page.session('a').setLive({ status: 'idle' })
    await frame()
    expect(main.dataset.runState).toBe('paused')
    page.button('Go on').click()
    await expectSoon(() => expect(page.of('continue')).toHaveLength(1))
  })

  test('a worker that fails and a store that fails are told above everything', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')], address: 'a' })
    page.setHealth({ kind: 'restarting', message: 'The agent is being started again.' })
    page.session('a').setLive({ storage: { kind: 'failed', code: 'storage/quota', message: 'No room left: delete something.' } })
    await frame()
    expect(
      page.all('.banner').map((banner) => [banner.dataset.banner, shownText(banner.querySelector('.banner__words') ?? banner)]),
    ).toEqual([
      ['restarting', 'The agent is being started again.'],
      ['storage', 'No room left: delete something.'],
    ])
    page.setHealth({ kind: 'failed', code: 'worker/start', message: 'The file was not found.' })
    await frame()
    expect(page.one('[data-banner=failed]').getAttribute('role')).toBe('alert')
  })

  test('light and dark are chosen in one place and kept', async () => {
    const keepsakes = memoryKeepsakes()
    const page = await mountApp({ keepsakes })
    page.one<HTMLButtonElement>('.sidebar__foot .icon-button').click()
    expect(document.documentElement.dataset.theme).toBe('light')
    await frame()
    page.one<HTMLButtonElement>('.sidebar__foot .icon-button').click()
    expect(document.documentElement.dataset.theme).toBe('dark')
    expect(keepsakes.all.get('theme')).toBe('dark')
    page.app.appearance.choose('system')
    expect(document.documentElement.dataset.theme).toBeUndefined()
  })
})

describe('files', () => {
  test('are listed when asked for, and one is shown with a click', async () => {
    const page = await mountApp({
      sessions: [row('a', 'One')],
      address: 'a',
      before: (scripted) => scripted.addFile('/haiku.md', 'Moon pulls the wide sea'),
    })
    expect(page.of('files.list')).toEqual([])
    page.button('Files').click()
    const file = await page.soon('.file')
    expect(shownText(file)).toContain('haiku.md')
    file.click()
    await expectSoon(() => expect(shownText(page.one('.files__text'))).toContain('Moon pulls the wide sea'))
  })

  test('are looked up again when a tool is done', async () => {
    const page = await mountApp({ sessions: [row('a', 'One')], address: 'a', keepsakes: memoryKeepsakes({ files: 'shown' }) })
    await expectSoon(() => expect(page.of('files.list').length).toBeGreaterThan(0))
    page.addFile('/new.txt', 'x')
    page
      .session('a')
      .write([turnStart, stepStart(), ['tool/call', { turn: 1, step: 1, callId: 'c1', name: 'write_file', arguments: '{}' }]])
    await expectSoon(() => expect(page.all('.file')).toHaveLength(1))
  })
})

describe('A1 settings', () => {
  const openSettings = async (before?: Parameters<typeof mountApp>[0]) => {
    const page = await mountApp(before)
    page.button('Settings').click()
    await page.soon('.settings[open] .providers')
    return page
  }
  const field = (label: string): HTMLInputElement => {
    const found = [...document.querySelectorAll('.labelled')].find((part) => part.querySelector('label')?.textContent === label)
    const input = found?.querySelector('input')
    if (input === null || input === undefined) throw new Error(`No field ${label}`)
    return input
  }

  test('a provider is added from a preset, tested and saved, and its key is never shown again', async () => {
    const page = await openSettings()
    page.button('Add a provider').click()
    await page.soon('.provider-form')
    page.one<HTMLInputElement>('.presets__one input[value=deepseek]').click()
    await frame()
    expect(field('Address').value).toBe('https://api.deepseek.com/v1')
    expect(field('Key').type).toBe('password')
    await type(field('Key'), 'sk-secret')
    await type(field('Models'), 'deepseek-chat')
    await press(field('Models'), 'Enter')
    page.setProbe({ ok: false, class: 'auth', message: 'The key was refused. Check it.' })
    page.button('Test').click()
    await expectSoon(() => expect(shownText(page.one('.probe'))).toBe('The key was refused. Check it.'))
    expect(page.one('.probe').dataset.ok).toBe('false')
    page.button('Save').click()
    await page.soon('[data-provider=deepseek]')
    expect(page.of('models.save')).toEqual([
      [
        {
          id: 'deepseek',
          label: 'DeepSeek',
          api: 'openai-chat',
          baseUrl: 'https://api.deepseek.com/v1',
          models: ['deepseek-chat'],
          key: 'sk-secret',
        },
      ],
    ])
    expect(page.app.models.chosen.value?.provider).toBe('deepseek')
    page.button('Edit DeepSeek').click()
    await page.soon('.provider-form')
    expect(field('Key').value).toBe('')
    expect(document.body.innerHTML).not.toContain('sk-secret')
    page.button('Save').click()
    await expectSoon(() => expect(page.of('models.save')).toHaveLength(2))
    expect(page.of('models.save')[1]).toEqual([expect.objectContaining({ id: 'deepseek', key: undefined })])
  })

  test('a new provider takes an id that no other tab has taken meanwhile', async () => {
    const page = await openSettings()
    page.button('Add a provider').click()
    await page.soon('.provider-form')
    page.one<HTMLInputElement>('.presets__one input[value=deepseek]').click()
    await frame()
    await type(field('Models'), 'deepseek-chat')
    await press(field('Models'), 'Enter')
    page.addProvider({
      id: 'deepseek',
      label: 'DeepSeek',
      api: 'openai-chat',
      baseUrl: 'https://proxy.example/v1',
      models: ['m'],
      hasKey: true,
    })
    page.button('Save').click()
    await expectSoon(() => expect(page.of('models.save')).toEqual([[expect.objectContaining({ id: 'deepseek-2' })]]))
    expect(page.app.models.providers.value.map(({ id }) => id)).toEqual(['deepseek', 'deepseek-2'])
  })

  test('the endpoint’s own list of models can be fetched and picked from', async () => {
    const page = await openSettings()
    page.button('Add a provider').click()
    await page.soon('.provider-form')
    page.button('Fetch the list').click()
    const first = await page.soon('.found__list input')
    first.click()
    await frame()
    expect(page.all('.chip').map(shownText)).toEqual(['large'])
    page.refuse('models.discover', new Error('This server offers no list.'))
    page.button('Fetch the list').click()
    await expectSoon(() => expect(shownText(page.one('.names__failure'))).toBe('This server offers no list.'))
  })

  test('what cannot work is said before it is tried', async () => {
    const page = await openSettings()
    page.button('Add a provider').click()
    await page.soon('.provider-form')
    await type(field('Address'), 'api.example.com')
    page.button('Test').click()
    await expectSoon(() => expect(shownText(page.one('.probe'))).toContain('The address must be a whole one'))
    await type(field('Address'), 'https://api.example.com/v1')
    page.button('Save').click()
    await expectSoon(() => expect(shownText(page.one('.probe'))).toContain('Name at least one model'))
    expect(page.of('models.test')).toEqual([])
  })

  test('removing a provider is asked for twice', async () => {
    const page = await openSettings({
      before: (scripted) =>
        scripted.addProvider({ id: 'x', label: 'X', api: 'openai-chat', baseUrl: 'https://x.example/v1', models: ['m'], hasKey: true }),
    })
    page.button('Remove X').click()
    await frame()
    expect(page.of('models.remove')).toEqual([])
    page.button('Remove').click()
    await expectSoon(() => expect(page.all('[data-provider=x]')).toEqual([]))
  })
})
