// The shell in the built application, under the policies that it is served with.
import { text, toolCall } from '../kit/replies.ts'
import { streams } from '../kit/server-replies.ts'
import { expect, test } from './app.ts'

test('C2 a command runs over the files of the session, and its card shows what it came to', async ({ app, server, problems }) => {
  server.add(
    streams(
      toolCall('bash', { command: 'mkdir -p notes && printf "b\\na\\n" > notes/list.md\nsort notes/list.md | tee notes/sorted.md' }, 'c1'),
    ),
    streams(toolCall('bash', { command: 'cat notes/sorted.md; grep -c nothing notes/list.md; curl http://localhost' }, 'c2')),
    streams(text('Sorted.')),
  )
  await app.useServer(server)
  await app.say('sort it')
  await expect(app.items('assistant').last()).toContainText('Sorted.')
  await app.idle()
  const [first, second] = [app.tools('bash').first(), app.tools('bash').last()]
  await expect(first).toHaveAttribute('data-state', 'done')
  await expect(first).toContainText('sort notes/list.md | tee notes/sorted.md')
  await expect(first.locator('.outcome')).toContainText('a\nb', { useInnerText: true })
  await expect(second).toHaveAttribute('data-state', 'failed')
  await expect(second.locator('.outcome')).toContainText('Exit code 127')
  await expect(second.locator('.outcome')).toContainText('curl: command not found')
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('[exit code 127]')
  expect(problems).toEqual([])
})

test('C2 the shell is loaded ahead of its use, once the page has had its turn, so that it works without a network', async ({ page }) => {
  const asked: string[] = []
  page.context().on('request', (request) => asked.push(request.url()))
  await page.goto('./')
  await expect.poll(() => asked.filter((url) => /bash\.worker|run-in-bash/.test(url)).length).toBe(2)
})
