// Builds the library into dist/lib: one file per module, so that a bundler keeps only what is used; types beside each.
// A worker stays a file of its own, named by `new URL('….worker.js', import.meta.url)`, the form that bundlers follow.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { binaryOf, run } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')
const output = join(root, 'dist', 'lib')
const entries = ['entries/client.ts', 'entries/worker.ts', 'entries/wllama.ts', 'entries/transformers.ts']

/** @param {string} folder @returns {string[]} */
const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })

/** Texts for models are imported as `./name.md?raw`. @returns {import('rolldown').Plugin} */
const rawTexts = () => ({
  name: 'raw-texts',
  resolveId: (id, importer) => (id.endsWith('?raw') && importer !== undefined ? resolve(dirname(importer), id) : null),
  load: (id) => (id.endsWith('?raw') ? `export default ${JSON.stringify(readFileSync(id.slice(0, -4), 'utf8'))}` : null),
})

/** The new ending is as long as the old one, so the source map still fits. @returns {import('rolldown').Plugin} */
const workerAddresses = () => ({
  name: 'worker-addresses',
  renderChunk: (code) => {
    const changed = code.replace(/(new URL\(\s*["'`][^"'`]+\.worker)\.ts(?=["'`])/g, '$1.js')
    return changed === code ? null : { code: changed, map: null }
  },
})

const buildCode = async () => {
  const workers = filesBelow(source).filter((file) => file.endsWith('.worker.ts') && !file.includes(`${join('host', 'entries')}`))
  const bundle = await rolldown({
    input: [...entries.map((entry) => join(source, entry)), ...workers],
    platform: 'browser',
    external: /^[^./]/,
    plugins: [rawTexts(), workerAddresses()],
    checks: { bundlerTimings: false },
  })
  await bundle.write({ dir: output, format: 'esm', preserveModules: true, preserveModulesRoot: source, sourcemap: true, minify: false })
  await bundle.close()
}

/** @param {string} code @returns {string[]} */
const relativeTypes = (code) => [...code.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.tsx?['"]/g)].map((match) => match[1] ?? '')

/** @param {string} from where the compiler wrote the declarations @param {string} entry */
const copyTypes = (from, entry) => {
  const wanted = new Set([join(from, entry.replace(/\.ts$/, ''))])
  for (const module of wanted) {
    const code = readFileSync(`${module}.d.ts`, 'utf8')
    for (const specifier of relativeTypes(code)) wanted.add(join(dirname(module), specifier))
    const target = `${join(output, relative(from, module))}.d.ts`
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, code.replace(/((?:from|import\()\s*['"]\.[^'"]+)\.tsx?(['"])/g, '$1.js$2'))
  }
}

/**
 * The page's and the worker's entry see different platform libraries, so each compiles under its own floor's configuration.
 * @param {string} floor @param {string} entry
 */
const buildTypes = async (floor, entry) => {
  const folder = join(root, '.cache', 'types', floor)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const config = {
    extends: `../../../tsconfig.${floor}.json`,
    compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: '../../../src', outDir: '.' },
    include: [`../../../src/${entry}`],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { code } = await run(binaryOf('typescript', 'tsc'), ['-p', folder])
  if (code !== 0) throw new Error(`The types of src/${entry} do not compile.`)
  copyTypes(folder, entry)
}

process.chdir(root)
if (existsSync(output)) rmSync(output, { recursive: true })
await buildCode()
await buildTypes('ui', 'entries/client.ts')
await buildTypes('worker', 'entries/worker.ts')
await buildTypes('worker', 'entries/wllama.ts')
await buildTypes('worker', 'entries/transformers.ts')
console.log(`library: ${filesBelow(output).length} files in dist/lib`)
