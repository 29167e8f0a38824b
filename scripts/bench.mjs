// Runs the benchmarks of test/bench in Node, one process each so that none warms the engine for the next: npm run bench [-- name].
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { run } from './run.mjs'

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
for (const name of benches) {
  const file = join(built, name.replace(/\.ts$/, '.mjs'))
  const bundle = await rolldown({ input: join(folder, name), platform: 'node', logLevel: 'silent' })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  console.log(`\n── ${name.replace('.bench.ts', '')}`)
  const { code } = await run(file, [])
  if (code !== 0) process.exitCode = 1
}
