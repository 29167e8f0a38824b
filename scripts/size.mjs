// Weighs the built application and the library against their budgets, in gzipped bytes: npm run size.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { buildIfStale } from './build.mjs'
import { loadedWith } from './static-imports.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const app = join(root, 'dist', 'app')
const KB = 1024

/** @param {string} file */
const weigh = (file) => gzipSync(readFileSync(file)).length
/** @param {string[]} files */
const weighAll = (files) => files.reduce((sum, file) => sum + weigh(file), 0)

/** @param {string} html @returns {string[]} scripts, styles and preloads that the page names */
export const namedByPage = (html) =>
  [...html.matchAll(/<(?:script|link)\b[^>]*>/g)].flatMap(([tag]) => {
    if (tag.startsWith('<link') && !/rel="(?:stylesheet|modulepreload)"/.test(tag)) return []
    const address = /\b(?:src|href)="(\.?\/?[^":]+)"/.exec(tag)?.[1]
    return address === undefined ? [] : [address]
  })

const firstLoad = () => {
  const page = join(app, 'index.html')
  const entries = namedByPage(readFileSync(page, 'utf8')).map((address) => join(app, address))
  return weighAll([page, ...loadedWith(entries)])
}

/** @param {string} name the start of the built file's name */
const builtFile = (name) => {
  const file = readdirSync(join(app, 'assets')).find((candidate) => candidate.startsWith(`${name}-`) && candidate.endsWith('.js'))
  if (file === undefined) throw new Error(`dist/app/assets has no ${name}-….js`)
  return join(app, 'assets', file)
}

/**
 * Everything a module brings along, packages included, but nothing behind a dynamic import.
 * @param {string} source @param {RegExp} [without] files that are there anyway
 */
const weighModule = async (source, without) => {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({ input: join(root, source), external: without ?? [], platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const entry = output.find((chunk) => chunk.type === 'chunk' && chunk.isEntry)
  const reached = new Set(entry === undefined ? [] : [entry.fileName])
  let sum = 0
  for (const name of reached) {
    const chunk = output.find((candidate) => candidate.fileName === name)
    if (chunk?.type !== 'chunk') continue
    sum += gzipSync(chunk.code).length
    for (const imported of chunk.imports) reached.add(imported)
  }
  return sum
}

/** What every vendor's adapter shares: failures, tool arguments, schemas. A reader is weighed by what it adds. */
const sharedByVendors = /\/src\/worker\/llm\/[^/]+\.ts$/

/** Each vendor's reader by its folder in src/worker/llm/wire. */
export const READERS = {
  'Anthropic reader': 'anthropic',
  'OpenAI-chat reader': 'openai-chat',
  'Responses reader': 'openai-responses',
  'Gemini reader': 'gemini',
  'Ollama reader': 'ollama-chat',
}

/** @param {string} folder */
export const weighReader = (folder) => weighModule(`src/worker/llm/wire/${folder}/read-reply.ts`, sharedByVendors)
/** All that a package brings along. @param {string} name */
export const weighPackage = (name) => weighModule(join('node_modules', name, 'dist', 'index.mjs'))

const budgets = [
  { what: 'page, first load', limit: 90 * KB, measure: async () => firstLoad() },
  { what: 'worker core', limit: 40 * KB, measure: async () => weighAll(loadedWith([builtFile('agent.worker')])) },
  { what: 'client library', limit: 12 * KB, measure: () => weighModule('src/entries/client.ts') },
  ...Object.entries(READERS).map(([what, folder]) => ({
    what,
    limit: 6 * KB,
    measure: () => weighReader(folder),
  })),
]

/** @returns {Promise<{ what: string, size: number, limit: number, error?: string }[]>} */
export const weighEverything = async () => {
  if (!existsSync(join(app, 'index.html'))) await buildIfStale(console.log)
  const results = []
  for (const { what, limit, measure } of budgets) {
    try {
      results.push({ what, limit, size: await measure() })
    } catch (error) {
      results.push({ what, limit, size: Number.NaN, error: error instanceof Error ? error.message : String(error) })
    }
  }
  return results
}

/** @param {Awaited<ReturnType<typeof weighEverything>>[number]} result */
export const isWithin = (result) => result.size <= result.limit

/** @param {Awaited<ReturnType<typeof weighEverything>>} results */
export const printSizes = (results) => {
  console.log('gzipped                    size      limit')
  for (const result of results) {
    const size = result.error ?? `${(result.size / KB).toFixed(1)} KB`.padStart(9)
    console.log(`${result.what.padEnd(22)}${size}  ${`${result.limit / KB} KB`.padStart(9)}${isWithin(result) ? '' : '  too large'}`)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const results = await weighEverything()
  printSizes(results)
  process.exitCode = results.every(isWithin) ? 0 : 1
}
