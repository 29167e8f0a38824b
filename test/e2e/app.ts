// The application in an end-to-end test: what a person does, in a person's words, and a scripted server beside it.
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { type ScriptedServer, startScriptedServer } from '../kit/scripted-server.ts'

export { expect } from '@playwright/test'

export type App = {
  readonly page: Page
  open(): Promise<void>
  say(text: string): Promise<void>
  /** Until nothing runs any more. */
  idle(): Promise<void>
  running(): Promise<void>
  items(kind: 'user' | 'assistant' | 'tool' | 'error' | 'interrupted' | 'aborted' | 'queued'): Locator
  tools(name: string): Locator
  /** Adds a provider through the settings and chooses its model. */
  useServer(server: Pick<ScriptedServer, 'baseUrl'>, options?: { readonly key?: string }): Promise<void>
  newSession(): Promise<void>
}

export const appOn = (page: Page): App => {
  const main = page.getByRole('main')
  const app: App = {
    page,
    async open() {
      await page.goto('./')
      await expect(page.getByLabel('Message', { exact: true })).toBeEditable()
    },
    async say(text) {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.keyboard.press('Enter')
    },
    idle: () => expect(main).not.toHaveAttribute('data-run-state', 'running'),
    running: () => expect(main).toHaveAttribute('data-run-state', 'running'),
    items: (kind) => page.locator(`[data-item="${kind}"]`),
    tools: (name) => page.locator(`[data-item="tool"][data-tool="${name}"]`),
    async useServer({ baseUrl }, { key } = {}) {
      await page.getByRole('button', { name: 'Settings' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Settings' })
      await dialog.getByRole('button', { name: 'Add a provider' }).click()
      await dialog.getByRole('radio', { name: /custom|other/i }).check({ force: true })
      await dialog.getByLabel('Name', { exact: true }).fill('Scripted')
      await dialog.getByLabel('Address').fill(baseUrl)
      if (key !== undefined) await dialog.getByLabel(/^Key/).fill(key)
      await dialog.getByRole('textbox', { name: 'Models' }).fill('scripted-1')
      await dialog.getByRole('textbox', { name: 'Models' }).press('Enter')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await expect(dialog.locator('[data-provider]')).toContainText('Scripted')
      await dialog.getByRole('button', { name: 'Close the settings' }).click()
      if ((await page.locator('.app[data-drawer]').count()) > 0) await page.keyboard.press('Escape') // the settings are in a phone's drawer
      await page.getByLabel('Model', { exact: true }).selectOption({ label: 'scripted-1' })
    },
    async newSession() {
      await page.getByRole('button', { name: 'New session' }).first().click()
    },
  }
  return app
}

type Fixtures = { readonly app: App; readonly server: ScriptedServer; readonly problems: string[] }

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  server: async ({}, use) => {
    const server = await startScriptedServer()
    await use(server)
    await server.close()
  },
  app: async ({ page }, use) => {
    const app = appOn(page)
    await app.open()
    await use(app)
  },
  /** Errors of the page and its workers, and refusals of a policy: a test that expects none asserts on it. */
  problems: async ({ page }, use) => {
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`)
    })
    await use(problems)
  },
})
