// What can go wrong does, and each time there are plain words, the turn ends, the session goes on, and nothing stored is lost.
import { gate } from '../kit/gate.ts'
import { rawToolCall, text, toolCall } from '../kit/replies.ts'
import { type Behaviour, startScriptedServer } from '../kit/scripted-server.ts'
import { corsRefused, streams, wrongKey } from '../kit/server-replies.ts'
import { type App, appOn, expect, test } from './app.ts'

const goesOn = async (app: App): Promise<void> => {
  await app.page.getByRole('button', { name: 'Try again' }).click()
  await expect(app.items('assistant').last()).toContainText('All is well.')
  await app.idle()
  await expect(app.items('user').first()).toContainText('please')
}

const failing = (name: string, behaviour: () => Behaviour, words: RegExp): void => {
  test(`${name} is told in plain words, and the session goes on`, async ({ app, server }) => {
    server.add(behaviour(), streams(text('All is well.')))
    await app.useServer(server, { key: 'sk-secret-123' })
    await app.say('please')
    await expect(app.items('error')).toContainText(words)
    await app.idle()
    expect(await app.page.content()).not.toContain('sk-secret-123')
    await goesOn(app)
  })
}

failing('W10 a wrong key', wrongKey, /key/i)
failing('W10 an origin that is blocked', corsRefused, /CORS|origin|blocked/i)

test('W10 a refused connection is told in plain words, and the session goes on', async ({ app }) => {
  const gone = await startScriptedServer()
  const port = Number(new URL(gone.origin).port)
  await gone.close()
  await app.useServer(gone)
  await app.say('please')
  await expect(app.items('error')).toContainText(/reach|running|refused|connection/i)
  const back = await startScriptedServer([streams(text('All is well.'))], { port })
  await goesOn(app)
  await back.close()
})

test('L33 a call with broken arguments is answered so that the model can mend it', async ({ app, server }) => {
  server.add(streams(rawToolCall('run_js', '{"code": "1 + ', 'c1')), streams(text('I will write it again.')))
  await app.useServer(server)
  await app.say('compute')
  await expect(app.tools('run_js')).toHaveAttribute('data-state', 'failed')
  await expect(app.items('assistant').last()).toContainText('I will write it again.')
  await expect(app.items('error')).toHaveCount(0)
})

test('C3 code that never ends is ended, and the agent goes on', async ({ app, server }) => {
  server.add(streams(toolCall('run_js', { code: 'for (;;) {}', timeoutMs: 500 }, 'c1')), streams(text('It did not end.')))
  await app.useServer(server)
  await app.say('run it')
  await expect(app.tools('run_js')).toHaveAttribute('data-state', 'failed')
  await expect(app.tools('run_js')).toContainText('endless loop')
  await expect(app.items('assistant').last()).toContainText('It did not end.')
})

test('L23 stop ends code that never ends at once, holds the queue, and the next message runs', async ({ app, server }) => {
  server.add(streams(toolCall('run_js', { code: 'for (;;) {}', timeoutMs: 60_000 }, 'c1')), streams(text('Here again.')))
  await app.useServer(server)
  await app.say('run it')
  await expect(app.tools('run_js')).toHaveAttribute('data-state', 'running')
  await app.say('and then this')
  await expect(app.items('queued')).toContainText('and then this')
  await app.page.keyboard.press('Escape')
  await app.idle()
  await expect(app.items('aborted')).toBeVisible()
  await expect(app.page.getByText('One message is held')).toBeVisible()
  await app.page.getByRole('button', { name: 'Send it now' }).click()
  await expect(app.items('assistant').last()).toContainText('Here again.')
  await expect(app.items('user').last()).toContainText('and then this')
})

test('S4 a store that is full is told by a banner that says what to do; after room was made the same run goes on', async ({
  page,
  server,
}) => {
  const devtools = await page.context().newCDPSession(page)
  const setQuota = (origin: string, quotaSize?: number) =>
    devtools.send('Storage.overrideQuotaForOrigin', { origin, ...(quotaSize === undefined ? {} : { quotaSize }) })
  const origin = new URL(test.info().project.use.baseURL ?? '').origin
  await setQuota(origin, 400_000)
  const app = appOn(page)
  await app.open()
  const pieces = Array.from({ length: 40 }, () => 'A long story. '.repeat(1_400))
  const pause = gate()
  const long = text(`${pieces.join('')} The end.`, { chunks: [...pieces, pause, ' The end.'] })
  server.add(streams(text('Stored.')), streams(long), streams(text('All is well.')))
  await app.useServer(server)
  await app.say('please')
  await expect(app.items('assistant')).toContainText('Stored.')
  await app.idle()

  await app.say('tell me more')
  const banner = page.locator('[data-banner="storage"]')
  await expect(banner).toContainText(/space|room|full/i, { timeout: 15_000 })
  pause.open()
  await app.idle()
  await app.say('and more')
  await expect(page.getByRole('alert').filter({ hasText: 'Not sent' })).toBeVisible()
  await app.idle()
  expect(server.requests.length, 'no request leaves while nothing can be stored').toBe(2)

  await expect(banner).toContainText('Delete old sessions or files')
  await banner.getByRole('button', { name: 'Show storage' }).click()
  await expect(page.getByRole('heading', { name: 'Storage' })).toBeVisible()
  await page.getByRole('button', { name: 'Close the settings' }).click()
  await banner.getByRole('button', { name: 'Try again' }).click()
  await expect(page.locator('.notice[data-kind=error]'), 'there is no room yet').toContainText('no room left')
  await expect(banner).toBeVisible()

  await setQuota(origin)
  await banner.getByRole('button', { name: 'Try again' }).click()
  await expect(banner).toHaveCount(0)
  await expect(app.items('assistant').last()).toContainText('All is well.')
  await app.idle()
  await expect(page.getByLabel('Message', { exact: true }), 'what was not sent is a draft again').toHaveValue('and more')
  await page.reload()
  await expect(app.items('user'), 'and is not run by itself').toHaveText([/please/, /tell me more/])
  await expect(app.items('assistant').last()).toContainText('All is well.')
})

test('L10 L11 messages sent while it works are queued or steer, and each is run once', async ({ app, server }) => {
  const pause = gate()
  server.add(
    streams(text('Working', { chunks: ['Work', pause, 'ing'] }), toolCall('run_js', { code: '1' }, 'c1')),
    streams(text('Steered.')),
    streams(text('Next one.')),
  )
  await app.useServer(server)
  await app.say('go')
  await expect(app.items('assistant')).toContainText('Work')
  await app.say('later please')
  await app.page.getByLabel('Message', { exact: true }).fill('now please')
  await app.page.keyboard.press('Control+Enter')
  await expect(app.items('queued')).toHaveCount(2)
  pause.open()
  await expect(app.items('assistant').last()).toContainText('Next one.')
  await app.idle()
  const bodies = server.requests.map(({ text: body }) => body)
  expect(bodies[1]).toContain('now please')
  expect(bodies[1]).not.toContain('later please')
  expect(bodies[2]).toContain('later please')
})
