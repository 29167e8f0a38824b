// Models of this tab on the page: the section of the settings, the picker, and what the conversation says of them.
import { afterEach, describe, test } from 'vitest'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import type { LocalModelView } from '../../../src/ui/state/agent-client.ts'
import { turnEnd, turnStart } from '../../unit/projections/build-log.ts'
import { expect, expectSoon, frame, mountApp, shownText, type, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const MEGA = 1_000_000
const small: LocalModelView = {
  id: 'small',
  label: 'Small 0.6B',
  detail: 'Thinks first.',
  url: 'https://models.example/small.gguf',
  bytes: 639 * MEGA,
  here: 0,
  state: { kind: 'absent' },
  added: false,
}
const here: LocalModelView = { ...small, here: 639 * MEGA, state: { kind: 'kept' } }
const mine: LocalModelView = { id: 'mine', label: 'Mine', bytes: 5 * MEGA, here: 5 * MEGA, state: { kind: 'kept' }, added: true }

type Page = Awaited<ReturnType<typeof mountApp>>

const open = async (models: readonly LocalModelView[], given: Parameters<typeof mountApp>[0] = {}) => {
  const page = await mountApp(given)
  page.setLocalModels(models)
  page.app.layout.showSettings(true, 'local-models')
  await page.soon(models.length === 0 ? '.local-models .button' : '.settings[open] [data-local-model]')
  return page
}
const show = async (page: Page, models: readonly LocalModelView[]) => {
  page.setLocalModels(models)
  await frame()
  await frame()
}
const row = (page: Page, id = 'small') => page.one(`[data-local-model=${id}]`)
const words = (page: Page, id = 'small') => shownText(row(page, id))
const buttons = (page: Page, id = 'small') => [...row(page, id).querySelectorAll('button')].map(shownText)
const said = (page: Page) => shownText(page.one('[data-said]'))
const notices = (page: Page) => page.all('.notice').map((notice) => shownText(notice.querySelector('.notice__text') ?? notice))

describe('W15 what there is', () => {
  test('each state has its words and what can be done with it', async () => {
    const page = await open([small])
    expect(words(page)).toContain('Not here yet')
    expect(buttons(page)).toEqual(['Download 639 MB'])
    const cases: readonly (readonly [Partial<LocalModelView>, string, readonly string[]])[] = [
      [{ here: 386 * MEGA }, '386 MB of 639 MB here', ['Go on', 'Remove']],
      [{ here: 211 * MEGA, state: { kind: 'downloading' } }, '211 MB of 639 MB · 33 %', ['Stop']],
      [{ here: 639 * MEGA, state: { kind: 'downloading' } }, 'Fetching what runs it', ['Stop']],
      [here, 'Here · 639 MB', ['Use it', 'Remove']],
      [{ ...here, state: { kind: 'loading' } }, 'Being loaded into memory', ['Use it', 'Remove']],
      [{ ...here, state: { kind: 'loaded' } }, 'In memory · 639 MB', ['Use it', 'Remove']],
      [{ ...here, state: { kind: 'reading', part: 0.4 } }, 'Reading the conversation 40 %', ['Use it', 'Remove']],
    ]
    for (const [change, expected, acts] of cases) {
      await show(page, [{ ...small, ...change }])
      await expectSoon(() => expect(words(page)).toContain(expected))
      expect(buttons(page)).toEqual(acts)
    }
  })

  test('a size that nobody knows yet is not made up', async () => {
    const { bytes: _unknown, ...unknown } = { ...small, added: true }
    const page = await open([unknown])
    expect(words(page)).toContain('Not here yet, size not known')
    expect(buttons(page)).toEqual(['Download', 'Remove'])
    await show(page, [{ ...unknown, here: 40 * MEGA, state: { kind: 'downloading' } }])
    const bar = page.one<HTMLProgressElement>('progress')
    expect([bar.position, bar.getAttribute('aria-valuetext')]).toEqual([-1, '40 MB'])
  })

  test('a file of one’s own that is gone says so, and offers no download', async () => {
    const page = await open([{ ...mine, here: 0, state: { kind: 'absent' } }])
    expect(words(page, 'mine')).toContain('Add it again')
    expect(words(page, 'mine')).toContain('A file of yours')
    expect(buttons(page, 'mine')).toEqual(['Remove'])
  })

  test('the room they take is shown, and how much there is', async () => {
    const page = await open([here, mine], { before: ({ setStorage }) => setStorage({ usage: 1e9, quota: 13e9, persisted: false }) })
    await expectSoon(() =>
      expect(shownText(page.one('[data-room]'))).toBe('They take 644 MB of this browser’s storage. There is room for about 12 GB more.'),
    )
  })

  test('the picker leads there, and every other way in begins at the top', async () => {
    const page = await mountApp()
    page.setLocalModels([small])
    const picker = page.one<HTMLSelectElement>('.picker')
    picker.value = [...picker.options].find(({ text }) => text === 'Run a model in this tab…')?.value ?? ''
    picker.dispatchEvent(new Event('change', { bubbles: true }))
    await page.soon('.settings[open] [data-local-model]')
    await expectSoon(() => expect(document.activeElement?.id).toBe('settings-local'))
    expect(page.one<HTMLSelectElement>('.picker').value).toContain('demo')
    page.app.layout.showSettings(false)
    await frame()
    page.button('Settings').click()
    await page.soon('.settings[open] [data-local-model]')
    await frame()
    expect(document.activeElement?.id).not.toBe('settings-local')
  })

  test('a list that cannot be had is said, and asked for again', async () => {
    const page = await mountApp({ before: ({ refuse }) => refuse('local.list', new SideloopError('worker/dead', 'The agent stopped.')) })
    page.app.layout.showSettings(true)
    await expectSoon(() => expect(shownText(page.one('.local-models'))).toContain('The models could not be listed. The agent stopped.'))
    page.refuse('local.list', undefined)
    page.setLocalModels([small])
    await page.soon('[data-local-model]')
  })

  test('many news make one request at a time, and the last of them is seen', async () => {
    const page = await open([small])
    const before = page.of('local.list').length
    for (let at = 1; at <= 50; at++) page.setLocalModels([{ ...small, here: at * MEGA, state: { kind: 'downloading' } }])
    await expectSoon(() => expect(words(page)).toContain('50 MB of 639 MB'))
    expect(page.of('local.list').length - before).toBe(2)
  })
})

describe('W15 a download', () => {
  test('asks the browser to keep it, shows how far it is, is stopped, and goes on', async () => {
    const page = await open([small])
    page.button('Download 639 MB: Small 0.6B').click()
    expect(page.of('local.download')).toEqual([['small']])
    await expectSoon(() => expect(page.of('persist')).toHaveLength(1))
    await frame()
    expect(said(page)).toBe('Downloading Small 0.6B.')
    await show(page, [{ ...small, here: 64 * MEGA, state: { kind: 'downloading' } }])
    const bar = page.one<HTMLProgressElement>('progress')
    expect([bar.max, bar.value, bar.getAttribute('aria-label')]).toEqual([639 * MEGA, 64 * MEGA, 'Download of Small 0.6B'])
    await show(page, [{ ...small, here: 100 * MEGA, state: { kind: 'downloading' } }])
    expect(said(page)).toBe('Downloading Small 0.6B.')
    page.button('Stop: Small 0.6B').click()
    expect(page.of('local.stop')).toEqual([['small']])
    page.setLocalModels([{ ...small, here: 100 * MEGA }])
    page.endDownload()
    await expectSoon(() => expect(said(page)).toContain('was stopped. What has arrived is kept.'))
    page.button('Go on: Small 0.6B').click()
    expect(page.of('local.download')).toHaveLength(2)
  })

  test('a button that changes its word keeps the focus', async () => {
    const page = await open([small])
    page.button('Download 639 MB: Small 0.6B').focus()
    await show(page, [{ ...small, here: 1, state: { kind: 'downloading' } }])
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Stop: Small 0.6B')
    await show(page, [here])
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Use it: Small 0.6B')
  })

  test('that failed says why beside its row, and is tried again', async () => {
    const page = await open([small, mine])
    page.button('Download 639 MB: Small 0.6B').click()
    const why = 'The model could not be downloaded from models.example: there is no file at this address. Choose another address.'
    page.setLocalModels([{ ...small, failure: why }, mine])
    page.endDownload(new SideloopError('model/failed', why))
    await expectSoon(() => expect(shownText(row(page).querySelector('.local-model__words') ?? row(page))).toBe(why))
    expect(words(page, 'mine')).not.toContain('no file')
    expect(said(page)).toBe(`Small 0.6B: ${why}`)
    expect(page.all('.notice')).toEqual([])
    page.setLocalModels([small, mine])
    page.button('Try again: Small 0.6B').click()
    await frame()
    expect(words(page)).not.toContain('no file')
  })

  test('that another tab has under way says so, until it is here', async () => {
    const page = await open([small])
    page.button('Download 639 MB: Small 0.6B').click()
    page.endDownload(new SideloopError('storage/conflict', 'This model is being downloaded in another tab.'))
    await expectSoon(() => expect(words(page)).toContain('in another tab'))
    await show(page, [here])
    await expectSoon(() => expect(words(page)).toContain('Here · 639 MB'))
    expect(words(page)).not.toContain('in another tab')
  })

  test('whose worker died is told beside its row, too', async () => {
    const page = await open([small])
    page.button('Download 639 MB: Small 0.6B').click()
    page.endDownload(new SideloopError('worker/dead', 'The agent’s worker ended.'))
    await expectSoon(() => expect(words(page)).toContain('The agent’s worker ended.'))
  })

  test('that will not fit is told before it begins', async () => {
    const page = await open([small, { ...small, id: 'tiny', label: 'Tiny', bytes: MEGA }], {
      before: ({ setStorage }) => setStorage({ usage: 900 * MEGA, quota: 1100 * MEGA, persisted: true }),
    })
    await expectSoon(() => expect(words(page)).toContain('It may not fit: 639 MB are needed, and the browser has room for about 200 MB.'))
    expect(words(page, 'tiny')).not.toContain('fit')
    page.button('Download 1.0 MB: Tiny').click()
    await frame()
    expect(page.of('persist')).toEqual([])
  })

  test('that ends while the settings are closed offers the model, for the session and for new ones', async () => {
    const page = await open([small])
    page.button('Download 639 MB: Small 0.6B').click()
    page.app.layout.showSettings(false)
    page.setLocalModels([here])
    page.endDownload()
    await expectSoon(() => expect(notices(page)).toEqual(['Small 0.6B is here.']))
    page.button('Use it').click()
    await expectSoon(() => expect(page.of('models.choose')).toEqual([[{ provider: 'local', model: 'small' }]]))
    await expectSoon(() => expect(page.one<HTMLSelectElement>('.picker').selectedOptions[0]?.text).toBe('Small 0.6B'))
    expect(page.all('.notice')).toEqual([])
  })

  test('that ends makes a model to choose from, also when another tab brought it', async () => {
    const page = await mountApp()
    page.setLocalModels([here])
    await expectSoon(() => expect([...page.one<HTMLSelectElement>('.picker').options].map(({ text }) => text)).toContain('Small 0.6B'))
    page.setLocalModels([small])
    await expectSoon(() => expect([...page.one<HTMLSelectElement>('.picker').options].map(({ text }) => text)).not.toContain('Small 0.6B'))
  })
})

describe('W15 a model that is here', () => {
  test('is used at a press, which ends the settings', async () => {
    const page = await open([here])
    page.button('Use it: Small 0.6B').click()
    await expectSoon(() => expect(page.of('models.choose')).toEqual([[{ provider: 'local', model: 'small' }]]))
    await expectSoon(() => expect(page.one<HTMLDialogElement>('dialog.settings').open).toBe(false))
    await frame()
    expect(shownText(page.one('.welcome__model'))).toContain('Small 0.6B answers, in this tab: nothing you write leaves it.')
    page.app.layout.showSettings(true)
    await page.soon('[data-local-model][data-chosen=true]')
    expect(buttons(page)).toEqual(['Remove'])
    expect(page.all('.providers')[0]?.textContent).not.toContain('In this tab')
  })

  test('is removed only after it was said what is lost, and how large it is', async () => {
    const page = await open([here])
    page.button('Remove: Small 0.6B').click()
    await frame()
    expect(words(page)).toContain('Remove it? That frees 639 MB. To use it again, it has to be downloaded again.')
    expect(shownText(document.activeElement ?? document.body)).toBe('Keep')
    page.button('Keep').click()
    await frame()
    expect(page.of('local.remove')).toEqual([])
    page.button('Remove: Small 0.6B').click()
    await frame()
    page.setLocalModels([small])
    page.button('Remove').click()
    await expectSoon(() => expect(said(page)).toBe('Small 0.6B was removed.'))
    expect(page.of('local.remove')).toEqual([['small']])
    expect(document.activeElement?.id).toBe('settings-local')
  })

  test('that was a file says that the file itself stays', async () => {
    const page = await open([mine])
    page.button('Remove: Mine').click()
    await frame()
    expect(words(page, 'mine')).toContain('That frees 5.0 MB. Your own file stays where it is')
  })

  test('that could not be removed says why', async () => {
    const page = await open([here])
    page.refuse('local.remove', new SideloopError('storage/unavailable', 'The browser does not let this page keep large files.'))
    page.button('Remove: Small 0.6B').click()
    await frame()
    page.button('Remove').click()
    await expectSoon(() => expect(words(page)).toContain('does not let this page keep large files'))
  })
})

describe('W15 adding one', () => {
  const openForm = async (models: readonly LocalModelView[] = [small]) => {
    const page = await open(models)
    page.button('Add a model…').click()
    await page.soon('.local-models form')
    return page
  }
  const address = (page: Page) => page.one<HTMLInputElement>('.local-models form input[inputmode=url]')

  test('by its address begins its download, and leads to its row', async () => {
    const page = await openForm()
    expect(document.activeElement).toBe(address(page))
    await type(address(page), ' https://models.example/b.gguf ')
    page.setLocalModels([small, { ...small, id: 'added', label: 'b', added: true }])
    page.button('Download').click()
    expect(page.of('local.add')).toEqual([[{ url: 'https://models.example/b.gguf' }]])
    await expectSoon(() => expect(page.of('local.download')).toEqual([['added']]))
    await expectSoon(() => expect(row(page, 'added').contains(document.activeElement)).toBe(true))
    expect(page.all('.local-models form')).toEqual([])
  })

  test('by a wrong address says why beside the field, until something else is written', async () => {
    const page = await openForm()
    page.refuse('local.add', new SideloopError('command/invalid', 'The address of the model must lead to a file whose name ends in .gguf.'))
    await type(address(page), 'https://models.example/')
    page.button('Download').click()
    await expectSoon(() => expect(shownText(page.one('.hint--error'))).toContain('must lead to a file whose name ends in .gguf'))
    expect(address(page).getAttribute('aria-invalid')).toBe('true')
    expect(address(page).getAttribute('aria-describedby')).toBe(page.one('.hint--error').id)
    expect(address(page).value).toBe('https://models.example/')
    await type(address(page), 'https://models.example/b.gguf')
    expect(page.all('.hint--error')).toEqual([])
  })

  test('by a file that is chosen, or dropped on the section, copies it', async () => {
    const page = await openForm()
    const file = new File(['GGUF'], 'Mine.gguf')
    const holding = () => {
      const data = new DataTransfer()
      data.items.add(file)
      return data
    }
    page.setLocalModels([small, { ...mine, id: 'added' }])
    const input = page.one<HTMLInputElement>('[data-model-file]')
    input.files = holding().files
    input.dispatchEvent(new Event('change', { bubbles: true }))
    await expectSoon(() => expect(page.of('local.add')).toEqual([[{ file, name: 'Mine.gguf' }]]))
    expect(page.of('persist')).toHaveLength(1)
    await expectSoon(() => expect(said(page)).toBe('Mine is here.'))
    expect(page.of('local.download')).toEqual([])
    await expectSoon(() => expect(page.all('.local-models form')).toEqual([]))
    const drop = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: holding() })
    page.one('.local-models h3').dispatchEvent(drop)
    await expectSoon(() => expect(page.of('local.add')).toHaveLength(2))
    expect(page.of('import')).toEqual([])
  })

  test('a copy that is stopped is no failure', async () => {
    const page = await openForm()
    const file = new File(['GGUF'], 'Mine.gguf')
    page.setLocalModels([small, { ...mine, here: MEGA, state: { kind: 'downloading' } }])
    await page.soon('[data-local-model=mine]')
    page.refuse('local.add', new SideloopError('internal', 'Stopped.'))
    const adding = page.app.localModels.add({ file, name: 'Mine.gguf' })
    page.button('Stop: Mine').click()
    expect(await adding).toBeUndefined()
    await expectSoon(() => expect(said(page)).toBe('The copy was stopped. Nothing of it was kept.'))
  })

  test('a copy shows how far it is, and can be stopped', async () => {
    const page = await open([small, { ...mine, here: 2 * MEGA, state: { kind: 'downloading' } }])
    expect(words(page, 'mine')).toContain('Copying the file')
    expect(words(page, 'mine')).toContain('2.0 MB of 5.0 MB · 40 %')
    expect(page.one('progress').getAttribute('aria-label')).toBe('Copying Mine')
    expect(buttons(page, 'mine')).toEqual(['Stop'])
  })
})

describe('W15 in the conversation', () => {
  test('the line of work says what the model does before it answers', async () => {
    const page = await mountApp({ address: 's' })
    const session = page.session('s')
    session.setLive({ status: 'running', options: { provider: 'local', model: 'small' } })
    session.write([turnStart])
    const cases: readonly (readonly [LocalModelView, string])[] = [
      [{ ...small, here: 275 * MEGA, state: { kind: 'downloading' } }, 'Downloading Small 0.6B… 43 %'],
      [{ ...here, state: { kind: 'loading' } }, 'Loading Small 0.6B…'],
      [{ ...here, state: { kind: 'reading', part: 0.4 } }, 'Reading the conversation… 40 %'],
      [{ ...here, state: { kind: 'loaded' } }, 'Thinking'],
    ]
    for (const [model, expected] of cases) {
      page.setLocalModels([model])
      await expectSoon(() => expect(shownText(page.one('.working'))).toContain(expected))
    }
    session.setLive({ status: 'running', options: { provider: 'demo', model: 'demo' } })
    page.setLocalModels([{ ...here, state: { kind: 'loading' } }])
    await frame()
    expect(shownText(page.one('.working'))).toContain('Thinking')
  })

  test('a failure leads to the models of this tab', async () => {
    const page = await mountApp({ address: 's' })
    const session = page.session('s')
    session.setLive({ options: { provider: 'local', model: 'small' } })
    session.write([turnStart, turnEnd({ kind: 'error', step: 1, message: 'Small is not in this browser any more.', code: 'model/failed' })])
    page.setLocalModels([small])
    await page.soon('[data-item=error] .button--quiet')
    page.one('[data-item=error] .button--quiet').click()
    await expectSoon(() => expect(document.activeElement?.id).toBe('settings-local'))
  })

  test('a model that is not here any more is not said to be of a provider that was removed', async () => {
    const page = await mountApp({ address: 's' })
    page.session('s').setLive({ options: { provider: 'local', model: 'small' } })
    await frame()
    expect(page.one<HTMLSelectElement>('.picker').selectedOptions[0]?.text).toBe('small (not in this browser)')
    expect(page.app.models.isRemoved.value).toBe(false)
  })
})
