// S4: a browser that does not let the site store anything says so at every place where it matters, and what to allow.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, expect, test } from '@playwright/test'

test('S4 where site data is blocked nothing is pretended: the list, the models and the composer say what to allow', async ({ baseURL }) => {
  const profile = await mkdtemp(join(tmpdir(), 'sideloop-blocked-'))
  await mkdir(join(profile, 'Default'))
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify({ profile: { default_content_setting_values: { cookies: 2 } } }))
  const { executablePath, args } = test.info().project.use.launchOptions ?? {}
  const context = await chromium.launchPersistentContext(profile, { ...(executablePath && { executablePath }), ...(args && { args }) })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.goto(baseURL ?? '')
  await expect(page.getByText(/sessions could not be listed.*Allow site data/i)).toBeVisible()
  await page.getByLabel('Message', { exact: true }).fill('hello')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: /Not sent.*Allow site data/i })).toBeVisible()
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('hello')
  expect(errors).toEqual([])
  await context.close()
  await rm(profile, { recursive: true, force: true })
})
