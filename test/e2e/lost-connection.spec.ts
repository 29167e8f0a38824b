// S7: the browser closes the database behind our back, and pages go away and come back: nothing is lost, and the session goes on.
import { chromium, type Page } from '@playwright/test'
import { gate } from '../kit/gate.ts'
import { text } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { appOn, expect, test } from './app.ts'

/** Closes every connection to every database of this browser, as it does by itself to pages that it wants to be rid of. */
const closeConnections = async (page: Page): Promise<void> => {
  const internals = await page.context().newPage()
  await internals.goto('chrome://indexeddb-internals')
  const buttons = internals.getByText('Force close')
  await expect(buttons).not.toHaveCount(0)
  for (const button of await buttons.all()) await button.click()
  await internals.close()
}

test('S7 a database that the browser closed is opened again, in the middle of a reply too, and every word is stored once', async ({
  app,
  page,
  server,
}) => {
  const pauses = [gate(), gate()] as const
  server.add(
    streams(text('First, second, third.', { chunks: ['First', pauses[0], ', second', pauses[1], ', third.'] })),
    streams(text('Here again.')),
  )
  await app.useServer(server)
  await app.say('count')
  for (const pause of pauses) {
    await pause.reached
    await closeConnections(page)
    pause.open()
  }
  await expect(app.items('assistant')).toContainText('First, second, third.')
  await app.idle()
  await closeConnections(page)
  await app.say('are you there?')
  await expect(app.items('assistant').last()).toContainText('Here again.')
  await app.idle()
  await expect(page.locator('[data-banner="storage"]')).toHaveCount(0)

  await page.reload()
  await expect(app.items('user')).toHaveText([/count/, /are you there/])
  await expect(app.items('assistant').first()).toContainText('First, second, third.')
  await expect(app.items('assistant').last()).toContainText('Here again.')
})

test('S7 a page that comes back out of the back-forward cache goes on, though its database was closed meanwhile', async ({
  server,
  baseURL,
}) => {
  const { executablePath, args } = test.info().project.use.launchOptions ?? {}
  // The driver of the tests switches this cache off.
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    ...(args && { args }),
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  const context = await browser.newContext(baseURL === undefined ? {} : { baseURL })
  const page = await context.newPage()
  const app = appOn(page)
  server.add(streams(text('Stored.')), streams(text('Back again.')))
  await app.open()
  await app.useServer(server)
  await app.say('please')
  await expect(app.items('assistant')).toContainText('Stored.')
  await app.idle()
  await page.evaluate(() => {
    addEventListener('pageshow', ({ persisted }) => document.body.setAttribute('data-came-back', String(persisted)))
  })
  // Not `goto` and `goBack`: they wait for a load, and coming back out of the cache is none.
  await page.evaluate(() => location.assign('nowhere'))
  await expect(app.items('assistant')).toHaveCount(0)
  await closeConnections(page)
  await page.evaluate(() => void setTimeout(() => history.back())) // after the answer: going back ends what would give it
  await expect(page.locator('body')).toHaveAttribute('data-came-back', 'true')
  await app.say('and now?')
  await expect(app.items('assistant').last()).toContainText('Back again.')
  await app.idle()
  await page.reload()
  await expect(app.items('user')).toHaveText([/please/, /and now/])
  await browser.close()
})
