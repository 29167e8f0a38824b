// An import that takes its time: it says how far it is, and the keyboard ends it with nothing left behind.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import { expect, test } from './app.ts'

const EVENTS = 400_000

const longFile = (folder: string): string => {
  const header = JSON.stringify({ format: 'sideloop-session/1', length: EVENTS, version: 1, id: 'long-session-0001', createdAt: 1 })
  const event = (seq: number): string =>
    JSON.stringify({ type: 'plugin/noted', seq, time: seq, data: { plugin: 'p', data: `some words that take room ${seq}` } })
  const path = join(folder, 'long.jsonl')
  writeFileSync(path, [header, ...Array.from({ length: EVENTS }, (_, seq) => event(seq))].join('\n'))
  return path
}

for (const { name, colorScheme, viewport } of [
  { name: 'wide, light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'phone, dark', colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const) {
  test.describe(`S12 A9 ${name}`, () => {
    test.use({ colorScheme, viewport })

    test('a long import shows how far it is, and is cancelled with the keyboard', async ({ app }) => {
      const { page } = app
      const folder = mkdtempSync(join(tmpdir(), 'import-'))
      try {
        await page.locator('.sidebar [data-import]').setInputFiles(longFile(folder))
        const bar = page.getByRole('progressbar', { name: 'How far it is' })
        await expect.poll(() => bar.evaluate((element) => (element as HTMLProgressElement).value)).toBeGreaterThan(0)
        await page.getByRole('button', { name: 'Cancel' }).focus()
        const { violations } = await new AxeBuilder({ page }).include('.notice-place').analyze()
        expect(violations).toEqual([])
        await page.keyboard.press('Enter')
        await expect(page.locator('.notice')).toContainText('Import cancelled. Nothing was added.')
        await page.reload()
        await expect(page.getByLabel('Message', { exact: true })).toBeEditable()
        await expect(page.locator('.sidebar [data-session]')).toHaveCount(0)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  })
}
