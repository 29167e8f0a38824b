// A database that the browser finds damaged when it starts: Chromium deletes it, and the person is told, once.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from '@playwright/test'
import { browserPath, chromiumArguments } from '../../scripts/browser.mjs'
import { appOn, expect, test } from './app.ts'

/** Everything in a folder that names the parts of a database. */
const indexesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return indexesIn(path)
    return /^(CURRENT|MANIFEST)/.test(name) ? [path] : []
  })

test('S7 a database that the browser threw away is told once, and the application goes on', async ({ baseURL }) => {
  const folder = mkdtempSync(join(tmpdir(), 'damaged-'))
  const launch = (): Promise<BrowserContext> =>
    chromium.launchPersistentContext(folder, { executablePath: browserPath(), args: [...chromiumArguments], baseURL: baseURL ?? '' })
  try {
    const before = await launch()
    const first = appOn(before.pages()[0] ?? (await before.newPage()))
    await first.open()
    await first.say('hello')
    await expect(first.items('assistant').first()).toBeVisible()
    await first.idle()
    await before.close()

    const damaged = indexesIn(join(folder, 'Default', 'IndexedDB'))
    expect(damaged.length).toBeGreaterThan(0)
    for (const file of damaged) writeFileSync(file, Buffer.alloc(statSync(file).size, 'z'))

    const after = await launch()
    const app = appOn(after.pages()[0] ?? (await after.newPage()))
    await app.open()
    const told = app.page.locator('.notice[data-kind=error]')
    await expect(told).toHaveText(/had to begin an empty one/)
    await told.getByRole('button', { name: 'Dismiss' }).click()
    await app.page.reload()
    await app.newSession()
    await app.say('hello again')
    await expect(app.items('assistant').first()).toBeVisible()
    await expect(told).toHaveCount(0)
    await after.close()
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})
