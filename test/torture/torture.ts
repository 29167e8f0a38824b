// The proof by killing (S16): a real browser, its storage and its tabs, killed at every kind of moment, and nothing acknowledged is lost.
// npm run torture [-- --kills 300 --seed 1]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { calibrate } from '../bench/calibration.ts'
import { type Memory, playChapter } from './chapter.ts'
import { createFigures } from './figures.ts'
import { promptTogether } from './many-tabs.ts'
import { startModel } from './model.ts'
import { planOf } from './plan.ts'
import { randomFrom } from './random.ts'
import { servePage } from './serve-page.ts'
import type { Tab } from './tab.ts'
import { createWorld } from './world.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '300' }, seed: { type: 'string' }, tabs: { type: 'string', default: '2,4,8' } },
})
const kills = Number(values.kills)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const together = values.tabs.split(',').filter(Boolean).map(Number)
if (![kills, seed, ...together].every(Number.isInteger)) {
  console.error('It takes whole numbers: npm run torture -- --kills 300 --seed 1 --tabs 2,4,8')
  process.exit(2)
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, '.cache', 'torture')
mkdirSync(folder, { recursive: true })
const report = join(folder, `violations-${seed}.jsonl`)
rmSync(report, { force: true })

/** Windows of 12,000 tokens make the long prompts of the test something to sum up. */
const prepare = async (tab: Tab): Promise<void> => {
  const info = { tools: true, images: false, contextWindow: 12_000 }
  const provider = {
    id: 'scripted',
    label: 'Scripted',
    api: 'openai-chat',
    baseUrl: model.baseUrl,
    models: ['scripted-1'],
    facts: [{ id: 'scripted-1', info }],
  }
  for (const [group, command, input] of [
    ['models', 'save', { provider }],
    ['models', 'choose', { options: { provider: 'scripted', model: 'scripted-1' } }],
    ['people', 'ask', { tools: ['run_js'] }],
  ] as const) {
    const reply = await tab.call(group, command, input)
    if (reply.kind !== 'done') throw new Error(`${group}.${command} failed: ${JSON.stringify(reply)}`)
  }
}

// An exit ends the browser too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const profile = mkdtempSync(join(tmpdir(), 'sideloop-torture-'))
const figures = createFigures()
const page = await servePage()
const model = await startModel()
const world = await createWorld({ random: randomFrom(seed + 1), model, address: page.address, profile, report, seed, prepare })
const started = Date.now()
console.log(`Seed ${seed}, one clone in ${calibrate().toFixed(1)} µs`)

/** Prints, tells the stage of `npm test`, and ends the process. */
const finish = (): never => {
  figures.print(world, seed)
  console.log(`in ${((Date.now() - started) / 60_000).toFixed(1)} minutes`)
  const violations = figures.violations(world)
  writeFileSync(join(folder, 'report.json'), JSON.stringify({ seed, kills: figures.kills, violations }))
  const failed = Object.values(violations).reduce((total, count) => total + count, 0)
  if (failed > 0) console.log(`\n${failed} violations, with their logs in ${report}`)
  process.exit(failed > 0 ? 1 : 0)
}

/** Four times what a machine takes that is busy with other things. */
const limitMs = 300_000 + kills * 15_000 + together.length * 180_000
setTimeout(() => {
  world.fail('unfinished', '', `the test took more than ${limitMs / 60_000} minutes`)
  finish()
}, limitMs).unref()

try {
  await prepare(await world.openTab())
  const memory: Memory = { files: [], known: new Set(), copies: [] }
  for (const chapter of planOf(seed, kills)) await playChapter(world, figures, memory, chapter)
  for (const count of together) await promptTogether(world, figures, count, Math.max(1, Math.floor(count / 2)))
} catch (error) {
  world.fail('unfinished', '', error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  await world.close()
  await page.close()
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
}
finish()
