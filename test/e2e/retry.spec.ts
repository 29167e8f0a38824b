// What passes by itself is waited for and tried again, in sight and stoppable; what does not is told. A full window is summed up.
import { gate } from '../kit/gate.ts'
import { text } from '../kit/replies.ts'
import type { Behaviour } from '../kit/scripted-server.ts'
import { failsWith, overflow, sendsBytes, sendsGarbage, streams } from '../kit/server-replies.ts'
import { type App, expect, test } from './app.ts'

const retries = ({ page }: App) => page.locator('[data-item="retry"]')
const SO_FAR = 'data: {"choices":[{"index":0,"delta":{"content":"so far"}}]}\n\n'
const limited = (seconds: number): Behaviour =>
  failsWith(429, {
    error: { message: `Rate limit reached. Please try again in ${seconds}s.`, type: 'requests', code: 'rate_limit_exceeded' },
  })

test('W4 a server that stops in the middle is asked again by itself: what had come stays, marked, and the reply follows', async ({
  app,
  server,
}) => {
  const seen = gate()
  server.add(sendsBytes(SO_FAR, { gates: [{ at: SO_FAR.length, gate: seen }], ending: 'drop' }), streams(text('All is well.')))
  await app.useServer(server)
  await app.say('please')
  await expect(app.items('assistant')).toContainText('so far')
  seen.open()
  await expect(app.items('assistant').last()).toContainText('All is well.')
  await app.idle()
  await expect(app.items('assistant').first()).toContainText('so far')
  await expect(retries(app)).toContainText(/connection|stopped|broke|finished/i)
  await expect(app.items('error')).toHaveCount(0)
})

test('W10 after five attempts it is told in plain words, and the session goes on', async ({ app, server }) => {
  server.add(...Array.from({ length: 5 }, sendsGarbage), streams(text('All is well.')))
  await app.useServer(server, { key: 'sk-secret-123' })
  await app.say('please')
  await expect(retries(app).first()).toContainText(/cannot be read as a reply/i)
  await expect(app.items('error')).toContainText(/cannot be read as a reply/i, { timeout: 20_000 })
  await expect(retries(app)).toHaveCount(4)
  await app.idle()
  expect(await app.page.content()).not.toContain('sk-secret-123')
  await app.page.getByRole('button', { name: 'Try again' }).click()
  await expect(app.items('assistant').last()).toContainText('All is well.')
  await app.idle()
})

test('W10 L43 a limit is waited for as long as the server asks, with a countdown, and stop ends the wait at once', async ({
  app,
  server,
}) => {
  server.add(limited(60), streams(text('Here again.')))
  await app.useServer(server)
  await app.say('please')
  await expect(app.page.getByText(/Trying again in \d+ s/)).toBeVisible()
  await app.page.keyboard.press('Escape')
  await app.idle()
  await expect(app.items('aborted')).toBeVisible()
  expect(server.requests).toHaveLength(1)
  await app.say('now')
  await expect(app.items('assistant').last()).toContainText('Here again.')
})

test('L80 a conversation that became too long for the model is summed up, and the question is answered', async ({ app, server }) => {
  const long = 'A long answer. '.repeat(60)
  server.add(
    streams(text(long)),
    streams(text(long)),
    overflow(),
    streams(text('Twice something long was said.')),
    streams(text('Short again.')),
  )
  await app.useServer(server)
  for (const question of ['question one', 'question two']) {
    await app.say(question)
    await expect(app.items('assistant').last()).toContainText('A long answer.')
    await app.idle()
  }
  await app.say('question three')
  await expect(app.items('assistant').last()).toContainText('Short again.')
  await app.idle()
  await expect(app.page.locator('[data-item="compaction"]')).toHaveAttribute('data-state', 'done')
  const last = server.requests.at(-1)?.text ?? ''
  expect(last).toContain('Twice something long was said.')
  expect(last).toContain('question three')
  expect(last).not.toContain('question one')
})
