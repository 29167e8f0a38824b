// Every screen, wide and narrow, light and dark: no axe violation, nothing wider than the page, and the keyboard is enough.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { gate } from '../kit/gate.ts'
import { reasoning, text, toolCall } from '../kit/replies.ts'
import { streams, wrongKey } from '../kit/server-replies.ts'
import { type App, appOn, expect, test } from './app.ts'

const check = async (page: Page): Promise<void> => {
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual([])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(overflow, 'nothing is wider than the page').toBeLessThanOrEqual(0)
}

const useServerNarrow = async (app: App, baseUrl: string, narrow: boolean): Promise<void> => {
  if (narrow)
    await app.page
      .getByRole('button', { name: /sessions/i })
      .first()
      .click()
  await app.useServer({ baseUrl })
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const { name, width, height } of [
    { name: 'wide', width: 1280, height: 800 },
    { name: 'phone', width: 360, height: 740 },
  ]) {
    test.describe(`A9 A11 ${name}, ${colorScheme}`, () => {
      test.use({ colorScheme, viewport: { width, height } })

      test('the first minute, a task with its tools, and the files', async ({ app }) => {
        const { page } = app
        await check(page)
        await page.locator('.task').nth(2).click()
        await expect(app.tools('run_js')).toHaveCount(2, { timeout: 15_000 })
        await app.idle()
        await check(page)
        await page.getByRole('button', { name: 'Files' }).first().click()
        await check(page)
      })

      test('streaming, reasoning, a queue, an error, the settings', async ({ page, server }) => {
        const app = appOn(page)
        const pause = gate()
        server.add(
          streams(
            reasoning('Thinking about it'),
            text('# Title\n\nSome `code` and a [link](https://example.com).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n', {
              chunks: ['# Title\n\nSome `code` and a [link](https://example.com).\n\n', pause, '| a | b |\n|---|---|\n| 1 | 2 |\n'],
            }),
          ),
          wrongKey(),
          streams(toolCall('list_files', {}, 'c1')),
        )
        await app.open()
        await useServerNarrow(app, server.baseUrl, name === 'phone')
        await app.say('hello')
        await expect(app.items('assistant')).toContainText('Title')
        await app.say('queued one')
        await expect(app.items('queued')).toHaveCount(1)
        await check(page)
        pause.open()
        await expect(app.items('error')).toBeVisible()
        await check(page)
      })
    })
  }
}

test('A9 with the keyboard alone: a task is started, stopped, and the settings are opened and left', async ({ app, server }) => {
  const { page } = app
  server.add(streams(text('Never', { chunks: ['Never', gate()] })))
  await app.useServer(server)
  await page.getByLabel('Message', { exact: true }).focus()
  await page.keyboard.type('work')
  await page.keyboard.press('Enter')
  await app.running()
  await page.keyboard.press('Escape')
  await app.idle()
  await expect(app.items('aborted')).toBeVisible()
  const settings = page.getByRole('button', { name: 'Settings' }).first()
  await settings.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeHidden()
  await expect(settings).toBeFocused()
})
