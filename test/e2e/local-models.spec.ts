// Models that run in the tab, with the real llama.cpp: from an address of a local server to an answer without any server.
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { tinyGguf } from '../kit/tiny-gguf.ts'
import { startWeightsServer, type WeightsServer } from '../kit/weights-server.ts'
import { type App, test as base, expect } from './app.ts'

/** Hears what the person says and nothing else: its tokens are single letters, and each takes its time to read. */
const HEARS = "{% for m in messages %}{% if m.role == 'user' %}<|user|>{{ m.content }}<|end|>{% endif %}{% endfor %}<|assistant|>"
const TINY = tinyGguf({ reply: ['Hello', ' from', ' this', ' tab'], chatTemplate: HEARS })
const ANSWER = 'Hello from this tab'

const test = base.extend<{ readonly weights: WeightsServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  weights: async ({}, use) => {
    const server = await startWeightsServer()
    await use(server)
    await server.close()
  },
})

/** Compiling llama.cpp takes what the machine has left. */
const PATIENCE = { timeout: 45_000 }
test.setTimeout(150_000)

const openSection = async (page: Page): Promise<Locator> => {
  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'Run a model in this tab…' })
  const section = page.getByRole('region', { name: 'In this tab' })
  await expect(section.locator('[data-local-model]').first()).toBeVisible()
  return section
}
const add = async (section: Locator, url: string): Promise<void> => {
  await section.getByRole('button', { name: 'Add a model…' }).click()
  await section.getByLabel('Address').fill(url)
  await section.getByRole('button', { name: 'Download', exact: true }).click()
}
const rowOf = (section: Locator, id: string): Locator => section.locator(`[data-local-model="${id}"]`)

/** Added from the server, downloaded, chosen for this session and for new ones. */
const haveTiny = async ({ page }: App, weights: WeightsServer): Promise<void> => {
  const section = await openSection(page)
  await add(section, weights.serve('/tiny.gguf', { bytes: TINY }))
  await rowOf(section, 'tiny').getByRole('button', { name: 'Use it' }).click(PATIENCE)
  await expect(page.getByLabel('Model', { exact: true })).toHaveValue('local\ntiny')
}
const answers = async (app: App, words: string): Promise<void> => {
  const before = await app.items('assistant').count()
  await app.say(words)
  await expect(app.items('assistant')).toHaveCount(before + 1, PATIENCE)
  await expect(app.items('assistant').last()).toContainText(ANSWER)
  await app.idle()
}

test('W15 a model is added by its address, stopped, gone on with by a range, used, and removed', async ({ app, weights, problems }) => {
  const { page } = app
  const section = await openSection(page)
  await add(section, weights.serve('/tiny.gguf', { bytes: TINY, holdsAt: 900_000 }))
  const row = rowOf(section, 'tiny')
  const bar = row.getByRole('progressbar', { name: 'Download of tiny' })
  await expect(bar).toHaveAttribute('aria-valuetext', /^0\.9 MB of 1\.8 MB · 5\d %$/)
  await expect(section.locator('[data-said]')).toHaveText('Downloading tiny.')
  expect((await new AxeBuilder({ page }).include('.settings').analyze()).violations).toEqual([])

  await row.getByRole('button', { name: 'Stop' }).click()
  await expect(row).toContainText('0.9 MB of 1.8 MB here')
  await expect(section.locator('[data-said]')).toContainText('was stopped')
  await row.getByRole('button', { name: 'Go on' }).click()
  await expect(row).toContainText('Here · 1.8 MB', PATIENCE)
  expect(weights.requests).toEqual(['/tiny.gguf', '/tiny.gguf bytes=900000-'])

  await row.getByRole('button', { name: 'Use it' }).click()
  await answers(app, 'hello')
  expect(problems).toEqual([])

  await openSection(page)
  await expect(row).toContainText('In memory · 1.8 MB')
  await row.getByRole('button', { name: 'Remove' }).click()
  await expect(row).toContainText('That frees 1.8 MB.')
  await row.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(row).toHaveCount(0)
  expect(weights.requests).toHaveLength(2)
})

test('W15 without its server, after a reload, it answers again from the weights that were kept', async ({ app, weights, problems }) => {
  await haveTiny(app, weights)
  await answers(app, 'hello')
  await weights.close()
  await app.page.reload()
  await expect(app.items('assistant')).toContainText(ANSWER)
  await answers(app, 'and now?')
  await app.newSession()
  await answers(app, 'in a new session')
  expect(problems).toEqual([])
})

test('W15 with the network off, in a tab that is open, it is loaded and answers', async ({ app, weights, context }) => {
  await haveTiny(app, weights)
  await context.setOffline(true)
  await weights.close()
  await answers(app, 'hello')
  await answers(app, 'once more')
})

test('W15 a file of one’s own is copied into the browser, and answers', async ({ app }) => {
  const section = await openSection(app.page)
  await section.getByRole('button', { name: 'Add a model…' }).click()
  await section
    .locator('[data-model-file]')
    .setInputFiles({ name: 'Mine.gguf', mimeType: 'application/octet-stream', buffer: Buffer.from(TINY) })
  await rowOf(section, 'mine').getByRole('button', { name: 'Use it' }).click(PATIENCE)
  await answers(app, 'hello')
})

test('W15 a web page instead of a model, nothing at the address, and a file that is none are said plainly', async ({ app, weights }) => {
  const section = await openSection(app.page)
  const page = new TextEncoder().encode('<!doctype html><title>Sign in</title>'.padEnd(3000))
  await add(section, weights.serve('/page.gguf', { bytes: page, contentType: 'text/html' }))
  await expect(rowOf(section, 'page')).toContainText('it is a web page and no GGUF file')
  await expect(rowOf(section, 'page').getByRole('button', { name: 'Try again' })).toBeVisible()
  await add(section, `${weights.origin}/nothing.gguf`)
  await expect(rowOf(section, 'nothing')).toContainText('there is no file at this address')
  await section.getByRole('button', { name: 'Add a model…' }).click()
  await section.getByLabel('Address').fill('https://models.example/model.bin')
  await section.getByRole('button', { name: 'Download', exact: true }).click()
  await expect(section.getByLabel('Address')).toHaveAccessibleDescription(/must lead to a file whose name ends in .gguf/)
  await section
    .locator('[data-model-file]')
    .setInputFiles({ name: 'notes.gguf', mimeType: 'text/plain', buffer: Buffer.from('some notes') })
  await expect(section.getByLabel('Address')).toHaveAccessibleDescription(/is no GGUF file/)
  await expect(section.getByRole('listitem')).toHaveCount(5)
})
