// Settings of model providers on the page: every protocol, local servers, refusals with their remedy, facts and limits of models.
import { afterEach, describe, test } from 'vitest'
import type { LocalServer, ModelInfo } from '../../../src/ui/state/agent-client.ts'
import { expect, expectSoon, frame, mountApp, press, shownText, type, unmountAll } from './mount.tsx'

afterEach(unmountAll)

const openSettings = async (given: Parameters<typeof mountApp>[0] = {}) => {
  const page = await mountApp(given)
  page.button('Settings').click()
  await page.soon('.settings[open] .providers')
  return page
}
const openForm = async (given: Parameters<typeof mountApp>[0] = {}) => {
  const page = await openSettings(given)
  page.button('Add a provider').click()
  await page.soon('.provider-form')
  return page
}
type Page = Awaited<ReturnType<typeof mountApp>>

const labelled = <E extends HTMLInputElement | HTMLSelectElement>(label: string): E => {
  const found = [...document.querySelectorAll('.labelled')].find((part) => part.querySelector('label')?.textContent === label)
  const field = found?.querySelector<E>('input, select')
  if (field === null || field === undefined) throw new Error(`No field ${label}`)
  return field
}
const field = (label: string) => labelled<HTMLInputElement>(label)
const choose = async (label: string, value: string) => {
  const select = labelled<HTMLSelectElement>(label)
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
  await frame()
}
const preset = async (page: Page, id: string) => {
  page.one<HTMLInputElement>(`.presets__one input[value=${id}]`).click()
  await frame()
}
const name = async (model: string) => {
  await type(field('Models'), model)
  await press(field('Models'), 'Enter')
}
const local = (change: Partial<LocalServer>): LocalServer => ({
  kind: 'ollama',
  api: 'ollama',
  baseUrl: 'http://127.0.0.1:11434',
  state: 'answers',
  models: ['qwen3:8b', 'llama3.2:3b'],
  ...change,
})

describe('A1 protocols', () => {
  test('OpenAI is asked by Responses, and by chat completions where a person wants that', async () => {
    const page = await openForm()
    expect(labelled<HTMLSelectElement>('Protocol').value).toBe('openai-responses')
    await choose('Protocol', 'openai-chat')
    await name('gpt-5.4-mini')
    page.button('Save').click()
    await expectSoon(() => expect(page.of('models.save')).toEqual([[expect.objectContaining({ id: 'openai', api: 'openai-chat' })]]))
  })

  test.each([
    ['anthropic', 'anthropic', 'https://api.anthropic.com'],
    ['gemini', 'gemini', 'https://generativelanguage.googleapis.com/v1beta'],
    ['ollama', 'ollama', 'http://localhost:11434'],
  ])('%s is saved with its own', async (id, api, baseUrl) => {
    const page = await openForm()
    await preset(page, id)
    await name('m')
    page.button('Save').click()
    await expectSoon(() => expect(page.of('models.save')).toEqual([[expect.objectContaining({ id, api, baseUrl })]]))
  })

  test('a server of one’s own can speak any of them', async () => {
    const page = await openForm()
    await preset(page, 'custom')
    expect([...labelled<HTMLSelectElement>('Protocol').options].map(({ value }) => value)).toHaveLength(5)
    await choose('Protocol', 'gemini')
    expect(field('Address').placeholder).toBe('https://…/v1beta')
  })

  test('where a key comes from is a link, and another vendor’s key is doubted', async () => {
    const page = await openForm()
    await preset(page, 'anthropic')
    const link = page.one<HTMLAnchorElement>('.provider-form .link')
    expect([link.href, link.rel, link.target]).toEqual(['https://console.anthropic.com/settings/keys', 'noopener noreferrer', '_blank'])
    await type(field('Key'), 'sk-proj-1')
    expect(shownText(page.one('.provider-form'))).toContain('Keys of Anthropic begin with sk-ant-')
  })
})

describe('A1 the models of a server', () => {
  const info: ModelInfo = { contextWindow: 131_072, tools: true, prices: { input: 0.25, output: 1, asOf: '2026-11-30' } }

  test('are listed with what is known of them, searched, chosen, and what was said is kept', async () => {
    const page = await openForm({
      before: (scripted) =>
        scripted.setDiscovered(Array.from({ length: 300 }, (_, i) => ({ id: `vendor/model-${i}`, name: `Model number ${i}`, info }))),
    })
    await preset(page, 'openrouter')
    page.button('Fetch the list').click()
    await page.soon('.found')
    expect(shownText(page.one('.found legend'))).toBe('300 models are offered')
    expect(page.all('.found__one')).toHaveLength(200)
    expect(shownText(page.one('.found'))).toContain('And 100 more')
    await type(page.one<HTMLInputElement>('.found input[type=search]'), 'number 299')
    expect(page.all('.found__one').map(shownText)).toEqual(['vendor/model-299131k window · tools · $0.25 / $1'])
    expect(shownText(page.one('.found__prices'))).toContain('as of 2026-11-30')
    page.one('.found__one input').click()
    await frame()
    page.button('Save').click()
    const facts = [{ id: 'vendor/model-299', name: 'Model number 299', info }]
    await expectSoon(() => expect(page.of('models.save')).toEqual([[expect.objectContaining({ models: ['vendor/model-299'], facts })]]))
  })

  test('that are being typed count, and a click on a button does not move it away from under the pointer', async () => {
    const page = await openForm()
    await type(field('Models'), 'first, second')
    const before = page.button('Test').getBoundingClientRect().top
    page.button('Test').focus() // as a press on it takes the focus from the field, before the click
    await frame()
    expect(page.button('Test').getBoundingClientRect().top).toBe(before)
    page.button('Test').click()
    await expectSoon(() => expect(page.of('models.test')).toEqual([[expect.objectContaining({ models: ['first', 'second'] })]]))
  })

  test('of one server are not offered for another', async () => {
    const page = await openForm()
    page.button('Fetch the list').click()
    await page.soon('.found')
    await preset(page, 'deepseek')
    expect(page.all('.found')).toEqual([])
  })

  test('a list that takes long can be stopped', async () => {
    let answer = () => {}
    const page = await openForm({
      before: ({ client }) => {
        Object.assign(client.host.models, {
          discover: () =>
            new Promise((resolve) => {
              answer = () => resolve({ ok: false, class: 'transport', code: 'stopped', message: 'Stopped.' })
            }),
        })
      },
    })
    page.button('Fetch the list').click()
    await frame()
    page.button('Stop fetching').click()
    await expectSoon(() => expect(page.of('models.stop')).toEqual([[{ attempt: expect.any(String) }]]))
    answer()
    await expectSoon(() => page.button('Fetch the list'))
    expect(page.all('.names__failure')).toEqual([])
  })
})

describe('A1 servers on this computer', () => {
  test('are looked for on a click only, and one that answers is one click away', async () => {
    const page = await openSettings({ before: (scripted) => scripted.setLocal({ servers: [local({})], access: 'unknown' }) })
    expect(page.of('models.findLocal')).toEqual([])
    page.button('Look for local servers').click()
    await page.soon('[data-local=ollama]')
    expect(shownText(page.one('[data-local=ollama]'))).toContain('127.0.0.1:11434 · 2 models')
    page.button('Use Ollama at 127.0.0.1:11434').click()
    await page.soon('.provider-form')
    expect([field('Name').value, field('Address').value]).toEqual(['Ollama', 'http://127.0.0.1:11434'])
    page.button('Save').click()
    await expectSoon(() => expect(page.of('models.save')).toEqual([[expect.objectContaining({ api: 'ollama', models: ['qwen3:8b'] })]]))
    page.button('Look for local servers').click()
    await expectSoon(() => expect(shownText(page.one('[data-local=ollama]'))).toContain('added already'))
  })

  test('one that refuses shows the setting that it needs, with this page’s own origin', async () => {
    const servers = [local({ state: 'refuses', models: [] })]
    const page = await openSettings({ before: (scripted) => scripted.setLocal({ servers, access: 'unknown' }) })
    page.button('Look for local servers').click()
    const help = await page.soon('[data-origin-help=ollama]')
    expect(shownText(help)).toContain(`OLLAMA_ORIGINS`)
    expect(help.textContent).toContain(location.origin)
    expect(help.querySelector('.code__copy')).not.toBeNull()
  })

  test('none, a browser that was told no, and a failure are each told', async () => {
    const page = await openSettings()
    const words = () => shownText(page.one('.local'))
    page.button('Look for local servers').click()
    await expectSoon(() => expect(words()).toContain('No model server answers at the usual ports'))
    page.setLocal({ servers: [], access: 'denied' })
    page.button('Look for local servers').click()
    await expectSoon(() => expect(words()).toContain('site settings'))
    page.refuse('models.findLocal', new Error('The worker is gone.'))
    page.button('Look for local servers').click()
    await expectSoon(() => expect(words()).toBe('The worker is gone.'))
  })

  test('the remedy is shown where a test is refused, and for a server of one’s own only', async () => {
    const page = await openForm()
    page.setProbe({ ok: false, class: 'transport', code: 'origin-refused', message: 'It is there, and refuses.' })
    await preset(page, 'lm-studio')
    page.button('Test').click()
    const help = await page.soon('[data-origin-help=lm-studio]')
    expect(help.textContent).toContain('lms server start --cors')
    await preset(page, 'deepseek')
    page.button('Test').click()
    await expectSoon(() => expect(shownText(page.one('.probe'))).toBe('It is there, and refuses.'))
    expect(page.all('[data-origin-help]')).toEqual([])
  })
})

describe('W13 the options of the chosen model', () => {
  const info: ModelInfo = {
    contextWindow: 131_072,
    maxOutput: 8192,
    images: false,
    tools: true,
    efforts: ['low', 'high'],
    prices: { input: 0.25, output: 1, asOf: '2026-11-30' },
  }
  const withModel = (known: ModelInfo | undefined = info) =>
    mountApp({
      before: (scripted) =>
        scripted.addProvider({
          id: 'x',
          label: 'X',
          api: 'openai-chat',
          baseUrl: 'https://x.example/v1',
          models: ['m'],
          ...(known === undefined ? {} : { facts: [{ id: 'm', info: known }] }),
          hasKey: true,
        }),
    })
  const openOptions = async (page: Page) => {
    const choice = page.app.models.choices.value.find(({ provider }) => provider === 'x')
    if (choice === undefined) throw new Error('No such model')
    await page.app.models.pick(choice)
    await frame()
    page.button('Model options').click()
    return page.soon('.model-dialog[open] .facts')
  }

  test('show what is known of it, with the day of its price', async () => {
    const page = await withModel()
    const facts = shownText(await openOptions(page))
    expect(facts).toContain('Reads at most131k tokens at once')
    expect(facts).toContain('Sees imagesNo')
    expect(facts).toContain('$0.25 in, $1 out per million tokens, as of 2026-11-30')
  })

  test('are set for the session on the screen, and taken back', async () => {
    const page = await withModel()
    await page.app.current.open('s')
    page.session('s').setLive({ options: { provider: 'x', model: 'm' } })
    await openOptions(page)
    expect(shownText(page.one('.model-dialog__form h3'))).toBe('For this session')
    await type(field('Reply limit'), '4096')
    await type(field('Temperature'), '0,2')
    await choose('Effort', 'high')
    page.button('Save').click()
    await expectSoon(() => expect(page.all('.model-dialog[open]')).toEqual([]))
    const changes = { maxTokens: 4096, temperature: 0.2, effort: 'high' }
    expect(page.of('configure').at(-1)).toEqual([{ sessionId: 's', options: changes }])
    page.session('s').setLive({ options: { provider: 'x', model: 'm', ...changes } })
    await frame()
    page.button('Model options, changed').click()
    await page.soon('.model-dialog[open] form')
    expect([field('Reply limit').value, labelled<HTMLSelectElement>('Effort').value]).toEqual(['4096', 'high'])
    page.button('Back to the model’s own').click()
    await frame()
    page.button('Save').click()
    await expectSoon(() =>
      expect(page.of('configure').at(-1)).toEqual([{ sessionId: 's', options: { maxTokens: null, temperature: null, effort: null } }]),
    )
  })

  test('another model starts with its own limits', async () => {
    const page = await withModel()
    await page.app.current.open('s')
    page.session('s').setLive({ options: { provider: 'demo', model: 'demo', effort: 'high' } })
    const choice = page.app.models.choices.value.find(({ provider }) => provider === 'x')
    if (choice !== undefined) await page.app.models.pick(choice)
    expect(page.of('configure')).toEqual([[{ sessionId: 's', options: { provider: 'x', model: 'm', effort: null } }]])
  })

  test('what the model cannot do is refused before it is saved, and a model without levels offers none', async () => {
    const page = await withModel()
    await openOptions(page)
    await type(field('Reply limit'), '9000')
    page.button('Save').click()
    await expectSoon(() => expect(shownText(page.one('.model-dialog .probe'))).toContain('at most 8,192 tokens'))
    expect(page.of('models.choose').at(-1)).toEqual([{ provider: 'x', model: 'm' }])
    unmountAll()
    const plain = await withModel({ tools: true })
    await openOptions(plain)
    expect(() => labelled('Effort')).toThrow('No field')
  })
})

test('A1 a page that is looked at again knows the models that another tab has added', async () => {
  const page = await mountApp()
  await expectSoon(() => expect(page.of('models.list')).toHaveLength(1))
  document.dispatchEvent(new Event('visibilitychange'))
  await expectSoon(() => expect(page.of('models.list')).toHaveLength(2))
})
