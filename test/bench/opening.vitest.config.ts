// Runs the bench of opening a long session in Chromium, as the storage bench is run. npm run bench -- opening
import config from './storage.vitest.config.ts'

export default {
  ...config,
  worker: { format: 'es' },
  // What is found late makes the page reload in the middle of a bench.
  optimizeDeps: {
    noDiscovery: true,
    include: ['comlink', 'idb', 'quickjs-emscripten-core'],
    exclude: ['@jitl/quickjs-wasmfile-release-sync'],
  },
  test: { ...config.test, include: ['test/bench/opening.bench.ts'] },
}
