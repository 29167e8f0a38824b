// Task runs on the page: started by a person, gone on with until the work is reported done, told with their true outcome.
import { gate } from '../kit/gate.ts'
import { text, toolCall } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { expect, test } from './app.ts'

const done = toolCall('status', { task: 'it', done: 'all of it', complete: true }, 'c9')

test('T1 the demo does a task offline, reports it, and the run is there after a reload', async ({ app, page, context, problems }) => {
  await app.say('1+1') // fetches the parts that load on demand, before the network goes
  await app.idle()
  await expect(app.items('assistant').last()).toContainText('2')
  await context.setOffline(true)
  await page.getByLabel('Send as').selectOption('Task')
  await app.say('compute 12*34+5')
  const end = page.locator('[data-item="task-ended"]')
  await expect(end).toHaveAttribute('data-exit', 'status_complete_post_tool')
  await expect(end).toContainText('Task completed')
  await app.idle()
  await context.setOffline(false)
  await page.reload()
  await expect(end).toContainText('Task completed')
  expect(problems).toEqual([])
})

test('T10 a model that stops early is asked to go on; the reminder is a note that can be hidden', async ({ app, page, server }) => {
  server.add(streams(text('I would begin with the header.')), streams(done))
  await app.useServer(server)
  await page.getByLabel('Send as').selectOption('Task')
  await app.say('build the page')
  await expect(page.locator('[data-item="task-ended"]')).toHaveAttribute('data-state', 'good')
  const { messages } = (await server.request(2)).body as {
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
  expect(messages.at(-1)).toMatchObject({
    role: 'user',
    content: expect.stringMatching(/^<automated_reminder>[\s\S]*status[\s\S]*<\/automated_reminder>$/),
  })
})

test('T1 a task that is stopped says so, and what was queued waits', async ({ app, page, server }) => {
  const here = gate()
  server.add(streams(text('Working', { chunks: ['Work', here, 'ing'] })))
  await app.useServer(server)
  await page.getByLabel('Send as').selectOption('Task')
  await app.say('a long one')
  await app.running()
  await app.say('and then this')
  await expect(page.getByText('and then this')).toBeVisible()
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.locator('[data-item="task-ended"]')).toHaveAttribute('data-exit', 'stopped')
  await expect(page.getByText(/held|waits/i).first()).toBeVisible()
  here.open()
})
