// `npm run test:cases`: runs the cases of CASES_DIR (default: the project's own) and prints a line for each, the count last.
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const own = fileURLToPath(new URL('.', import.meta.url))
const folder = process.env.CASES_DIR || own
const server = await createServer({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
})
try {
  const { linesOf, runCases } = await server.ssrLoadModule('/test/cases/run-cases.ts')
  const results = await runCases(folder)
  for (const line of linesOf(results)) console.log(line)
  if (results.length === 0) console.error(`There is no case in ${folder}.`)
  process.exitCode = results.length === 0 || results.some((result) => result.verdict === 'failed') ? 1 : 0
} finally {
  await server.close()
}
