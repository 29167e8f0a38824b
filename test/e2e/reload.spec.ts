// Nothing is lost: reload and kill in the middle of a reply and of a tool call, then go on.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { browserPath, chromiumArguments } from '../../scripts/browser.mjs'
import { gate } from '../kit/gate.ts'
import { text, toolCall } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { appOn, expect, test } from './app.ts'

/** Until that many events are in the database: what is shown is written within 100 ms. */
const storedEvents = (page: Page, count: number): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(
        () =>
          new Promise<number>((resolve, reject) => {
            const opening = indexedDB.open('sideloop/default')
            opening.onerror = () => reject(opening.error)
            opening.onsuccess = () => {
              const rows = opening.result.transaction('sessions').objectStore('sessions').getAll()
              rows.onsuccess = () => {
                opening.result.close()
                resolve(Math.max(0, ...rows.result.map(({ nextSeq }) => nextSeq)))
              }
            }
          }),
      ),
    )
    .toBeGreaterThanOrEqual(count)

test('S8 after a reload in the middle of a reply everything is there, and the session goes on', async ({ app, server }) => {
  const pause = gate()
  server.add(streams(text('What you saw so far', { chunks: ['What you saw', pause, ' so far'] })), streams(text('And the rest.')))
  await app.useServer(server)
  await app.say('Tell me something')
  await expect(app.items('assistant')).toContainText('What you saw')
  await storedEvents(app.page, 6)
  await app.page.reload()
  await expect(app.items('user')).toContainText('Tell me something')
  await expect(app.items('assistant')).toContainText('What you saw')
  await expect(app.items('interrupted')).toBeVisible()
  await app.page.getByRole('button', { name: 'Go on' }).click()
  await expect(app.items('assistant').last()).toContainText('And the rest.')
  await app.idle()
  pause.open()
  const { messages } = (await server.request(2)).body as {
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
  expect(messages.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual(['user', 'assistant'])
})

/** The renderer process is killed, not closed: nothing of the page or its worker gets a word in. */
const crash = async (page: Page): Promise<void> => {
  const crashed = page.waitForEvent('crash')
  const session = await page.context().newCDPSession(page)
  session.send('Page.crash').catch(() => {}) // never answered: the renderer is gone
  await crashed
}

test('S3 S8 killing the tab in the middle of a reply loses nothing that was shown as sent', async ({ app, server, context }) => {
  const pause = gate()
  server.add(streams(text('Half of it', { chunks: ['Half', pause, ' of it'] })), streams(text('All of it.')), streams(text('And more.')))
  await app.useServer(server)
  await app.say('first question')
  await expect(app.items('assistant')).toContainText('Half')
  await app.say('second question')
  await expect(app.items('queued')).toContainText('second question')
  const address = app.page.url()
  await crash(app.page)

  const again = appOn(await context.newPage())
  await again.page.goto(address)
  await expect(again.items('user').first()).toContainText('first question')
  await expect(again.items('assistant').first()).toContainText('Half')
  await expect(again.items('user').last()).toContainText('second question')
  await expect(again.items('assistant').last()).toContainText('All of it.')
  await again.idle()
  await again.say('third question')
  await expect(again.items('assistant').last()).toContainText('And more.')
  await expect(again.items('user')).toHaveCount(3)
})

test('S3 S8 killing the tab in the middle of a tool call keeps the call, and says that its outcome is unknown', async ({
  app,
  server,
  context,
}) => {
  server.add(streams(toolCall('run_js', { code: 'while (true) {}', timeoutMs: 30_000 }, 'c1')), streams(text('I will look again.')))
  await app.useServer(server)
  await app.say('run it')
  await expect(app.tools('run_js')).toHaveAttribute('data-state', 'running')
  const address = app.page.url()
  await crash(app.page)

  const again = appOn(await context.newPage())
  await again.page.goto(address)
  await expect(again.tools('run_js')).toHaveCount(1)
  await expect(again.tools('run_js')).not.toHaveAttribute('data-state', 'running')
  await again.page.getByRole('button', { name: 'Go on' }).click()
  await expect(again.items('assistant').last()).toContainText('I will look again.')
  const { messages } = (await server.request(2)).body as {
    readonly messages: readonly { readonly role: string; readonly tool_call_id?: string }[]
  }
  expect(messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id)).toEqual(['c1'])
})

test('S3 a prompt that was acknowledged survives the end of the whole browser', async ({ server, baseURL }) => {
  const profile = mkdtempSync(join(tmpdir(), 'sideloop-profile-'))
  const options = { executablePath: browserPath(), args: chromiumArguments, ...(baseURL === undefined ? {} : { baseURL }) }
  const pause = gate()
  server.add(streams(text('Never finished', { chunks: ['Never', pause] })))
  try {
    const first = await chromium.launchPersistentContext(profile, options)
    const app = appOn(first.pages()[0] ?? (await first.newPage()))
    await app.open()
    await app.useServer(server, { key: 'key-that-stays' })
    await app.say('remember me')
    await expect(app.items('user')).toHaveAttribute('data-state', 'sent')
    const address = app.page.url()
    await first.close()

    const second = await chromium.launchPersistentContext(profile, options)
    const again = appOn(second.pages()[0] ?? (await second.newPage()))
    await again.page.goto(address)
    await expect(again.items('user')).toContainText('remember me')
    await second.close()
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
})
