// The person in the loop: questions and approvals in the composer's place, through reloads, kills and stops.
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { text, toolCall } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { type App, appOn, expect, test } from './app.ts'

type Sent = {
  readonly messages: readonly { readonly role: string; readonly content?: string | null; readonly tool_call_id?: string }[]
}
/** What the model was told in the place of a result. */
const resultsIn = (body: unknown): readonly (string | null | undefined)[] =>
  (body as Sent).messages.filter(({ role }) => role === 'tool').map(({ content }) => content)

const card = (page: Page, kind: 'question' | 'approval'): Locator => page.locator(`[data-asks="${kind}"]`)
const composer = (page: Page): Locator => page.getByLabel('Message', { exact: true })

const askBefore = async ({ page }: App, ...tools: readonly string[]): Promise<void> => {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  for (const tool of tools) await dialog.locator(`[data-ask="${tool}"]`).check()
  await dialog.getByRole('button', { name: 'Close the settings' }).click()
  await expect(dialog).toBeHidden()
}

/** The renderer process is killed, not closed: nothing of the page or its worker gets a word in. */
const crash = async (page: Page): Promise<void> => {
  const crashed = page.waitForEvent('crash')
  const session = await page.context().newCDPSession(page)
  session.send('Page.crash').catch(() => {}) // never answered: the renderer is gone
  await crashed
}

/** The list of sessions is told from what is stored: what it shows as waiting survives a kill. */
const waitsOnDisk = (page: Page): Promise<void> => expect(page.locator('[data-session] .dot[data-status="waiting"]').first()).toBeVisible()

const QUESTION = {
  questions: [
    { text: 'Which colour?', options: [{ label: 'Red', detail: 'Warm' }, { label: 'Blue' }] },
    { text: 'For which rooms?', options: [{ label: 'Kitchen' }, { label: 'Bath' }, { label: 'Hall' }], multiple: true },
    { text: 'Anything else?' },
  ],
}

test('A5 A9 on a phone the focus goes from the answered question to the conversation, and is not lost', async ({ app, server }) => {
  const { page } = app
  server.add(streams(toolCall('ask_user', { questions: QUESTION.questions.slice(0, 1) }, 'c1')), streams(text('Red it is.')))
  await app.useServer(server)
  await page.setViewportSize({ width: 360, height: 740 })
  await app.say('paint it')
  await card(page, 'question').getByLabel('Red').focus()
  await page.keyboard.press('Enter')
  await expect(app.items('assistant').last()).toContainText('Red it is.')
  await expect(page.getByRole('log')).toBeFocused()
})

test('A5 a question is answered with the keyboard, after a reload in the middle, and the model is told', async ({ app, server }) => {
  const { page } = app
  server.add(streams(toolCall('ask_user', QUESTION, 'c1')), streams(text('Blue it is.')))
  await app.useServer(server)
  await app.say('paint it')
  await expect(card(page, 'question')).toContainText('Which colour?')
  await expect(composer(page)).toHaveCount(0)
  await expect(page.getByRole('main')).toHaveAttribute('data-run-state', 'waiting')
  await expect(page.locator('[data-spoken]')).toContainText('Which colour?')
  await page.keyboard.press('2')
  await expect(card(page, 'question').getByLabel('Blue')).toBeChecked()
  await waitsOnDisk(page)

  await page.reload()
  await expect(card(page, 'question').getByLabel('Blue'), 'what was chosen is kept').toBeChecked()
  await expect(app.tools('ask_user')).toHaveAttribute('data-state', 'waiting')
  await card(page, 'question').getByLabel('Blue').focus()
  await page.keyboard.press('Enter')
  await expect(card(page, 'question').getByLabel('Kitchen')).toBeFocused()
  await page.keyboard.press('1')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await expect(card(page, 'question').getByLabel('Anything else?')).toBeFocused()
  await page.keyboard.type('Not too dark')
  await page.keyboard.press('Enter')

  await expect(app.items('assistant').last()).toContainText('Blue it is.')
  await expect(composer(page)).toBeFocused()
  await expect(app.tools('ask_user')).toHaveAttribute('data-state', 'done')
  await expect(app.tools('ask_user').locator('dd')).toHaveText(['Blue', 'Kitchen, Hall', 'Not too dark'])
  expect(resultsIn((await server.request(2)).body)).toEqual([
    'Which colour?\n→ Blue\n\nFor which rooms?\n→ Kitchen, Hall\n\nAnything else?\n→ Not too dark',
  ])
})

test('A5 a question is dismissed with its button, and the model is told', async ({ app, server }) => {
  server.add(streams(toolCall('ask_user', { questions: [{ text: 'Shall I?' }] }, 'c1')), streams(text('Then I go on.')))
  await app.useServer(server)
  await app.say('go')
  await card(app.page, 'question').getByRole('button', { name: 'Dismiss' }).click()
  await expect(app.items('assistant').last()).toContainText('Then I go on.')
  await expect(app.tools('ask_user')).toContainText('You dismissed it')
  expect(resultsIn((await server.request(2)).body)[0]).toContain('dismissed')
})

test('A5 a call is denied with a reason, allowed once, and then for the session', async ({ app, server }) => {
  const { page } = app
  const write = (id: string, content: string) => streams(toolCall('write_file', { path: 'a.md', content }, id))
  server.add(write('c1', 'one'), write('c2', 'two'), write('c3', 'three'), write('c4', 'four'), streams(text('Written.')))
  await app.useServer(server)
  await askBefore(app, 'write_file')
  await app.say('write')

  const approval = card(page, 'approval')
  await expect(approval).toContainText('The agent wants to write the file a.md')
  await expect(approval.locator('.code__text')).toHaveText('one')
  await expect(approval.getByRole('button', { name: 'Allow once' })).toBeFocused()
  await expect(page.locator('[data-spoken]')).toContainText('permission to write the file a.md')
  await expect(app.tools('write_file').first()).toHaveAttribute('data-state', 'waiting')
  await approval.getByLabel('Reason for a no (optional)').fill('Use another name')
  await page.keyboard.press('Enter')
  await expect(app.tools('write_file').first()).toHaveAttribute('data-state', 'denied')
  await expect(app.tools('write_file').first()).toContainText('You said no: Use another name')

  await expect(approval.locator('.code__text')).toHaveText('two')
  await expect(approval.getByRole('button', { name: 'Allow once' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(app.tools('write_file').nth(1)).toContainText('You allowed this call.')

  await expect(approval.locator('.code__text')).toHaveText('three')
  await page.keyboard.press('2')
  await expect(app.items('assistant').last()).toContainText('Written.') // the fourth one was not asked about
  await expect(app.tools('write_file').nth(2)).toContainText('for the rest of the session')
  await expect(app.tools('write_file').nth(3)).toHaveAttribute('data-state', 'done')
  expect(resultsIn((await server.request(2)).body)[0]).toContain('Use another name')
})

test('A5 an approval that waits when the tab is killed waits again when it is opened', async ({ app, server, context }) => {
  server.add(streams(toolCall('write_file', { path: 'a.md', content: 'kept' }, 'c1')), streams(text('It is written.')))
  await app.useServer(server)
  await askBefore(app, 'write_file')
  await app.say('write')
  await expect(card(app.page, 'approval')).toBeVisible()
  await waitsOnDisk(app.page)
  const address = app.page.url()
  await crash(app.page)

  const again = appOn(await context.newPage())
  await again.page.goto(address)
  await expect(card(again.page, 'approval')).toContainText('write the file a.md')
  await expect(card(again.page, 'approval').locator('.code__text')).toHaveText('kept')
  await expect(again.page.locator('[data-spoken]')).toContainText('permission')
  await card(again.page, 'approval').getByRole('button', { name: 'Allow once' }).click()
  await expect(again.items('assistant').last()).toContainText('It is written.')
  await expect(again.tools('write_file')).toHaveCount(1)
  await expect(again.tools('write_file')).toHaveAttribute('data-state', 'done')
})

for (const how of ['Escape', 'the button'] as const) {
  test(`A5 a stop with ${how} while an approval waits runs nothing, and leaves nothing waiting`, async ({ app, server }) => {
    const { page } = app
    server.add(streams(toolCall('write_file', { path: 'a.md', content: 'never' }, 'c1')))
    await app.useServer(server)
    await askBefore(app, 'write_file')
    await app.say('write')
    await expect(card(page, 'approval')).toBeVisible()
    if (how === 'Escape') await page.keyboard.press('Escape')
    else await page.getByRole('button', { name: 'Stop' }).click()
    await expect(card(page, 'approval')).toHaveCount(0)
    await expect(composer(page)).toBeFocused()
    await expect(page.getByRole('main')).toHaveAttribute('data-run-state', 'idle')
    await expect(app.items('aborted')).toBeVisible()
    await expect(app.tools('write_file')).not.toHaveAttribute('data-state', /waiting|running|done/)
    await page.reload()
    await expect(app.tools('write_file')).toBeVisible()
    await expect(card(page, 'approval')).toHaveCount(0)
  })
}

test('A5 Escape at a question stops the turn and answers nothing', async ({ app, server }) => {
  server.add(streams(toolCall('ask_user', QUESTION, 'c1')))
  await app.useServer(server)
  await app.say('paint it')
  await expect(card(app.page, 'question')).toBeVisible()
  await app.page.keyboard.press('1')
  await app.page.keyboard.press('Escape')
  await expect(app.items('aborted')).toBeVisible()
  await expect(card(app.page, 'question')).toHaveCount(0)
  expect(server.requests).toHaveLength(1)
})

test('A5 what is asked about is a setting that stays, and switching it on again takes back an “Always”', async ({ app, server }) => {
  const { page } = app
  const write = (id: string) => streams(toolCall('write_file', { path: `${id}.md`, content: id }, id))
  server.add(write('c1'), streams(text('First.')), write('c2'), streams(text('Second.')), write('c3'), streams(text('Third.')))
  await app.useServer(server)
  await askBefore(app, 'write_file')
  await app.say('one')
  await card(page, 'approval').getByRole('button', { name: 'Always' }).click()
  await expect(app.items('assistant').last()).toContainText('First.')
  await page.reload()
  await expect(app.items('user')).toHaveCount(1)
  await app.say('two')
  await expect(app.items('assistant').last()).toContainText('Second.') // not asked, in a new life of the worker

  await page.getByRole('button', { name: 'Settings' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await expect(dialog.locator('[data-ask="write_file"]')).toBeChecked()
  await dialog.locator('[data-ask="write_file"]').uncheck()
  await dialog.locator('[data-ask="write_file"]').check()
  await dialog.getByRole('button', { name: 'Close the settings' }).click()
  await expect(dialog).toBeHidden()
  await app.newSession()
  await app.say('three')
  await expect(card(page, 'approval')).toContainText('c3.md')
})

test('A5 run_js shows its code before it runs, and a no keeps it from running', async ({ app, server, problems }) => {
  const { page } = app
  server.add(streams(toolCall('run_js', { code: 'const a = 6\nreturn a * 7', timeoutMs: 2000 }, 'c1')), streams(text('All right.')))
  await app.useServer(server)
  await askBefore(app, 'run_js')
  await app.say('run')
  await expect(card(page, 'approval')).toContainText('The agent wants to run JavaScript')
  await expect(card(page, 'approval').locator('.code__text').first()).toContainText('return a * 7')
  await expect(card(page, 'approval')).toContainText('timeoutMs: 2000')
  await page.keyboard.press('ArrowLeft') // round to the last one
  await expect(card(page, 'approval').getByRole('button', { name: 'Deny' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(app.items('assistant').last()).toContainText('All right.')
  await expect(app.tools('run_js')).toHaveAttribute('data-state', 'denied')
  expect(problems).toEqual([])
})

const check = async (page: Page): Promise<void> => {
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual([])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(overflow, 'nothing is wider than the page').toBeLessThanOrEqual(0)
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const { name, width, height } of [
    { name: 'wide', width: 1280, height: 800 },
    { name: 'phone', width: 360, height: 740 },
  ]) {
    test.describe(`A9 A11 ${name}, ${colorScheme}`, () => {
      test.use({ colorScheme, viewport: { width, height } })

      const set = async (app: App, server: Parameters<App['useServer']>[0]) => {
        const openSessions = async () => {
          if (name === 'phone') await app.page.getByRole('button', { name: 'Sessions', exact: true }).click()
        }
        await openSessions()
        await app.useServer(server)
        await openSessions()
        await askBefore(app, 'run_js', 'write_file')
        if (name === 'phone') await app.page.keyboard.press('Escape')
      }

      test('a question, and its card afterwards', async ({ app, server }) => {
        const { page } = app
        server.add(streams(toolCall('ask_user', QUESTION, 'c1')), streams(text('Done.')))
        await set(app, server)
        await app.say('go')
        await expect(card(page, 'question')).toBeVisible()
        await page.keyboard.press('1')
        await check(page)
        await card(page, 'question').getByLabel('Anything else?').fill('no')
        await card(page, 'question').getByRole('button', { name: 'Answer' }).click()
        await expect(app.items('assistant').last()).toContainText('Done.')
        await check(page)
      })

      test('an approval of a long program, and its card afterwards', async ({ app, server }) => {
        const { page } = app
        const code = Array.from({ length: 40 }, (_, i) => `const value${i} = ${i} // ${'wide '.repeat(20)}`).join('\n')
        server.add(streams(toolCall('run_js', { code, timeoutMs: 2000 }, 'c2')), streams(text('Done.')))
        await set(app, server)
        await app.say('go')
        await expect(card(page, 'approval')).toBeVisible()
        for (const choice of ['Allow once', 'Allow in this session', 'Always', 'Deny'])
          await expect(card(page, 'approval').getByRole('button', { name: choice }), 'without scrolling').toBeInViewport({ ratio: 1 })
        await check(page)
        await page.keyboard.press('4')
        await expect(app.items('assistant').last()).toContainText('Done.')
        await check(page)
      })
    })
  }
}
