// End-to-end tests over the built application, served with its security headers exactly as `npm start` serves it.
import { execFileSync } from 'node:child_process'
import { defineConfig, devices } from '@playwright/test'
import { browserPath, chromiumArguments } from './scripts/browser.mjs'

const findPort = "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close() })"
/** Chosen once; Playwright's worker processes read this file again and find it in their environment. */
process.env.SIDELOOP_E2E_PORT ??= execFileSync(process.execPath, ['-e', findPort], { encoding: 'utf8' }).trim()
const address = `http://127.0.0.1:${process.env.SIDELOOP_E2E_PORT}/`

const { userAgent: _namesAnotherBrowser, ...desktopChrome } = devices['Desktop Chrome']

const browser = { ...desktopChrome, launchOptions: { executablePath: browserPath(), args: chromiumArguments } }

export default defineConfig({
  testDir: './test/e2e',
  timeout: 60_000,
  expect: { timeout: 15_000 }, // patience, not speed: the machine may be busy
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  retries: process.env.CI ? 1 : 0, // a stalled disk of a shared machine; each second try is told by the test script
  reporter: [['list']],
  use: { baseURL: address, trace: 'retain-on-failure', screenshot: 'only-on-failure', video: 'off' },
  projects: [
    { name: 'chromium', testIgnore: /smooth/, use: browser },
    // By itself, after the others: what it measures is the page, not who else is busy.
    { name: 'alone', testMatch: /smooth/, dependencies: ['chromium'], use: browser },
  ],
  webServer: {
    command: `node scripts/start.mjs --port ${process.env.SIDELOOP_E2E_PORT}`,
    url: address,
    reuseExistingServer: false,
    timeout: 90_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 2_000 },
  },
})
