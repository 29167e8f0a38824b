// The examples as a stranger would have them: the packed library in a fresh Vite project, built and in development.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { build, createServer, preview } from 'vite'
import { tinyGguf } from '../kit/tiny-gguf.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The package as `npm pack` made it. */
let packed: string
const projects: string[] = []

const npm = (parameters: readonly string[]): void => {
  const script = process.env.npm_execpath
  const options = { cwd: root, stdio: 'pipe' } as const // a failure is thrown with what npm said
  if (script === undefined) execFileSync('npm', parameters, { ...options, shell: process.platform === 'win32' })
  else execFileSync(process.execPath, [script, ...parameters], options)
}

/** A copy of an example with what its `npm install` would bring, without a network: the package unpacked, the others beside it. */
const projectOf = (example: string, others: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), `sideloop-${example}-`))
  projects.push(folder)
  cpSync(join(root, 'examples', example), folder, { recursive: true })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'sideloop'), { recursive: true })
  execFileSync('tar', ['-xzf', packed, '-C', join(modules, 'sideloop'), '--strip-components=1'])
  const { dependencies } = JSON.parse(readFileSync(join(modules, 'sideloop', 'package.json'), 'utf8')) as { dependencies: object }
  for (const name of [...Object.keys(dependencies), ...others, 'vite']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  }
  return folder
}

type TryOut = (page: Page) => Promise<void>

const tryIt = async (page: Page, address: string, tryOut: TryOut): Promise<void> => {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(address)
  await tryOut(page)
  expect(problems).toEqual([])
}

const runsCode: TryOut = async (page) => {
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('log')).toContainText('[run_js: done]')
  await expect(page.getByRole('log')).toContainText('639')
}

const answersInTheTab: TryOut = async (page) => {
  await expect(page.getByRole('status')).toHaveText(/^kept: \d+ of \d+ bytes$/)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('log')).toHaveText('I live in this tab.')
}

const addressOf = (server: { readonly httpServer: { address(): unknown } | null }): string => {
  const address = server.httpServer?.address() as { readonly port: number }
  return `http://127.0.0.1:${address.port}/`
}

test.describe.configure({ mode: 'serial' })

test.beforeAll(() => {
  test.setTimeout(90_000)
  execFileSync(process.execPath, ['scripts/build-lib.mjs'], { cwd: root })
  const folder = mkdtempSync(join(tmpdir(), 'sideloop-packed-'))
  projects.push(folder)
  npm(['pack', '--ignore-scripts', '--pack-destination', folder])
  packed = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
})

test.afterAll(() => {
  for (const folder of projects) rmSync(folder, { recursive: true, force: true })
})

const built = async (page: Page, project: string, tryOut: TryOut): Promise<void> => {
  await build({ root: project, logLevel: 'error' })
  const server = await preview({ root: project, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } })
  try {
    await tryIt(page, addressOf(server), tryOut)
  } finally {
    await server.close()
  }
}

const developed = async (page: Page, project: string, tryOut: TryOut): Promise<void> => {
  const fs = { allow: [project, join(root, 'node_modules')] } // the dependencies are links to the ones here
  const server = await createServer({ root: project, logLevel: 'error', server: { host: '127.0.0.1', port: 0, fs, hmr: false } })
  try {
    await server.listen()
    await tryIt(page, addressOf(server), tryOut)
  } finally {
    await server.close()
  }
}

test('H10 the packed library runs in a built application, its nested worker included', ({ page }) =>
  built(page, projectOf('embed', []), runsCode))

test('H10 the packed library runs under the dev server of an application', ({ page }) => developed(page, projectOf('embed', []), runsCode))

const withModel = (): string => {
  const project = projectOf('local-model', ['@wllama/wllama'])
  mkdirSync(join(project, 'public'))
  writeFileSync(
    join(project, 'public', 'model.gguf'),
    tinyGguf({ reply: ['I', ' live', ' in', ' this', ' tab', '.'], contextLength: 16_384 }),
  )
  return project
}

test('W15 the engine of the packed library runs a model in a built application', ({ page }) => built(page, withModel(), answersInTheTab))

test('W15 the engine of the packed library runs a model under the dev server of an application', ({ page }) =>
  developed(page, withModel(), answersInTheTab))
