// Where the browser is that tests drive, and how it is started. Set-up finds it once and notes it in `.cache/browser.json`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const note = fileURLToPath(new URL('../.cache/browser.json', import.meta.url))

/** Chromium otherwise starts background traffic that has nothing to do with a test. */
export const chromiumArguments = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-sandbox', // as root in a container there is no other way
]

/** @returns {string | undefined} the noted browser, if it is still there */
export const notedBrowser = () => {
  if (!existsSync(note)) return undefined
  /** @type {unknown} */
  const content = JSON.parse(readFileSync(note, 'utf8'))
  const path = typeof content === 'object' && content !== null && 'path' in content ? content.path : undefined
  return typeof path === 'string' && existsSync(path) ? path : undefined
}

/** @param {string} path */
export const noteBrowser = (path) => {
  mkdirSync(dirname(note), { recursive: true })
  writeFileSync(note, `${JSON.stringify({ path })}\n`)
}

/** For the test configurations, which may also be read by tools that start no browser. */
export const browserPath = () => process.env.CHROMIUM_PATH ?? notedBrowser() ?? '/usr/bin/chromium'
