// Runs every check there is, stage by stage, and ends with the line `N passed, N failed`: npm test [-- stage …].
import { fileURLToPath } from 'node:url'
import { check, stages, sum } from './test-stages.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !stages.some((stage) => stage.name === name))
if (unknown.length > 0) {
  console.error(`Unknown stage ${unknown.join(', ')}. There are: ${stages.map((stage) => stage.name).join(', ')}.`)
  process.exit(2)
}

const outcomes = []
for (const stage of stages) {
  if (asked.length > 0 && !asked.includes(stage.name)) continue
  console.log(`\n── ${stage.name}`)
  const start = performance.now()
  let outcome
  try {
    outcome = await stage.run()
  } catch (error) {
    console.error(error)
    outcome = check(false, `${stage.name}: stopped with an error`)
  }
  outcomes.push(outcome)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`── ${stage.name}: ${outcome.passed} passed, ${outcome.failed} failed (${seconds} s)`)
}

const total = sum(outcomes)
if (total.failures.length > 0) console.log(`\nFailed:\n${total.failures.map((failure) => `  ${failure}`).join('\n')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
