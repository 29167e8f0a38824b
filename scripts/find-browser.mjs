// Finds a Chromium that really starts: named, Playwright's, the system's; else installs one where that can be done.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumArguments, noteBrowser, notedBrowser } from './browser.mjs'

/**
 * A file that is there may still lack the system's libraries, so it is started once.
 * @param {string} path
 */
const starts = (path) => {
  if (!existsSync(path)) return false
  const run = spawnSync(path, ['--headless', '--disable-gpu', ...chromiumArguments, '--dump-dom', 'about:blank'], {
    timeout: 60_000,
    encoding: 'utf8',
  })
  return run.status === 0 && run.stdout.includes('<html')
}

/** Playwright is not there yet when this file is loaded, so it is asked in a process of its own. */
const playwrightBrowser = () => {
  const ask = "import('playwright').then((playwright) => console.log(playwright.chromium.executablePath()))"
  return spawnSync(process.execPath, ['-e', ask], { encoding: 'utf8' }).stdout.trim()
}

/** @param {string | undefined} folder @param {string[]} rest */
const under = (folder, ...rest) => (folder === undefined ? [] : [join(folder, ...rest)])

export const usualPlaces = () => [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...under(process.env.PROGRAMFILES, 'Google', 'Chrome', 'Application', 'chrome.exe'),
  ...under(process.env['PROGRAMFILES(X86)'], 'Google', 'Chrome', 'Application', 'chrome.exe'),
  ...under(process.env.LOCALAPPDATA, 'Google', 'Chrome', 'Application', 'chrome.exe'),
]

/**
 * Does not work on a closed network, so it may fail quietly and must not take long.
 * @param {(line: string) => void} say
 */
const downloadWithPlaywright = (say) => {
  say('No browser found; asking Playwright to download Chromium.')
  spawnSync(process.execPath, ['node_modules/playwright/cli.js', 'install', 'chromium'], {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: 240_000,
  })
}

const isDebianAsRoot = () => {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false
  return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
}

/** @param {(line: string) => void} say */
const installOnDebian = (say) => {
  say('Installing Chromium with apt-get.')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const update = spawnSync('apt-get', ['update'], { stdio: 'inherit', env })
  if (update.status !== 0) return
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation'], { stdio: 'inherit', env })
}

export const whatToInstall = `The tests need Chromium or Chrome, and none was found. One of these helps:
  on Debian:        apt-get update && apt-get install -y --no-install-recommends chromium fonts-liberation
  elsewhere:        npx playwright install --with-deps chromium
  any other place:  CHROMIUM_PATH=/path/to/chromium npm test`

/**
 * @param {{ say: (line: string) => void }} options
 * @returns {string} the path of a browser that starts; throws with what to install
 */
export const findBrowser = ({ say }) => {
  const named = process.env.CHROMIUM_PATH
  if (named !== undefined && named !== '') {
    if (starts(named)) return named
    throw new Error(`CHROMIUM_PATH names ${named}, which does not start. Correct it, or unset it to let a browser be found.`)
  }
  const noted = notedBrowser()
  if (noted !== undefined && starts(noted)) return noted
  const search = () => [playwrightBrowser(), ...usualPlaces()].find(starts)
  const attempts = [() => {}, () => downloadWithPlaywright(say), () => isDebianAsRoot() && installOnDebian(say)]
  for (const attempt of attempts) {
    attempt()
    const found = search()
    if (found === undefined) continue
    noteBrowser(found)
    return found
  }
  throw new Error(whatToInstall)
}
