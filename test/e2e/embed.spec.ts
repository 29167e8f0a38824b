// The example of the README as a stranger would have it: the packed library in a fresh Vite project, built and in development.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { build, createServer, preview } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))
let project: string

const npm = (parameters: readonly string[]): void => {
  const script = process.env.npm_execpath
  const options = { cwd: root, stdio: 'pipe' } as const // a failure is thrown with what npm said
  if (script === undefined) execFileSync('npm', parameters, { ...options, shell: process.platform === 'win32' })
  else execFileSync(process.execPath, [script, ...parameters], options)
}

/** What `npm install sideloop` would do, without a network: the package unpacked, its dependencies beside it. */
const install = (folder: string): void => {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'sideloop'), { recursive: true })
  npm(['pack', '--ignore-scripts', '--pack-destination', folder])
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', join(modules, 'sideloop'), '--strip-components=1'])
  const { dependencies } = JSON.parse(readFileSync(join(modules, 'sideloop', 'package.json'), 'utf8')) as { dependencies: object }
  for (const name of [...Object.keys(dependencies), 'vite']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  }
}

const tryIt = async (page: Page, address: string): Promise<void> => {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(address)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('log')).toContainText('[run_js: done]')
  await expect(page.getByRole('log')).toContainText('639')
  expect(problems).toEqual([])
}

const addressOf = (server: { readonly httpServer: { address(): unknown } | null }): string => {
  const address = server.httpServer?.address() as { readonly port: number }
  return `http://127.0.0.1:${address.port}/`
}

test.describe.configure({ mode: 'serial' })

test.beforeAll(() => {
  test.setTimeout(90_000)
  execFileSync(process.execPath, ['scripts/build-lib.mjs'], { cwd: root })
  project = mkdtempSync(join(tmpdir(), 'sideloop-embed-'))
  install(project)
  cpSync(join(root, 'examples', 'embed'), project, { recursive: true })
})

test.afterAll(() => rmSync(project, { recursive: true, force: true }))

test('H10 the packed library runs in a built application, its nested worker included', async ({ page }) => {
  await build({ root: project, logLevel: 'error' })
  const server = await preview({ root: project, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } })
  try {
    await tryIt(page, addressOf(server))
  } finally {
    await server.close()
  }
})

test('H10 the packed library runs under the dev server of an application', async ({ page }) => {
  const fs = { allow: [project, join(root, 'node_modules')] } // the dependencies are links to the ones here
  const server = await createServer({ root: project, logLevel: 'error', server: { host: '127.0.0.1', port: 0, fs, hmr: false } })
  try {
    await server.listen()
    await tryIt(page, addressOf(server))
  } finally {
    await server.close()
  }
})
