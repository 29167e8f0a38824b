// One session open in two tabs of the application: both see it live, both may speak, and one goes on when the other is closed.
import { gate } from '../kit/gate.ts'
import { text } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { appOn, expect, test } from './app.ts'

test('S9 a second tab shows the same session live, sends into it, and goes on alone when the first one is closed', async ({
  app,
  server,
}) => {
  const pause = gate()
  server.add(
    streams(text('Half of it, and the rest', { chunks: ['Half of it', pause, ', and the rest'] })),
    streams(text('To the second tab')),
    streams(text('Alone')),
  )
  await app.useServer(server)
  await app.say('Tell me')
  await expect(app.items('assistant')).toContainText('Half of it')
  const second = appOn(await app.page.context().newPage())
  await second.page.goto(app.page.url())
  await expect(second.items('assistant')).toContainText('Half of it')
  pause.open()
  await expect(second.items('assistant')).toContainText('and the rest')
  await second.idle()
  await second.say('And me')
  await expect(app.items('user').last()).toContainText('And me')
  await expect(app.items('assistant').last()).toContainText('To the second tab')
  await expect(second.items('assistant').last()).toContainText('To the second tab')
  await second.idle()
  await app.page.close()
  await second.say('Still there?')
  await expect(second.items('assistant').last()).toContainText('Alone')
  await second.idle()
  expect(await second.items('user').count()).toBe(3)
})
