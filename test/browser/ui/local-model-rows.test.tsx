// The rows of this tab's models: long names stay within them, and the focus never falls out of the settings.
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { page as tab } from 'vitest/browser'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import type { LocalModelView } from '../../../src/ui/state/agent-client.ts'
import { turnStart } from '../../unit/projections/build-log.ts'
import { expect, expectSoon, frame, mountApp, shownText, type, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const MEGA = 1_000_000
const kept: LocalModelView = {
  id: 'small',
  label: 'Small',
  url: 'https://models.example/small.gguf',
  bytes: 639 * MEGA,
  here: 639 * MEGA,
  state: { kind: 'kept' },
  added: false,
}
const absent: LocalModelView = { ...kept, here: 0, state: { kind: 'absent' } }
const begun: LocalModelView = { ...absent, here: 100 * MEGA }
const downloading: LocalModelView = { ...begun, state: { kind: 'downloading' } }
const { url: _none, ...file } = kept
const copying: LocalModelView = { ...file, added: true, here: MEGA, state: { kind: 'downloading' } }

type Page = Awaited<ReturnType<typeof mountApp>>

const open = async (model: LocalModelView, given: Parameters<typeof mountApp>[0] = {}) => {
  const page = await mountApp(given)
  page.setLocalModels([model])
  page.app.layout.showSettings(true, 'local-models')
  await page.soon('.settings[open] [data-local-model]')
  return page
}
const show = async (page: Page, models: readonly LocalModelView[]) => {
  page.setLocalModels(models)
  await frame()
  await frame()
}
const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id
/** As the keyboard does: what is pressed has the focus. */
const pressButton = async (page: Page, name: string) => {
  page.button(name).focus()
  page.button(name).click()
  await frame()
}

describe('W15 a name without any break', () => {
  const long = 'x'.repeat(100)
  const wide: LocalModelView = { ...begun, label: long, url: `https://${'h'.repeat(60)}.${'h'.repeat(60)}.example/b.gguf`, failure: long }
  /** What is wider than its place, of those that must not be. */
  const tooWide = (page: Page, selector: string) =>
    page.all(selector).flatMap(({ className, scrollWidth, clientWidth }) => (scrollWidth > clientWidth ? [className] : []))

  beforeAll(() => tab.viewport(360, 740))
  afterAll(() => tab.viewport(414, 896))

  test('wraps within its row, at every width', async () => {
    const page = await open(wide)
    for (const width of [1280, 360]) {
      await tab.viewport(width, 740)
      for (const model of [wide, { ...kept, label: long }, { ...copying, label: long }]) {
        await show(page, [model])
        expect(tooWide(page, '.settings, .settings *:has([data-local-model]), [data-local-model], .provider__words')).toEqual([])
        const row = page.one('[data-local-model]').getBoundingClientRect()
        for (const button of page.all('[data-local-model] button')) {
          expect(button.getBoundingClientRect().right).toBeLessThanOrEqual(row.right)
          expect(button.getBoundingClientRect().left).toBeGreaterThanOrEqual(row.left)
        }
      }
    }
  })

  test('wraps in what the form says of it', async () => {
    const page = await open(absent)
    page.button('Add a model…').click()
    await frame()
    await type(page.one<HTMLInputElement>('.local-models form input[inputmode=url]'), 'https://models.example/b.gguf')
    page.refuse('local.add', new SideloopError('command/invalid', `${long} is no model.`))
    page.button('Download').click()
    await expectSoon(() => expect(shownText(page.one('.local-models form .hint--error'))).toContain('xxx'))
    expect(tooWide(page, '.settings, .settings *:has(form), .local-models form, .local-models form *:not(input, label)')).toEqual([])
  })

  test('wraps in the notice, in the welcome, in the line of work, and around the picker', async () => {
    const page = await mountApp({ address: 's' })
    const chosen = { provider: 'local', model: 'small' }
    const session = page.session('s')
    page.setLocalModels([{ ...kept, label: long }])
    session.setLive({ options: chosen })
    page.app.notices.show({ kind: 'plain', keeps: true, text: `${long} is here.`, act: { label: 'Use it', run() {} } })
    await expectSoon(() => expect(page.one<HTMLSelectElement>('.picker').selectedOptions[0]?.text).toBe(long))
    await page.soon('.notice')
    const places = '.notice, .notice__text, .welcome__model, .working, [role=log], .composer, .composer *:has(> .picker), .top'
    expect(tooWide(page, places)).toEqual([])
    session.setLive({ status: 'running', options: chosen })
    session.write([turnStart])
    page.setLocalModels([{ ...kept, label: long, state: { kind: 'loading' } }])
    await expectSoon(() => expect(shownText(page.one('.working'))).toContain('Loading xxx'))
    expect(tooWide(page, places)).toEqual([])
    expect(document.documentElement.scrollWidth).toBe(360)
  })
})

describe('W15 the focus stays in the settings', () => {
  test('when a model is kept after all, at the button that asked', async () => {
    const page = await open(kept)
    await pressButton(page, 'Remove: Small')
    await pressButton(page, 'Keep')
    expect(focused()).toBe('Remove: Small')
  })

  test('when a download is stopped, goes on, and is tried again', async () => {
    const page = await open(absent)
    await pressButton(page, 'Download 639 MB: Small')
    await show(page, [downloading])
    expect(focused()).toBe('Stop: Small')
    await pressButton(page, 'Stop: Small')
    await show(page, [begun])
    expect(focused()).toBe('Go on: Small')
    await show(page, [{ ...begun, failure: 'There is no file at this address.' }])
    expect(focused()).toBe('Try again: Small')
    await pressButton(page, 'Try again: Small')
    await show(page, [downloading])
    expect(focused()).toBe('Stop: Small')
  })

  test('when the model that the session uses is here again, and there is nothing left to press but Remove', async () => {
    const page = await mountApp({ address: 's' })
    page.session('s').setLive({ options: { provider: 'local', model: 'small' } })
    page.setLocalModels([downloading])
    page.app.layout.showSettings(true)
    await page.soon('.settings[open] [data-local-model]')
    page.button('Stop: Small').focus()
    await show(page, [kept])
    expect(focused()).toBe('Remove: Small')
  })

  test('when a copy is stopped and its row goes', async () => {
    const page = await open(copying)
    await pressButton(page, 'Stop: Small')
    await show(page, [])
    expect(focused()).toBe('settings-local')
  })

  test('when a model is removed, or another tab takes it away', async () => {
    const page = await open({ ...kept, added: true })
    await pressButton(page, 'Remove: Small')
    await show(page, [])
    expect(focused()).toBe('settings-local')
    await show(page, [kept])
    await pressButton(page, 'Remove: Small')
    await pressButton(page, 'Remove')
    await show(page, [absent])
    expect(focused()).toBe('settings-local')
  })

  test('and goes back to what opened them when a model is used', async () => {
    const page = await mountApp()
    page.setLocalModels([kept])
    await frame()
    page.message().focus()
    page.app.layout.showSettings(true)
    await page.soon('.settings[open] [data-local-model]')
    await pressButton(page, 'Use it: Small')
    await expectSoon(() => expect(focused()).toBe('Message'))
  })
})

test('W15 an address that is too long is told so, and kept to be put right', async () => {
  const page = await open(absent)
  page.button('Add a model…').click()
  await frame()
  const field = page.one<HTMLInputElement>('.local-models form input[inputmode=url]')
  const address = `https://models.example/${'x'.repeat(2000)}.gguf`
  await type(field, address)
  page.button('Download').click()
  await expectSoon(() =>
    expect(shownText(page.one('.hint--error'))).toBe('This address is too long: a model’s has 2,000 characters at most.'),
  )
  expect([page.of('local.add'), field.value, document.activeElement]).toEqual([[], address, field])
})
