// Runs the tabs bench in Chromium, as the storage bench is run. npm run bench -- tabs
import config from './storage.vitest.config.ts'

export default {
  ...config,
  worker: { format: 'es' },
  optimizeDeps: { noDiscovery: true, include: ['idb', 'comlink'] },
  test: { ...config.test, include: ['test/bench/tabs.bench.ts'] },
}
