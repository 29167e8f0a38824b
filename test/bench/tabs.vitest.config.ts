// Runs the tabs bench in Chromium with a profile on disk: in a private window IndexedDB would be in memory only.
// npm run bench -- tabs
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const args = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-sandbox',
]
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const persistentContext = mkdtempSync(join(tmpdir(), 'sideloop-tabs-'))
process.on('exit', () => rmSync(persistentContext, { recursive: true, force: true, maxRetries: 3 }))

export default defineConfig({
  worker: { format: 'es' },
  optimizeDeps: { noDiscovery: true, include: ['idb', 'comlink'] },
  test: {
    include: ['test/bench/tabs.bench.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: { executablePath, args }, persistentContext }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
