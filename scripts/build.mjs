// Builds the application into dist/app, unless what is there was built from the same sources: npm run build.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const output = join(root, 'dist', 'app')
const stamp = join(root, 'dist', 'app.sources')
const sources = ['index.html', 'vite.config.ts', 'scripts/security-headers.mjs', 'package-lock.json', 'src', 'public']

/** @param {string} path @returns {string[]} every file in or at a path, in a fixed order */
const filesAt = (path) => {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesAt(join(path, name)))
}

const fingerprint = () => {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of filesAt(join(root, source)))
      hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

const isFresh = () => existsSync(join(output, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()

export const buildApp = async () => {
  const { build } = await import('vite')
  const before = fingerprint()
  await build({ root })
  writeFileSync(stamp, before)
}

/** @param {(line: string) => void} say */
export const buildIfStale = async (say) => {
  if (isFresh()) return
  say('Building the application.')
  await buildApp()
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildApp().catch((error) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  })
}
