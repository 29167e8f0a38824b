// The main job: with no key and no network a person asks, and watches the agent do it with real tools.
import { expect, test } from './app.ts'

test.describe('in a tab that was only opened', () => {
  test('A1 offline: it works without a word before the network goes', async ({ page }) => {
    const here = new Set<string>()
    page
      .context()
      .on('requestfinished', (request) => here.add(new URL(request.url()).pathname.replace(/^.*\/([\w.-]+?)-[\w-]{8}\.(\w+)$/, '$1.$2')))
    await page.goto('./')
    const needed = ['next-reply.js', 'quickjs.worker.js', 'run-in-bash.js', 'copies.js']
    await expect.poll(() => needed.filter((part) => !here.has(part))).toEqual([])
    await page.context().setOffline(true)
    await page.locator('.task', { hasText: /count words/i }).click()
    await expect(page.locator('[data-item="assistant"]').last()).toContainText('47')
    await expect(page.locator('[data-item="error"]')).toHaveCount(0)
  })
})

test.describe('after a first message', () => {
  test.beforeEach(async ({ app }) => {
    // What was loaded must be enough, but for the parts that load on demand from the same folder: those are fetched before the network goes.
    await app.say('1+1')
    await expect(app.tools('run_js')).toHaveAttribute('data-state', 'done')
    await app.idle()
    await app.newSession()
    await app.page.context().setOffline(true)
  })

  const suggested = (title: RegExp) => ({ title })
  const TASKS = {
    compute: suggested(/prime/i),
    write: suggested(/then change it/i),
    program: suggested(/fix a program/i),
    count: suggested(/count words/i),
  }

  test('A1 offline: computes something in JavaScript', async ({ app, problems }) => {
    await app.page.locator('.task', { hasText: TASKS.compute.title }).click()
    await expect(app.tools('run_js')).toHaveAttribute('data-state', 'done')
    await app.idle()
    await expect(app.tools('run_js')).toContainText('639')
    await expect(app.items('assistant').last()).toContainText('639')
    expect(problems).toEqual([])
  })

  test('A1 offline: writes a file and changes it', async ({ app, problems }) => {
    await app.page.locator('.task', { hasText: TASKS.write.title }).click()
    await expect(app.tools('write_file')).toHaveCount(2)
    await app.idle()
    await expect(app.tools('write_file').last()).toHaveAttribute('data-state', 'done')
    await expect(app.items('error')).toHaveCount(0)
    expect(problems).toEqual([])
  })

  test('A1 offline: writes a program, runs it, reads its error and fixes it', async ({ app, problems }) => {
    await app.page.locator('.task', { hasText: TASKS.program.title }).click()
    await expect(app.tools('run_js')).toHaveCount(2)
    await app.idle()
    await expect(app.tools('run_js').first()).toHaveAttribute('data-state', 'failed')
    await expect(app.tools('run_js').last()).toHaveAttribute('data-state', 'done')
    expect(problems).toEqual([])
  })

  test('A1 offline: counts the words of several files', async ({ app, problems }) => {
    await app.page.locator('.task', { hasText: TASKS.count.title }).click()
    await expect(app.tools('write_file')).toHaveCount(3)
    await expect(app.tools('run_js')).toHaveAttribute('data-state', 'done')
    await app.idle()
    await expect(app.items('error')).toHaveCount(0)
    expect(problems).toEqual([])
  })
})
