// Builds the application: the page, the agent's worker and the JavaScript sandbox's worker.
import { defineConfig } from 'vite'

export default defineConfig({
  appType: 'mpa', // a missing file is a 404, never index.html with status 200
  base: './', // works from any folder of any file host
  worker: { format: 'es' },
  build: { target: 'es2022', outDir: 'dist/app', sourcemap: true, modulePreload: { polyfill: false } },
  esbuild: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
