// Runs a program with its output shown as it comes and kept, so that a caller can also judge what was printed.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/**
 * The script behind a package's command: started with this Node, so that it works on every system.
 * @param {string} name @param {string} [command]
 */
export const binaryOf = (name, command = name) => {
  const manifest = require.resolve(`${name}/package.json`)
  /** @type {{ bin: string | Record<string, string> }} */
  const { bin } = require(manifest)
  const path = typeof bin === 'string' ? bin : bin[command]
  if (path === undefined) throw new Error(`The package ${name} has no command ${command}.`)
  return join(dirname(manifest), path)
}

/** Playwright sets FORCE_COLOR for what it starts, and Node warns where both are set. */
const { NO_COLOR: _, ...withoutColor } = process.env

/**
 * @param {string} script @param {string[]} parameters
 * @param {{ env?: Record<string, string> }} [options]
 * @returns {Promise<{ code: number, output: string }>} a program that was killed by a signal has code 1
 */
export const run = (script, parameters, options = {}) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...parameters], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...withoutColor, FORCE_COLOR: '0', ...options.env },
    })
    let output = ''
    for (const [from, to] of /** @type {const} */ ([
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])) {
      from.setEncoding('utf8')
      from.on('data', (text) => {
        output += text
        to.write(text)
      })
    }
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
