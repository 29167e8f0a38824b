// The proof by killing: npm run torture [-- --kills 300 --seed 1 --tabs 2,4,8]. See test/torture.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { run } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(root, '.cache', 'torture', 'torture.mjs')

process.chdir(root)
mkdirSync(join(root, '.cache', 'torture'), { recursive: true })
const bundle = await rolldown({
  input: join(root, 'test', 'torture', 'torture.ts'),
  platform: 'node',
  external: ['playwright', 'vite', /\/scripts\//],
  logLevel: 'silent',
})
await bundle.write({ file, format: 'esm', codeSplitting: false })
await bundle.close()
const { code } = await run(file, process.argv.slice(2))
process.exitCode = code
