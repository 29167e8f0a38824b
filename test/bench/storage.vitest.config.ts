// Runs the storage bench in Chromium with a profile on disk: in a private window IndexedDB would be in memory only.
// npm run bench -- storage
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { browserPath, chromiumArguments } from '../../scripts/browser.mjs'

const persistentContext = mkdtempSync(join(tmpdir(), 'sideloop-bench-'))
process.on('exit', () => rmSync(persistentContext, { recursive: true, force: true, maxRetries: 3 }))
const launchOptions = { executablePath: browserPath(), args: chromiumArguments }

export default defineConfig({
  optimizeDeps: { include: ['idb'] },
  test: {
    include: ['test/bench/storage.bench.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions, persistentContext }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
