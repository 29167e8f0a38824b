// B8, B9 and B13 of design/performance.md in the built application: worker, port and page together in real Chromium, over real HTTP.
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright'
import { preview } from 'vite'
import { browserPath, chromiumArguments } from '../../scripts/browser.mjs'
import { buildIfStale } from '../../scripts/build.mjs'
import { text } from '../kit/replies.ts'
import { type Behaviour, startScriptedServer } from '../kit/scripted-server.ts'
import { streams } from '../kit/server-replies.ts'
import { coldStarts, serveEmptyPage } from './cold-start.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const DELTAS = 100_000
const PER_SECOND = 8_000

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`

/** Prose with a heading now and then, at a steady pace: a tenth of a second's worth at a time. */
const talksFast: Behaviour = async (exchange) => {
  exchange.head(200, { 'content-type': 'text/event-stream' })
  const started = Date.now()
  for (let sent = 0; sent < DELTAS && !exchange.gone; ) {
    const due = Math.min(DELTAS, Math.ceil(((Date.now() - started) / 1000) * PER_SECOND))
    const piece: string[] = []
    for (; sent < due; sent++) piece.push(chunk(sent % 500 === 0 ? `\n\n## Part ${sent / 500}\n\n` : `word${sent % 9} `))
    if (piece.length > 0) await exchange.write(piece.join(''))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  exchange.end(END)
}

const idle = (page: Page, timeout = 120_000): Promise<unknown> =>
  page.waitForFunction(() => document.querySelector('main')?.getAttribute('data-run-state') !== 'running', undefined, { timeout })

const say = async (page: Page, words: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(words)
  await page.keyboard.press('Enter')
}

const useServer = async (page: Page, baseUrl: string): Promise<void> => {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByRole('button', { name: 'Add a provider' }).click()
  await dialog.getByRole('radio', { name: /other/i }).check({ force: true })
  await dialog.getByLabel('Name', { exact: true }).fill('Scripted')
  await dialog.getByLabel('Address').fill(baseUrl)
  await dialog.getByRole('textbox', { name: 'Models' }).fill('scripted-1')
  await dialog.getByRole('textbox', { name: 'Models' }).press('Enter')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Close the settings' }).click()
  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'scripted-1' })
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const line = (what: string, value: number, limit: number): void =>
  console.log(`${what.padEnd(58)} ${value.toFixed(1).padStart(8)} ms  limit ${limit} ms${value <= limit ? '' : '  above'}`)

/** The time that a turn takes beyond what the server takes to answer: the page's own clock, from the key to the idle state. */
const turnTime = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const main = document.querySelector('main')
        const box = document.querySelector<HTMLTextAreaElement>('#composer-text')
        if (main === null || box === null) return
        box.value = 'next'
        box.dispatchEvent(new InputEvent('input', { bubbles: true }))
        requestAnimationFrame(() => {
          const started = performance.now()
          let ran = false
          new MutationObserver((_, observer) => {
            ran ||= main.dataset.runState === 'running'
            if (!ran || main.dataset.runState === 'running') return
            observer.disconnect()
            resolve(performance.now() - started)
          }).observe(main, { attributes: true })
          box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
        })
      }),
  )

await buildIfStale(() => {})
const served = await preview({ root, logLevel: 'warn', preview: { host: '127.0.0.1', port: 0 } })
const { port } = served.httpServer.address() as { readonly port: number }
const address = `http://127.0.0.1:${port}/`
const model = await startScriptedServer()
const browser = await chromium.launch({ executablePath: browserPath(), args: [...chromiumArguments] })
const starting = async (what: string, where: string, limit: number): Promise<void> => {
  const startPage = await browser.newPage()
  const starts = await coldStarts(startPage, where, 15)
  line(`B13 ${what}: the agent answers, median`, median(starts.map(({ ready }) => ready)), limit)
  line(`B13 ${what}: models and sessions listed, median`, median(starts.map(({ complete }) => complete)), limit)
  await startPage.close()
}
const empty = await serveEmptyPage()
await starting('reload of an empty page and worker', empty.address, Number.POSITIVE_INFINITY)
await starting('reload, warm cache', address, 150)
empty.close()

const page = await browser.newPage()
await page.goto(address)
await useServer(page, model.baseUrl)
const turns: number[] = []
for (let i = 0; i < 31; i++) {
  model.add(streams(text('ok')))
  turns.push(await turnTime(page))
}
line('B9 a turn from the Enter key to idle, HTTP included, median', median(turns.slice(1)), 50)

await page.evaluate(() => {
  const blocks: number[] = []
  Object.assign(globalThis, { blocks })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) blocks.push(duration)
  }).observe({ type: 'longtask' })
})
model.add(talksFast)
await say(page, 'talk')
const clicks: number[] = []
const talking = idle(page)
await page.getByText('Part 2').first().waitFor()
for (let i = 0; i < 20; i++) {
  clicks.push(
    await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const started = performance.now()
          setTimeout(() => resolve(performance.now() - started), 0)
        }),
    ),
  )
  await page.waitForTimeout(300)
}
await talking
await page.waitForTimeout(300) // a block is told after its end
const blocks = await page.evaluate(() => (globalThis as typeof globalThis & { readonly blocks: readonly number[] }).blocks)
line(`B8 ${DELTAS.toLocaleString('en')} deltas at 8,000/s: longest block`, Math.max(0, ...blocks), 50)
line('B8 an input event waits at most', Math.max(...clicks), 50)

await browser.close()
await model.close()
await served.close()
