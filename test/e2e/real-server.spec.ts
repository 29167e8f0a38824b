// A real endpoint: chunked HTTP from the scripted server, the odd streams of real servers among its replies.
import { gate } from '../kit/gate.ts'
import { text, toolCall } from '../kit/replies.ts'
import { sendsFile, streams } from '../kit/server-replies.ts'
import { expect, test } from './app.ts'

const wireCase = (name: string): URL => new URL(`../cases/wire/${name}.sse`, import.meta.url)

test('A1 a provider is added, tested and used; its key goes out once and never comes back', async ({ app, server, problems }) => {
  const { page } = app
  server.add(streams(text('ready')), streams(text('Hello from the server.')))
  await page.getByRole('button', { name: 'Settings' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByRole('button', { name: 'Add a provider' }).click()
  await dialog.getByRole('radio', { name: /custom|other/i }).check({ force: true })
  await dialog.getByLabel('Name', { exact: true }).fill('Scripted')
  await dialog.getByLabel('Address').fill(server.baseUrl)
  await dialog.getByLabel(/^Key/).fill('sk-secret-123')
  await dialog.getByRole('textbox', { name: 'Models' }).fill('scripted-1')
  await dialog.getByRole('textbox', { name: 'Models' }).press('Enter')
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.getByRole('form', { name: 'New provider' }).getByRole('status')).toContainText('scripted-1 answered')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.locator('[data-provider]')).toContainText('key stored')
  await dialog.getByRole('button', { name: 'Close the settings' }).click()
  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'scripted-1' })
  await app.say('hello')
  await expect(app.items('assistant')).toContainText('Hello from the server.')
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-secret-123', 'Bearer sk-secret-123'])
  expect(server.requests[1]?.body).toMatchObject({ model: 'scripted-1', stream: true })
  await page.reload()
  await app.page.getByRole('button', { name: 'Settings' }).first().click()
  expect(await page.content()).not.toContain('sk-secret-123')
  expect(problems).toEqual([])
})

test('W1 a reply is shown while it streams, and a tool round runs over real HTTP', async ({ app, server }) => {
  const pause = gate()
  server.add(
    streams(text('Let me see.', { chunks: ['Let me', pause, ' see.'] }), toolCall('run_js', { code: '6 * 7' }, 'c1')),
    streams(text('It is **42**.')),
  )
  await app.useServer(server)
  await app.say('what is it?')
  await expect(app.items('assistant')).toContainText('Let me')
  await app.running()
  pause.open()
  await expect(app.tools('run_js')).toHaveAttribute('data-state', 'done')
  await expect(app.items('assistant').last().locator('strong')).toHaveText('42')
  const second = (await server.request(2)).body as { readonly messages: readonly object[] }
  expect(second.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c1' })
})

test('P-a01 two calls without an index are two calls, each answered', async ({ app, server }) => {
  server.add(sendsFile(wireCase('P-a01'), { cuts: 'every-byte' }), streams(text('Both done.')))
  await app.useServer(server)
  await app.say('read and write')
  await expect(app.items('assistant').last()).toContainText('Both done.')
  await expect(app.tools('read_file')).toHaveAttribute('data-state', 'failed') // there is no notes/a.md
  await expect(app.tools('write_file')).toContainText('content') // the case says text where our tool says content: told, not dropped
  const { messages } = (await server.request(2)).body as {
    readonly messages: readonly { readonly role: string; readonly tool_call_id?: string }[]
  }
  expect(messages.flatMap((message) => message.tool_call_id ?? [])).toEqual(['call_k1', 'call_k2'])
})

test('P-a05 a call with empty arguments is a call; an unknown tool is answered with the real names', async ({ app, server }) => {
  server.add(sendsFile(wireCase('P-a05')), streams(text('I see.')))
  await app.useServer(server)
  await app.say('look')
  await expect(app.items('assistant').first()).toContainText('Looking at the page.')
  await expect(app.items('assistant').last()).toContainText('I see.')
  const { messages } = (await server.request(2)).body as {
    readonly messages: readonly { readonly role: string; readonly content?: string }[]
  }
  expect(messages.at(-1)?.content).toContain('run_js')
})

test('P-a07 CRLF, comments and characters cut by the network are read right', async ({ app, server }) => {
  server.add(sendsFile(wireCase('P-a07'), { cuts: 'every-byte' }))
  await app.useServer(server)
  await app.say('greet')
  await app.idle()
  await expect(app.items('assistant')).toContainText('Grüße 👋 – 你好')
})

test('P-a09 an error inside a stream is told in the words of the server, keeps the text, runs nothing, and is tried again by itself', async ({
  app,
  server,
}) => {
  server.add(sendsFile(wireCase('P-a09')), streams(text('Better now.')))
  await app.useServer(server)
  await app.say('check')
  await expect(app.page.locator('[data-item="retry"]')).toContainText('upstream host went away')
  await expect(app.items('assistant').first()).toContainText('Let me check')
  await expect(app.page.locator('[data-item="tool"][data-state="done"]')).toHaveCount(0)
  await expect(app.items('assistant').last()).toContainText('Better now.')
  await expect(app.items('error')).toHaveCount(0)
})
