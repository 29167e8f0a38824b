// What is kept can be found, forked, reworded, taken out, brought in and thrown away: over the real store, as a person does it.
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { text } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { type App, appOn, expect, test } from './app.ts'

const rows = (page: Page): Locator => page.locator('.sidebar [data-session]')
const row = (page: Page, title: string): Locator => rows(page).filter({ hasText: title })
const menu = async (page: Page, entry: string): Promise<void> => {
  await page.getByRole('button', { name: 'What to do with this session' }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}
const rowMenu = async (page: Page, title: string, entry: string): Promise<void> => {
  await row(page, title).hover()
  await row(page, title)
    .getByRole('button', { name: /What to do with/ })
    .click()
  await page.getByRole('menuitem', { name: entry }).click()
}
const notices = (page: Page): Locator => page.locator('.notice')

const check = async (page: Page): Promise<void> => {
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual([])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(overflow, 'nothing is wider than the page').toBeLessThanOrEqual(0)
}

/** Two turns with a file: written in the first, changed in the second. */
const twoTurns = async (app: App): Promise<void> => {
  await app.say('write "moon" to haiku.md')
  await expect(app.tools('write_file')).toHaveAttribute('data-state', 'done')
  await app.idle()
  await app.say('write "sun" to haiku.md')
  await expect(app.tools('write_file')).toHaveCount(2)
  await app.idle()
}

const fileText = async (page: Page): Promise<Locator> => {
  if ((await page.locator('.files').count()) === 0) await page.getByRole('button', { name: 'Files' }).click()
  await page.locator('.file', { hasText: 'haiku.md' }).click()
  return page.locator('.files__text')
}

test('S11 a fork from a turn edge has the files as they were there, says whose it is, leads back, and both go on', async ({ app }) => {
  const { page } = app
  await twoTurns(app)
  await page.getByRole('button', { name: 'Fork from here' }).first().click()
  await expect(page.locator('[data-fork-of]')).toContainText('Forked here from write "moon" to haiku.md')
  await expect(app.items('user')).toHaveCount(1)
  await expect(await fileText(page)).toContainText('moon')
  await app.say('12*34+5')
  await expect(app.items('assistant').last()).toContainText('413')
  await page.locator('[data-fork-of]').getByRole('button').click()
  await expect(app.items('user')).toHaveCount(2)
  await expect(await fileText(page)).toContainText('sun')
  await expect(rows(page)).toHaveCount(2)
})

test('S11 A4 an earlier message is sent again in other words, in a fork; the original stays, and a reload shows both', async ({
  app,
  server,
}) => {
  const { page } = app
  server.add(streams(text('Blue.')), streams(text('Round.')), streams(text('Red it is.')))
  await app.useServer(server)
  await app.say('which colour?')
  await expect(app.items('assistant')).toContainText('Blue.')
  await app.say('which form?')
  await expect(app.items('assistant').last()).toContainText('Round.')
  await app.idle()
  const original = await page.getByRole('main').getAttribute('data-session-id')

  await app.items('user').first().hover()
  await app.items('user').first().getByRole('button', { name: 'Edit and send again' }).click()
  await check(page)
  await page.getByLabel('Your message, in other words').fill('which colour, but warm?')
  await page.keyboard.press('Enter')
  await expect(app.items('assistant').last()).toContainText('Red it is.')
  await expect(app.items('user')).toHaveText(['which colour, but warm?'])
  await expect(page.getByRole('main')).not.toHaveAttribute('data-session-id', original ?? '')
  const { messages } = (await server.request(3)).body as { readonly messages: readonly { readonly role: string }[] }
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  await app.idle()

  await page.reload()
  await expect(app.items('user')).toHaveText(['which colour, but warm?'])
  await expect(page.locator('[data-fork-of]')).toBeVisible()
  await menu(page, 'Go to the original')
  await expect(app.items('user')).toHaveText(['which colour?', 'which form?'])
})

test('S12 a session is exported, deleted, and imported again by a drop, with its files', async ({ app }) => {
  const { page } = app
  await twoTurns(app)
  const saving = page.waitForEvent('download')
  await menu(page, 'Export')
  const download = await saving
  expect(download.suggestedFilename()).toMatch(/^write-moon-to-haiku-md-\d{4}-\d\d-\d\d\.sideloop\.zip$/)
  const path = await download.path()
  await menu(page, 'Delete')
  await expect(rows(page)).toHaveCount(0)
  await expect(notices(page)).toHaveCount(0, { timeout: 15_000 })

  await page
    .locator('.sidebar [data-import]')
    .setInputFiles([{ name: download.suggestedFilename(), mimeType: 'application/zip', buffer: await read(path) }])
  await expect(app.items('user')).toHaveCount(2)
  await expect(notices(page)).toContainText('Imported “write "moon" to haiku.md”.')
  await expect(await fileText(page)).toContainText('sun')
})

const read = async (path: string): Promise<Buffer> => (await import('node:fs/promises')).readFile(path)

test('S12 everything is exported at once, comes in beside what is there, and what is no session file is refused plainly', async ({
  app,
}) => {
  const { page } = app
  await app.say('12*34+5')
  await app.idle()
  await app.newSession()
  await app.say('hello')
  await app.idle()
  await page.getByRole('button', { name: 'Settings' }).click()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export all sessions' }).click()
  const download = await saving
  expect(download.suggestedFilename()).toMatch(/^sideloop-.*\.sideloop\.zip$/)
  const all = { name: 'all.sideloop.zip', mimeType: 'application/zip', buffer: await read(await download.path()) }
  const broken = { name: 'notes.jsonl', mimeType: 'text/plain', buffer: Buffer.from('just some words\n') }
  await page.locator('.sidebar [data-import]').setInputFiles([all, broken])
  await expect(rows(page)).toHaveCount(4)
  await expect(notices(page).filter({ hasText: 'Imported 2 sessions.' })).toBeVisible()
  await expect(notices(page).filter({ hasText: '“notes.jsonl” was not imported.' })).toBeVisible()
  await check(page)
})

test('A4 search is at hand by its key, finds, and is left with Escape', async ({ app }) => {
  const { page } = app
  for (const words of ['Lisbon in a day', 'Plan the garden']) {
    await app.say(words)
    await app.idle()
    await app.newSession()
  }
  await page.keyboard.press('Control+k')
  await expect(page.getByLabel('Search the sessions')).toBeFocused()
  await page.keyboard.type('GARD')
  await expect(rows(page)).toHaveCount(1)
  await check(page)
  await page.keyboard.type('xx')
  await expect(page.locator('.sidebar__list')).toContainText('No session has “GARDxx” in its title.')
  await check(page)
  await page.keyboard.press('Escape')
  await expect(rows(page)).toHaveCount(2)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(app.items('user')).toHaveText(['Plan the garden'])
})

test('A4 several that were deleted come back with one undo, also after a reload, and are gone when nobody wants them back', async ({
  app,
}) => {
  const { page } = app
  for (const words of ['one', 'two', 'three']) {
    await app.say(words)
    await app.idle()
    await app.newSession()
  }
  await rowMenu(page, 'one', 'Delete')
  await rowMenu(page, 'two', 'Delete')
  await expect(notices(page)).toContainText('Deleted 2 sessions.')
  await expect(rows(page)).toHaveCount(1)
  await page.reload()
  await expect(notices(page)).toContainText('Deleted 2 sessions.')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(rows(page)).toHaveCount(3)
  await rowMenu(page, 'three', 'Delete')
  await expect(notices(page)).toHaveCount(0, { timeout: 15_000 })
  await page.reload()
  await expect(rows(page)).toHaveCount(2)
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const { name, width, height } of [
    { name: 'wide', width: 1280, height: 800 },
    { name: 'phone', width: 360, height: 740 },
  ]) {
    test.describe(`A9 A11 ${name}, ${colorScheme}`, () => {
      test.use({ colorScheme, viewport: { width, height } })

      test('menus, a fork, a message in other words, the storage', async ({ page }) => {
        const app = appOn(page)
        await app.open()
        await app.say('12*34+5')
        await expect(app.items('assistant').last()).toContainText('413')
        await app.idle()
        await page.getByRole('button', { name: 'What to do with this session' }).click()
        await check(page)
        await page.getByRole('menuitem', { name: 'Fork from here' }).click()
        await expect(page.locator('[data-fork-of]')).toBeVisible()
        await check(page)
        await menu(page, 'Rename')
        await check(page)
        await page.keyboard.press('Escape')
        await page.getByRole('button', { name: 'Edit and send again' }).focus()
        await page.keyboard.press('Enter')
        await check(page)
        await page.keyboard.press('Escape')
        if (name === 'phone') await page.getByRole('button', { name: 'Sessions', exact: true }).click()
        await page.getByRole('button', { name: 'Settings' }).first().click()
        await page.getByRole('button', { name: 'Ask the browser to keep it' }).click()
        await expect(page.locator('.storage__keep')).toContainText(/It was asked|until you delete it/)
        await check(page)
      })
    })
  }
}
