// The stages of npm test. Each one gives its checks: how many passed, how many failed, and what failed in words.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { binaryOf, run } from './run.mjs'

/** @typedef {{ passed: number, failed: number, failures: string[] }} Outcome */

const reports = '.cache'

/** @param {boolean} good @param {string} what @returns {Outcome} */
export const check = (good, what) => ({ passed: good ? 1 : 0, failed: good ? 0 : 1, failures: good ? [] : [what] })

/** @param {Outcome[]} outcomes @returns {Outcome} */
export const sum = (outcomes) => ({
  passed: outcomes.reduce((total, outcome) => total + outcome.passed, 0),
  failed: outcomes.reduce((total, outcome) => total + outcome.failed, 0),
  failures: outcomes.flatMap((outcome) => outcome.failures),
})

/** @param {string} output bundlers and their plugins mark what they are not content with in these ways */
export const hasWarning = (output) => /\bwarn(ing)?s?\b/i.test(output) || /\(!\)|\[[A-Z]+_?[A-Z_]+\]/.test(output)

/** @param {string} name @returns {string} an empty place for a report: an old one must not pass for a new one */
const freshReport = (name) => {
  mkdirSync(reports, { recursive: true })
  const path = join(reports, name)
  rmSync(path, { force: true })
  return path
}

/** @param {string} path @returns {any} the report, or undefined if the program ended before writing it */
const readReport = (path) => {
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined // cut off in the middle: the same as none
  }
}

/**
 * A program that reports success in its numbers but ends with an error has still failed.
 * @param {string} stage
 * @param {{ code: number, passed: number, failed: number, skipped: number } | undefined} result
 * @param {number} code
 * @returns {Outcome}
 */
export const judgeTests = (stage, result, code) => {
  if (result === undefined) return check(false, `${stage}: ended without a report (exit code ${code})`)
  const outcomes = [
    { passed: result.passed, failed: result.failed, failures: result.failed > 0 ? [`${stage}: ${result.failed} tests failed`] : [] },
    check(result.skipped === 0, `${stage}: ${result.skipped} tests were skipped`),
  ]
  if (result.passed + result.failed === 0) outcomes.push(check(false, `${stage}: no test ran`))
  if (code !== 0 && result.failed === 0) outcomes.push(check(false, `${stage}: ended with exit code ${code}`))
  return sum(outcomes)
}

const typeConfigs = ['log', 'core', 'worker', 'ui', 'test', 'tools', 'examples']

const types = async () => {
  const outcomes = []
  for (const name of typeConfigs) {
    const { code } = await run(binaryOf('typescript', 'tsc'), ['-p', `tsconfig.${name}.json`, '--pretty', 'false'])
    outcomes.push(check(code === 0, `types: tsconfig.${name}.json`))
  }
  return sum(outcomes)
}

const lint = async () => {
  const { code } = await run(binaryOf('@biomejs/biome', 'biome'), [
    'ci',
    '--error-on-warnings',
    '--colors=off',
    '--max-diagnostics=50',
    '.',
  ])
  return check(code === 0, 'lint: biome')
}

/** @param {string} project a project of vitest.config.ts */
const vitest = (project) => async () => {
  const path = freshReport(`vitest-${project}.json`)
  const { code } = await run(binaryOf('vitest'), [
    'run',
    '--project',
    project,
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${path}`,
  ])
  const report = readReport(path)
  const result = report && {
    code,
    passed: report.numPassedTests,
    // A file that cannot be loaded has no failed test of its own.
    failed: report.numFailedTests + report.testResults.filter(brokenFile).length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
  return judgeTests(project, result, code)
}

/** @param {{ status: string, assertionResults: { status: string }[] }} file */
const brokenFile = (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')

const build = async () => {
  const app = await run('scripts/build.mjs', [])
  const library = await run('scripts/build-lib.mjs', [])
  return sum([
    check(app.code === 0, 'build: the application'),
    check(!hasWarning(app.output), 'build: the application builds with warnings'),
    check(library.code === 0, 'build: the library'),
    check(!hasWarning(library.output), 'build: the library builds with warnings'),
  ])
}

const size = async () => {
  const { isWithin, printSizes, weighEverything } = await import('./size.mjs')
  const results = await weighEverything()
  printSizes(results)
  return sum(results.map((result) => check(isWithin(result), `size: ${result.what}`)))
}

const endToEnd = async () => {
  const path = freshReport('playwright.json')
  const { code } = await run(binaryOf('@playwright/test', 'playwright'), ['test', '--reporter=list,json'], {
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: path },
  })
  const stats = readReport(path)?.stats
  // Only CI tries twice (playwright.config.ts). What passes at the second try may have told of a race: it is said, and named in the list.
  if (stats?.flaky > 0) console.log(`e2e: ${stats.flaky} passed only at the second try`)
  const result = stats && { code, passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped }
  return judgeTests('e2e', result, code)
}

/** A few dozen kills; `npm run torture` has hundreds. */
const torture = async () => {
  const path = join(reports, 'torture', 'report.json')
  rmSync(path, { force: true })
  const kills = 24
  const { code } = await run('scripts/torture.mjs', ['--kills', String(kills), '--tabs', '4'])
  const report = readReport(path)
  if (report === undefined) return check(false, `torture: ended with exit code ${code} and without a report`)
  /** @type {[string, number][]} */
  const violations = Object.entries(report.violations)
  const say = (/** @type {string} */ what) => `torture: ${what}, seed ${report.seed}`
  return sum([
    check(report.kills >= kills, say(`only ${report.kills} kills`)),
    ...violations.map(([what, count]) => check(count === 0, say(`${count} ${what}`))),
  ])
}

/** In the order of cost, so that what is cheap to find is found first. */
export const stages = [
  { name: 'types', run: types },
  { name: 'lint', run: lint },
  { name: 'unit', run: vitest('unit') },
  { name: 'browser', run: vitest('browser') },
  { name: 'build', run: build },
  { name: 'size', run: size },
  { name: 'e2e', run: endToEnd },
  { name: 'torture', run: torture },
]
