// Two projects in one run: `unit` in Node, `browser` in real Chromium (IndexedDB, workers, WebAssembly).
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { browserPath, chromiumArguments } from './scripts/browser.mjs'
import { serverCommands } from './test/kit/server-commands.ts'

const launchOptions = { executablePath: browserPath(), args: chromiumArguments }

export default defineConfig({
  worker: { format: 'es' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    // Patience, not speed: what is measured has a bench, and the machine may be busy.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/architecture.test.ts', 'test/unit/**/*.test.ts', 'test/cases/**/*.test.ts'],
        },
      },
      {
        extends: true,
        optimizeDeps: {
          // What is found late makes the page reload in the middle of a test, on a fresh machine only. So nothing is looked for.
          noDiscovery: true,
          include: [
            'comlink',
            'idb',
            'zod/mini',
            'preact',
            'preact/hooks',
            'preact/jsx-runtime',
            'preact/jsx-dev-runtime',
            '@preact/signals',
            'marked',
            'quickjs-emscripten-core',
            'just-bash/browser',
            '@huggingface/transformers',
            '@wllama/wllama',
          ],
          exclude: ['@jitl/quickjs-wasmfile-release-sync'],
        },
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.{ts,tsx}'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions }),
            instances: [{ browser: 'chromium' }],
            commands: serverCommands,
          },
        },
      },
    ],
  },
})
