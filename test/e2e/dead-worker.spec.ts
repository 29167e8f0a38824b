// H5: a worker that dies without a word is noticed, started again, and the session goes on from what was stored.
import { gate } from '../kit/gate.ts'
import { text } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { expect, test } from './app.ts'

test('H5 a worker that ends itself in the middle of a reply is replaced at once, and the session can go on', async ({ app, server }) => {
  test.setTimeout(60_000)
  server.add(streams(text('half of it', { chunks: ['half', gate()] })), streams(text('The rest.')))
  await app.useServer(server)
  await app.say('go')
  await expect(app.items('assistant')).toContainText('half')
  const agent = app.page.workers().find((worker) => worker.url().includes('agent.worker'))
  await agent?.evaluate(() => globalThis.close())
  await expect(app.items('interrupted')).toBeVisible({ timeout: 10_000 })
  await app.page.getByRole('button', { name: 'Go on' }).click()
  await expect(app.items('assistant').last()).toContainText('The rest.')
})
