// B13: from the start of a reload to an agent that is ready, by the page's own clock, and what an empty page takes for the same here.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'

/** Milliseconds since the navigation began. */
export type ColdStart = {
  /** The worker has answered, and the composer is there and takes a message. */
  readonly ready: number
  /** The models and the sessions are listed, too: nothing that the first screen asks for is missing. */
  readonly complete: number
}

/** Noted by the page itself as its document changes: whoever asks from outside learns of it a hundred milliseconds late. */
const noteStart = (): void => {
  const started = new Promise<ColdStart>((resolve) => {
    let ready: number | undefined
    const look = (): void => {
      const main = document.querySelector('main')
      const box = document.querySelector<HTMLTextAreaElement>('#composer-text')
      if (main?.dataset.health !== 'ready' || box === null || box.disabled) return
      ready ??= performance.now()
      if (document.querySelector('select[aria-label="Model"]') === null || document.querySelector('.sidebar .skeleton') !== null) return
      observer.disconnect()
      resolve({ ready, complete: performance.now() })
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { subtree: true, childList: true, attributes: true })
  })
  Object.assign(globalThis, { started })
}

/** Of so many reloads, each with a warm cache. */
export const coldStarts = async (page: Page, address: string, rounds: number): Promise<readonly ColdStart[]> => {
  await page.addInitScript(noteStart)
  await page.goto(address)
  const started = (): Promise<ColdStart> =>
    page.evaluate(() => (globalThis as typeof globalThis & { readonly started: Promise<ColdStart> }).started)
  await started()
  const starts: ColdStart[] = []
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    await page.reload({ waitUntil: 'commit' })
    starts.push(await started())
  }
  return starts.slice(WARM_UP)
}

/** The engine keeps compiled code of a script that it has seen a few times. */
const WARM_UP = 3

const EMPTY = {
  '/': [
    'text/html',
    '<!doctype html><title>Empty</title><script type="module" src="./page.js"></script><nav class="sidebar"><i class="skeleton"></i></nav><main></main>',
  ],
  '/page.js': [
    'text/javascript',
    `const main = document.querySelector('main')
const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
worker.onmessage = ({ data }) => {
  if (data === 'ready') main.dataset.health = 'ready'
  main.insertAdjacentHTML('beforeend', data === 'ready' ? '<textarea id="composer-text"></textarea>' : '<select aria-label="Model"></select>')
  if (data === 'complete') document.querySelector('.skeleton').remove()
}
worker.postMessage('ping')`,
  ],
  '/worker.js': [
    'text/javascript',
    `onmessage = () => postMessage('ready')
const opening = indexedDB.open('empty', 1)
opening.onupgradeneeded = () => opening.result.createObjectStore('nothing')
opening.onsuccess = () => {
  opening.result.transaction('nothing').objectStore('nothing').get(0).onsuccess = () => postMessage('complete')
}`,
  ],
} as const satisfies Readonly<Record<string, readonly [type: string, text: string]>>

/** Serves a page that starts a module worker, which answers and opens a database: what nobody can be faster than here. */
export const serveEmptyPage = async (): Promise<{ readonly address: string; close(): void }> => {
  const server = createServer(({ url = '' }, response) => {
    const found = Object.entries(EMPTY).find(([path]) => path === url)?.[1]
    if (found === undefined) return response.writeHead(404).end()
    const [type, text] = found
    response.writeHead(200, { 'content-type': type, 'cache-control': url === '/' ? 'no-cache' : 'max-age=3600' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}
