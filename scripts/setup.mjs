// Makes a bare machine ready: installs packages when needed and, with --browser, finds or installs a browser for the tests.
// Runs before node_modules exists, so it and what it imports use Node's own modules only.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findBrowser } from './find-browser.mjs'
import { whyInstall } from './installed.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

/** @param {string} line */
const say = (line) => console.log(`set-up: ${line}`)

/** @param {string} reason @returns {never} */
const giveUp = (reason) => {
  console.error(`set-up: ${reason}`)
  process.exit(1)
}

const checkNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) giveUp(`Node ${process.versions.node} is too old. Install Node 20.19 or newer.`)
}

const installPackages = () => {
  const reason = whyInstall(root)
  if (reason === undefined) return
  say(`${reason}; running npm ci.`)
  const npm = process.env.npm_execpath
  const parameters = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
  const run =
    npm === undefined
      ? spawnSync('npm', parameters, { stdio: 'inherit', shell: process.platform === 'win32' })
      : spawnSync(process.execPath, [npm, ...parameters], { stdio: 'inherit' })
  if (run.status !== 0) giveUp('npm ci failed; the lines above say why. With a network that reaches your package registry, run it again.')
  const still = whyInstall(root)
  if (still !== undefined) giveUp(`npm ci ran, but ${still}. Remove node_modules and run it again.`)
}

checkNode()
installPackages()
if (process.argv.includes('--browser')) {
  try {
    say(`tests use ${findBrowser({ say })}`)
  } catch (error) {
    giveUp(error instanceof Error ? error.message : String(error))
  }
}
