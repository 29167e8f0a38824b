// Runs the benchmarks of test/bench, one process each so that none warms the engine for the next: npm run bench [-- name].
// In Node, or in Chromium if a `NAME.vitest.config.ts` stands beside the benchmark.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { browserPath } from './browser.mjs'
import { binaryOf, run } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'test', 'bench')
const built = join(root, '.cache', 'bench')
const wanted = process.argv[2] ?? ''

const benches = readdirSync(folder).filter((name) => name.endsWith('.bench.ts') && name.includes(wanted))
if (benches.length === 0) {
  console.error(`test/bench has no benchmark whose name contains "${wanted}".`)
  process.exit(1)
}
mkdirSync(built, { recursive: true })

/** @param {string} name */
const runInNode = async (name) => {
  const file = join(built, name.replace(/\.ts$/, '.mjs'))
  const bundle = await rolldown({
    input: join(folder, name),
    platform: 'node',
    external: ['playwright', 'vite', /\/scripts\//],
    logLevel: 'silent',
  })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  return run(file, [])
}

for (const name of benches) {
  console.log(`\n── ${name.replace('.bench.ts', '')}`)
  const config = join(folder, name.replace('.bench.ts', '.vitest.config.ts'))
  const { code } = existsSync(config)
    ? await run(binaryOf('vitest'), ['run', '--config', config], { env: { CHROMIUM_PATH: browserPath() } })
    : await runInNode(name)
  if (code !== 0) process.exitCode = 1
}
