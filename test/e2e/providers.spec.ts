// A provider of every protocol over real HTTP: listed, tested, saved, talked to; and what a person is told when it does not work.
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { text } from '../kit/replies.ts'
import type { Behaviour, ScriptedServer } from '../kit/scripted-server.ts'
import { answersHtml, outOfQuota, streamsAs, wrongKey } from '../kit/server-replies.ts'
import { VENDOR_STREAMS } from '../kit/vendor-streams.ts'
import { type App, expect, test } from './app.ts'

const sends =
  (body: unknown): Behaviour =>
  (exchange) => {
    exchange.head(200, { 'content-type': 'application/json' })
    exchange.end(JSON.stringify(body))
  }

type Kind = {
  readonly protocol: string
  readonly stream: keyof typeof VENDOR_STREAMS
  readonly base: string
  readonly list: unknown
  readonly path: string
  readonly key: readonly [header: string, value: string]
}

const KINDS: readonly Kind[] = [
  {
    protocol: 'OpenAI Chat Completions',
    stream: 'openai-chat',
    base: '/v1',
    list: { data: [{ id: 'small-1', context_length: 131_072 }, { id: 'text-embedding-1' }] },
    path: '/v1/chat/completions',
    key: ['authorization', 'Bearer sk-test-1'],
  },
  {
    protocol: 'OpenAI Responses',
    stream: 'openai-responses',
    base: '/v1',
    list: { data: [{ id: 'small-1', context_length: 131_072 }] },
    path: '/v1/responses',
    key: ['authorization', 'Bearer sk-test-1'],
  },
  {
    protocol: 'Anthropic Messages',
    stream: 'anthropic-messages',
    base: '',
    list: { data: [{ id: 'small-1', display_name: 'Small', max_input_tokens: 131_072 }] },
    path: '/v1/messages',
    key: ['x-api-key', 'sk-test-1'],
  },
  {
    protocol: 'Google Gemini',
    stream: 'gemini',
    base: '/v1beta',
    list: { models: [{ name: 'models/small-1', inputTokenLimit: 131_072, supportedGenerationMethods: ['generateContent'] }] },
    path: '/v1beta/models/small-1:streamGenerateContent',
    key: ['x-goog-api-key', 'sk-test-1'],
  },
  {
    protocol: 'Ollama',
    stream: 'ollama-chat',
    base: '',
    list: { models: [{ name: 'small-1' }] },
    path: '/api/chat',
    key: ['authorization', 'Bearer sk-test-1'],
  },
]

/** Waits until the form stands still, as a person does. */
const pick = (dialog: Locator, preset: string): Promise<void> =>
  dialog.locator('label.presets__one', { hasText: new RegExp(`^${preset}$`) }).click()

const openForm = async (page: Page, preset: string): Promise<Locator> => {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByRole('button', { name: 'Add a provider' }).click()
  await pick(dialog, preset)
  return dialog
}

const fillServer = async (dialog: Locator, server: ScriptedServer, base = '/v1'): Promise<void> => {
  await dialog.getByLabel('Name', { exact: true }).fill('Scripted')
  await dialog.getByLabel('Address').fill(`${server.origin}${base}`)
}

const done = async (app: App, dialog: Locator): Promise<void> => {
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.locator('[data-provider]')).toContainText('Scripted')
  await dialog.getByRole('button', { name: 'Close the settings' }).click()
  await app.page.getByLabel('Model', { exact: true }).selectOption({ label: 'small-1' })
}

for (const { protocol, stream, base, list, path, key } of KINDS) {
  test(`A1 W1 ${protocol}: its models are listed, its key is tested, and it answers, after a reload too`, async ({
    app,
    server,
    problems,
  }) => {
    const { page } = app
    const says = (words: string): Behaviour => streamsAs(VENDOR_STREAMS[stream], text(words))
    server.answerModels(sends(list))
    server.add(says('ready'), says('Hello from the server.'), says('Still here.'))
    const dialog = await openForm(page, 'Other')
    await dialog.getByLabel('Protocol').selectOption({ label: protocol })
    await fillServer(dialog, server, base)
    await dialog.getByLabel(/^Key/).fill('sk-test-1')
    await dialog.getByRole('button', { name: 'Fetch the list' }).click()
    await expect(dialog.locator('.found__one')).toHaveCount(1)
    if (stream !== 'ollama-chat') await expect(dialog.locator('.found__one')).toContainText('131k window')
    await dialog.locator('.found__one input').check()
    await dialog.getByRole('button', { name: 'Test' }).click()
    await expect(dialog.locator('.probe').last()).toContainText('small-1 answered')
    await done(app, dialog)
    await app.say('hello')
    await expect(app.items('assistant')).toContainText('Hello from the server.')
    await page.reload()
    await expect(app.items('assistant')).toContainText('Hello from the server.')
    await app.say('and now?')
    await expect(app.items('assistant').last()).toContainText('Still here.')
    expect(server.requests.map((request) => [request.path, request.headers[key[0]]])).toEqual(Array(3).fill([path, key[1]]))
    expect(await page.content()).not.toContain('sk-test-1')
    if (stream !== 'ollama-chat') expect(problems).toEqual([]) // Ollama’s question about a model is answered 404 here
  })
}

test('W10 a wrong key, an account without credit, and a page instead of a model server are told apart', async ({ app, server }) => {
  server.add(wrongKey(), outOfQuota(), answersHtml(200), answersHtml(404))
  const dialog = await openForm(app.page, 'Other')
  await fillServer(dialog, server)
  await dialog.getByRole('textbox', { name: 'Models' }).fill('small-1')
  const says = dialog.locator('.probe').last()
  for (const words of [
    'The key was not accepted',
    'quota of the account is used up',
    'not a reply of a model',
    'Nothing answers at this address',
  ]) {
    await dialog.getByRole('button', { name: 'Test' }).click()
    await expect(says).toContainText(words)
  }
})

test('A1 a local server that refuses this page shows the setting that it needs, with this page’s own origin', async ({ app, server }) => {
  const { page } = app
  server.cors('refuse')
  const dialog = await openForm(page, 'Ollama')
  await fillServer(dialog, server, '')
  await dialog.getByRole('textbox', { name: 'Models' }).fill('small-1')
  await dialog.getByRole('button', { name: 'Test' }).click()
  const help = dialog.locator('[data-origin-help=ollama]')
  await expect(help).toBeVisible()
  const { origin } = new URL(page.url())
  await expect(help.locator('.code').first()).toContainText('OLLAMA_ORIGINS')
  await expect(help.locator('.code').first()).toContainText(origin)
  server.cors('allow')
  server.add(streamsAs(VENDOR_STREAMS['ollama-chat'], text('ready')))
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.locator('.probe').last()).toContainText('small-1 answered')
  await expect(help).toHaveCount(0)
})

test('A1 a server at an address of this network is named as what the page’s own policy stops', async ({ app }) => {
  const dialog = await openForm(app.page, 'Other')
  await dialog.getByLabel('Name', { exact: true }).fill('Box')
  await dialog.getByLabel('Address').fill('http://192.168.7.7:8000/v1')
  await dialog.getByRole('textbox', { name: 'Models' }).fill('small-1')
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.locator('.probe').last()).toContainText('content policy of this page')
})

test('A1 servers on this computer are found on a click, and one that is found answers', async ({ app, server }) => {
  const { page } = app
  const asked: string[] = []
  await page.context().route(/^http:\/\/(127\.0\.0\.1|localhost):(11434|1234|8080|8000|1337|5001|30000)\//, async (route) => {
    const url = new URL(route.request().url())
    asked.push(url.host)
    if (url.host !== '127.0.0.1:1234') return route.abort('connectionrefused')
    const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/json' }
    return route.fulfill({ status: 200, headers, body: JSON.stringify({ data: [{ id: 'small-1' }] }) })
  })
  await page.getByRole('button', { name: 'Settings' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await expect(dialog.getByRole('button', { name: 'Look for local servers' })).toBeVisible()
  expect(asked).toEqual([])
  await dialog.getByRole('button', { name: 'Look for local servers' }).click()
  await expect(dialog.locator('[data-local]')).toHaveCount(1)
  await dialog.getByRole('button', { name: 'Use LM Studio at 127.0.0.1:1234' }).click()
  await expect(dialog.getByLabel('Address')).toHaveValue('http://127.0.0.1:1234/v1')
  expect(asked.length).toBeGreaterThan(0)
  server.add(streamsAs(VENDOR_STREAMS['openai-chat'], text('Found.')))
  await fillServer(dialog, server) // the rest over real HTTP
  await done(app, dialog)
  await app.say('hello')
  await expect(app.items('assistant')).toContainText('Found.')
})

test('W13 the limits of a session go along with its requests, and a level that the model lacks is not offered', async ({ app, server }) => {
  const { page } = app
  server.answerModels(sends({ data: [{ id: 'small-1', context_length: 8192, supported_parameters: ['tools'] }] }))
  server.add(streamsAs(VENDOR_STREAMS['openai-chat'], text('One.')), streamsAs(VENDOR_STREAMS['openai-chat'], text('Two.')))
  const dialog = await openForm(page, 'Other')
  await fillServer(dialog, server)
  await dialog.getByRole('button', { name: 'Fetch the list' }).click()
  await dialog.locator('.found__one input').check()
  await done(app, dialog)
  await app.say('first')
  await expect(app.items('assistant')).toContainText('One.')
  await page.getByRole('button', { name: /Model options/ }).click()
  const options = page.getByRole('dialog', { name: 'small-1' })
  await expect(options).toContainText('8,192 tokens at once')
  await expect(options.getByLabel('Effort')).toHaveCount(0)
  await options.getByLabel('Reply limit').fill('300')
  await options.getByLabel('Temperature').fill('0.5')
  await options.getByRole('button', { name: 'Save' }).click()
  await app.idle()
  await app.say('second')
  await expect(app.items('assistant').last()).toContainText('Two.')
  expect(server.requests[0]?.body).not.toHaveProperty('temperature')
  expect(server.requests[1]?.body).toMatchObject({ max_tokens: 300, temperature: 0.5 })
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const { name, width, height } of [
    { name: 'wide', width: 1280, height: 800 },
    { name: 'phone', width: 360, height: 740 },
  ]) {
    test.describe(`A9 A11 the settings, ${name}, ${colorScheme}`, () => {
      test.use({ colorScheme, viewport: { width, height } })
      test.setTimeout(120_000) // five looks by axe, on a machine that may be busy

      test('every state of a provider, and the options of a model', async ({ app, server }) => {
        const { page } = app
        const check = async (): Promise<void> => {
          const { violations } = await new AxeBuilder({ page }).analyze()
          expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual([])
          const overflow = await page.evaluate(() =>
            [...document.querySelectorAll('html, dialog[open] .settings__content')].map((part) => part.scrollWidth - part.clientWidth),
          )
          expect(Math.max(...overflow), 'nothing is wider than its place').toBeLessThanOrEqual(0)
        }
        const models = Array.from({ length: 12 }, (_, i) => ({ id: `vendor-of-some-length/small-${i}`, pricing: { input: 1, output: 2 } }))
        server.answerModels(sends({ data: models }))
        server.add(wrongKey())
        if (name === 'phone')
          await page
            .getByRole('button', { name: /sessions/i })
            .first()
            .click()
        const dialog = await openForm(page, 'Ollama')
        await check()
        await pick(dialog, 'Other')
        await fillServer(dialog, server)
        await dialog.getByRole('button', { name: 'Fetch the list' }).click()
        await dialog.locator('.found__one input').first().check()
        await dialog.getByRole('button', { name: 'Test' }).click()
        await expect(dialog.locator('.probe').last()).toContainText('The key was not accepted')
        await check()
        server.cors('refuse')
        await dialog.getByRole('button', { name: 'Test' }).click()
        await expect(dialog.locator('[data-origin-help]')).toBeVisible()
        await check()
        await dialog.getByRole('button', { name: 'Save' }).click()
        await dialog.getByRole('button', { name: 'Look for local servers' }).click()
        await expect(dialog.locator('[data-local-search=found]')).toBeVisible()
        await check()
        await dialog.getByRole('button', { name: 'Close the settings' }).click()
        if (name === 'phone') await page.keyboard.press('Escape')
        await page.getByRole('button', { name: /Model options/ }).click()
        await expect(page.getByRole('dialog', { name: /vendor-of-some-length/ })).toBeVisible()
        await check()
      })
    })
  }
}
