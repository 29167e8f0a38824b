// `npm run test:cases`: runs the cases of CASES_DIR (default: the project's own) and prints a line for each, the count last.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const own = fileURLToPath(new URL('.', import.meta.url))
const folder = process.env.CASES_DIR || own
const { module } = await runnerImport(fileURLToPath(new URL('./run-cases.ts', import.meta.url)), { configFile: false, logLevel: 'error' })
const results = await module.runCases(folder)
for (const line of module.linesOf(results)) console.log(line)
if (results.length === 0) console.error(`There is no case in ${folder}.`)
process.exitCode = results.length === 0 || results.some((result) => result.verdict === 'failed') ? 1 : 0
