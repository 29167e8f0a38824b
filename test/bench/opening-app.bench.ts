// B7 of design/performance.md in the built application: from the click on a session of 100,000 events to its newest screen, painted.
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { preview } from 'vite'
import { browserPath, chromiumArguments } from '../../scripts/browser.mjs'
import { buildIfStale } from '../../scripts/build.mjs'
import { packEvents } from '../../src/storage/log/delta-runs.ts'
import { longLog } from './long-log.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ROUNDS = 7
const SEGMENT = 1_000

const log = longLog()
const segments = Array.from({ length: Math.ceil(log.length / SEGMENT) }, (_, i) => ({
  sessionId: 'long',
  firstSeq: i * SEGMENT,
  events: packEvents(log.slice(i * SEGMENT, (i + 1) * SEGMENT)),
}))
const [first, last] = [log[0]!, log.at(-1)!]
const newest = log.findLast((event) => event.type === 'user/message')?.data.content[0]
const title = 'Tell me about number 1.'
const row = {
  id: 'long',
  title,
  createdAt: first.time,
  updatedAt: last.time,
  turns: 1,
  status: 'idle',
  cost: null,
  header: { version: 1, id: 'long', createdAt: first.time, cwd: '/' },
  options: { provider: 'demo', model: 'demo-rules' },
  nextSeq: log.length,
  epoch: 0,
}

await buildIfStale(() => {})
const served = await preview({ root, logLevel: 'warn', preview: { host: '127.0.0.1', port: 0 } })
const { port } = served.httpServer.address() as { readonly port: number }
const browser = await chromium.launch({ executablePath: browserPath(), args: [...chromiumArguments] })
const page = await browser.newPage()
const start = async (): Promise<void> => {
  await page.goto('about:blank')
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.waitForFunction(() => document.querySelector('main')?.getAttribute('data-health') === 'ready')
}
await start()
await page.getByLabel('Message', { exact: true }).fill('hello')
await page.keyboard.press('Enter')
await page.locator('[data-item="assistant"]').waitFor()
await page.evaluate(async (text) => {
  const rows: { readonly row: object; readonly segments: readonly object[] } = JSON.parse(text)
  const opening = indexedDB.open('sideloop/default')
  await new Promise((resolve) => opening.addEventListener('success', resolve))
  const tx = opening.result.transaction(['sessions', 'segments'], 'readwrite')
  tx.objectStore('sessions').put(rows.row)
  for (const segment of rows.segments) tx.objectStore('segments').put(segment)
  await new Promise((resolve) => tx.addEventListener('complete', resolve))
  opening.result.close()
}, JSON.stringify({ row, segments }))

type Figures = { readonly shown: number; readonly painted: number; readonly block: number }
const rounds: Figures[] = []
for (let round = 0; round < ROUNDS; round++) {
  await start()
  await page.getByRole('button', { name: 'New session' }).first().click() // the application opens what was open last
  await page.getByRole('button', { name: title }).first().waitFor()
  await page.waitForTimeout(2_000) // what loads in the background is not part of it
  rounds.push(
    await page.evaluate(
      ([name, words]) =>
        new Promise<Figures>((resolve) => {
          let block = 0
          new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) block = Math.max(block, duration)
          }).observe({ type: 'longtask' })
          const button = [...document.querySelectorAll('button')].find((each) => each.textContent?.includes(name))
          const started = performance.now()
          const observer = new MutationObserver(() => {
            if (document.querySelector('main')?.textContent?.includes(words) !== true) return
            observer.disconnect()
            const shown = performance.now() - started
            requestAnimationFrame(() =>
              setTimeout(() => {
                const painted = performance.now() - started
                setTimeout(() => resolve({ shown, painted, block }), 1_500)
              }),
            )
          })
          observer.observe(document.body, { subtree: true, childList: true, characterData: true })
          button?.click()
        }),
      [title, newest?.type === 'text' ? newest.text : ''] as const,
    ),
  )
}
const line = (what: string, values: readonly number[], limit: number): void => {
  const sorted = [...values].sort((a, b) => a - b)
  const [best = 0, median = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)]]
  console.log(`${what.padEnd(52)} best ${best.toFixed(0).padStart(4)} ms, median ${median.toFixed(0).padStart(4)} ms, limit ${limit} ms`)
}
line(
  'B7 newest part in the document',
  rounds.map(({ shown }) => shown),
  100,
)
line(
  'B7 newest screen painted',
  rounds.map(({ painted }) => painted),
  100,
)
line(
  'B7 longest block of the page',
  rounds.map(({ block }) => block),
  50,
)
await browser.close()
await served.close()
