// Builds and serves the application: the page, the agent's worker and the JavaScript sandbox's worker.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { keptFiles } from './scripts/kept-files.mjs'
import { securityHeaders } from './scripts/security-headers.mjs'

/** The header rules go by these names, and so does a person who reads the network panel. */
const workerName = (module: string | null): string => (module?.endsWith('/entries/browser.worker.ts') ? 'agent.worker' : '[name]')

/** A warning fails the tests; that this machine is slow today is none. */
const checks = { bundlerTimings: false }

export default defineConfig({
  appType: 'mpa', // a missing file is a 404, never index.html with status 200
  base: './', // works from any folder of any file host
  plugins: [securityHeaders(), keptFiles()],
  resolve: { alias: { 'node:zlib': fileURLToPath(new URL('./src/worker/capabilities/shell/without-zlib.ts', import.meta.url)) } },
  worker: {
    format: 'es',
    rolldownOptions: {
      checks,
      output: {
        entryFileNames: (chunk) => `assets/${workerName(chunk.facadeModuleId)}-[hash].js`,
        // A worker has no code cache and asks for what a file imports only when it has read it, so a worker's start is one file, and
        // so is what its host needs for the first questions and the first session.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'] },
            { name: 'host', test: /worker.host.(?!copies)|idb.secret|log.repair/ },
          ],
        },
      },
    },
  },
  build: {
    target: 'es2022',
    outDir: 'dist/app',
    sourcemap: true,
    assetsInlineLimit: 0, // the policy allows no data: fonts or styles
    modulePreload: { polyfill: false },
    rolldownOptions: { checks },
  },
  preview: { cors: false },
  optimizeDeps: {
    include: [
      'comlink',
      'idb',
      'zod/mini',
      'preact',
      'preact/hooks',
      'preact/jsx-runtime',
      '@preact/signals',
      'marked',
      'quickjs-emscripten-core',
      'just-bash/browser',
      '@huggingface/transformers',
      '@wllama/wllama',
    ],
    exclude: ['@jitl/quickjs-wasmfile-release-sync'], // finds its .wasm beside itself
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
