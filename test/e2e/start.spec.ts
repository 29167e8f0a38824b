// The start command itself: what it prints, that it stops cleanly, and what it says when it cannot start.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'

const script = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url))

type Started = { readonly output: () => string; readonly ended: Promise<number | null>; stop(): void }

const start = (...parameters: readonly string[]): Started => {
  const child = spawn(process.execPath, [script, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text.toString()
    })
  }
  return { output: () => output, ended: new Promise((resolve) => child.on('exit', resolve)), stop: () => child.kill('SIGINT') }
}

test('without a port it takes a free one, prints the address, serves the page there, and ends with Ctrl+C', async ({ request }) => {
  const started = start()
  await expect.poll(started.output).toMatch(/http:\/\/127\.0\.0\.1:\d+\//)
  const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(started.output())?.[0] ?? ''
  expect(await (await request.get(address)).text()).toContain('<script type="module"')
  started.stop()
  expect(await started.ended).toBe(0)
})

test('a port that is taken, or is no port, ends it with what to do', async ({ baseURL }) => {
  const taken = start('--port', new URL(baseURL ?? '').port)
  expect(await taken.ended).toBe(1)
  expect(taken.output()).toContain('Choose another with --port')

  const nonsense = start('--port', '80800')
  expect(await nonsense.ended).toBe(1)
  expect(nonsense.output()).toContain('--port takes a number from 0 to 65535')
})

test('a built file is kept by the browser; the page and a file that is missing are asked for again', async ({ request }) => {
  const page = await request.get('./')
  const script = /src="(\.\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
  const kept = (await request.get(script)).headers()['cache-control']
  expect(kept).toContain('immutable')
  const missing = await request.get('./assets/no-such-file.js')
  expect(missing.status()).toBe(404)
  for (const response of [page, missing]) expect(response.headers()['cache-control'] ?? 'no-cache').toContain('no-cache')
})
