// One session in several tabs: alive in each of them, driven by one, and by another when that one goes.
import type { Locator, Page } from '@playwright/test'
import { gate } from '../kit/gate.ts'
import { text, toolCall } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { type App, appOn, expect, test } from './app.ts'

const driver = (page: Page): Locator => page.locator('.driver')
const state = (page: Page, kind: string): Promise<void> => expect(page.getByRole('main')).toHaveAttribute('data-run-state', kind)

/** The same session in another tab. */
const another = async ({ page }: App): Promise<App> => {
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect(other.locator('.conversation__scroll')).toBeVisible()
  return appOn(other)
}

test('S9 two tabs show the same live session; prompts come from both, and one stops what the other began', async ({ app, server }) => {
  const [first, second] = [gate(), gate()]
  server.add(
    streams(text('One word after the other.', { chunks: ['One word', first, ' after the other.'] })),
    streams(text('From there.')),
    streams(text('Never', { chunks: ['Never', second] })),
  )
  await app.useServer(server)
  await app.say('go')
  await expect(app.items('assistant')).toContainText('One word')
  const other = await another(app)
  await expect(other.items('assistant')).toContainText('One word')
  await state(other.page, 'running')
  await expect(driver(other.page)).toContainText('Driven by another tab')
  await expect(driver(app.page)).toHaveCount(0)
  first.open()
  await expect(other.items('assistant')).toContainText('after the other.')
  await other.idle()

  await other.say('from the other tab')
  await expect(app.items('user')).toHaveText(['go', 'from the other tab'])
  await expect(app.items('assistant').last()).toContainText('From there.')
  await expect(other.items('assistant').last()).toContainText('From there.')
  await app.idle()

  await app.say('without end')
  await expect(other.items('assistant').last()).toContainText('Never')
  await other.page.keyboard.press('Escape')
  await expect(app.items('aborted')).toBeVisible()
  await state(app.page, 'idle')
  await state(other.page, 'idle')
})

test('S9 A5 a question that the agent asks in one tab is answered in another', async ({ app, server }) => {
  server.add(
    streams(toolCall('ask_user', { questions: [{ text: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }, 'c1')),
    streams(text('Blue it is.')),
  )
  await app.useServer(server)
  await app.say('paint it')
  await state(app.page, 'waiting')
  const other = await another(app)
  await expect(other.page.locator('[data-asks=question]')).toContainText('Which colour?')
  await other.page.locator('[data-asks=question]').getByLabel('Blue').check()
  await other.page.keyboard.press('Enter')
  await expect(app.items('assistant').last()).toContainText('Blue it is.')
  await expect(app.page.locator('[data-asks=question]')).toHaveCount(0)
})

test('S9 H7 when the driving tab is closed another drives, and the session goes on in all that are left', async ({ app, server }) => {
  server.add(streams(text('First.')), streams(text('Second.')))
  await app.useServer(server)
  await app.say('one')
  await expect(app.items('assistant')).toContainText('First.')
  await app.idle()
  const second = await another(app)
  const third = await another(app)
  await expect(driver(second.page)).toBeVisible()
  await expect(driver(third.page)).toBeVisible()
  await app.page.close()
  // One of the two drives now, and both know which.
  await expect.poll(async () => (await driver(second.page).count()) + (await driver(third.page).count()), { timeout: 5_000 }).toBe(1)
  await third.say('two')
  await expect(second.items('assistant').last()).toContainText('Second.')
  await expect(third.items('assistant').last()).toContainText('Second.')
  await expect(second.items('user')).toHaveText(['one', 'two'])
})

test('S9 H7 a session is taken over here: what ran there is left as interrupted, the other tab says so calmly, and it goes on here', async ({
  app,
  server,
}) => {
  const pause = gate()
  server.add(streams(text('Begun there', { chunks: ['Begun', pause, ' there'] })), streams(text('And finished here.')))
  await app.useServer(server)
  await app.say('go')
  await expect(app.items('assistant')).toContainText('Begun')
  const other = await another(app)
  await driver(other.page).getByRole('button', { name: 'Take over here' }).click()
  await expect(driver(other.page)).toHaveCount(0)
  await expect(driver(app.page)).toContainText('Driven by another tab')
  await expect(app.page.locator('.notice')).toContainText('Another tab drives this session now. You can go on here as before.')
  await expect(other.items('interrupted')).toBeVisible()
  await other.page.getByRole('button', { name: 'Go on' }).click()
  await expect(other.items('assistant').last()).toContainText('And finished here.')
  await expect(app.items('assistant').last()).toContainText('And finished here.')
  pause.open()
})

test('S9 A4 the list of one tab shows what runs in another', async ({ app, server }) => {
  const pause = gate()
  server.add(streams(text('Working', { chunks: ['Work', pause, 'ing'] })))
  await app.useServer(server)
  const other = appOn(await app.page.context().newPage())
  await other.open()
  await app.say('go')
  await expect(app.items('assistant')).toContainText('Work')
  await expect(other.page.locator('.sidebar .dot[data-status=running]')).toBeVisible({ timeout: 20_000 })
  pause.open()
  await expect(other.page.locator('.sidebar .dot[data-status=idle]')).toBeVisible({ timeout: 20_000 })
})

test('S9 a second tab shows the same session live, sends into it, and goes on alone when the first one is closed', async ({
  app,
  server,
}) => {
  const pause = gate()
  server.add(
    streams(text('Half of it, and the rest', { chunks: ['Half of it', pause, ', and the rest'] })),
    streams(text('To the second tab')),
    streams(text('Alone')),
  )
  await app.useServer(server)
  await app.say('Tell me')
  await expect(app.items('assistant')).toContainText('Half of it')
  const second = appOn(await app.page.context().newPage())
  await second.page.goto(app.page.url())
  await expect(second.items('assistant')).toContainText('Half of it')
  pause.open()
  await expect(second.items('assistant')).toContainText('and the rest')
  await second.idle()
  await second.say('And me')
  await expect(app.items('user').last()).toContainText('And me')
  await expect(app.items('assistant').last()).toContainText('To the second tab')
  await expect(second.items('assistant').last()).toContainText('To the second tab')
  await second.idle()
  await app.page.close()
  await second.say('Still there?')
  await expect(second.items('assistant').last()).toContainText('Alone')
  await second.idle()
  expect(await second.items('user').count()).toBe(3)
})

test('S9 A4 a name that is given in one tab is seen in the other at once', async ({ app, server }) => {
  server.add(streams(text('Lisbon it is.')))
  await app.useServer(server)
  await app.say('where to?')
  await app.idle()
  const other = await another(app)
  const title = other.page.getByRole('heading', { level: 1 })
  await expect(title).toHaveText('where to?')
  await app.page.getByRole('button', { name: 'What to do with this session' }).click()
  await app.page.getByRole('menuitem', { name: 'Rename' }).click()
  await app.page.keyboard.press('ControlOrMeta+A')
  await app.page.keyboard.type('Portugal')
  await app.page.keyboard.press('Enter')
  await expect(title).toHaveText('Portugal', { timeout: 3_000 })
})

test('S9 A1 a provider that is removed in one tab is told in the other, whose session keeps its model', async ({ app, server }) => {
  server.add(streams(text('Hello.')))
  await app.useServer(server)
  await app.say('hi')
  await app.idle()
  const other = await another(app)
  const model = other.page.getByLabel('Model', { exact: true }).locator('option:checked')
  await expect(model).toHaveText('scripted-1')
  await app.page.getByRole('button', { name: 'Settings' }).first().click()
  await app.page.getByRole('button', { name: 'Remove Scripted' }).click()
  await app.page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(model).toHaveText('Provider removed: scripted-1')
  await expect(other.page.locator('.notice')).toContainText('“Scripted” was removed.')
  await other.say('and now?')
  await expect(other.page.locator('.composer__failure')).toContainText('Choose another model')
  await other.page.getByLabel('Model', { exact: true }).selectOption({ label: 'Offline demo' })
  await other.page.getByLabel('Message', { exact: true }).press('Enter')
  await expect(other.items('assistant').last()).toContainText('I have no rule for “and now?”')
})
