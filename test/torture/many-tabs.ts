// Many tabs that prompt at once while whoever drives is killed: each acknowledged prompt becomes one message, none twice, none lost.
import type { Figures } from './figures.ts'
import { killNow } from './kill.ts'
import { settleSession } from './settle.ts'
import type { Tab } from './tab.ts'
import { prompt, repeatUnknown } from './wishes.ts'
import type { World } from './world.ts'

const PROMPTS = 3
const TAKEOVER_MS = 30_000

/** `kills`: so many tabs die, one after the other, each while the rest prompts. */
export const promptTogether = async (world: World, figures: Figures, count: number, kills: number): Promise<void> => {
  await Promise.all(Array.from({ length: Math.max(0, count - world.tabs.length) }, () => world.openTab()))
  const [first] = world.tabs
  if (first === undefined) throw new Error('No tab could be opened.')
  const title = world.newId('together')
  const { made: session } = await world.wish(first, { kind: 'creation', title }, 'sessions', 'create', { title })
  if (session === undefined) throw new Error('No session could be made.')
  for (const tab of world.tabs) await tab.open(session, world.ledger.storedOf(session).length - 1)
  const sent: Promise<unknown>[] = []
  for (let kill = 0; kill <= kills; kill++) {
    for (const tab of world.tabs) {
      for (let n = 0; n < PROMPTS; n++) sent.push(prompt(world, tab, session, 'bulk', n === 2 ? 'steer' : 'send').answered)
    }
    if (kill === kills || world.tabs.length < 2) break
    if (world.random.chance(0.5)) await Promise.race(sent.slice(-PROMPTS))
    const driver: Tab | undefined = world.tabs.find((tab) => tab.drives(session)) ?? world.tabs[0]
    world.step++
    const at = Date.now()
    figures.kill(await killNow(world, world.random.pick(['crash', 'renderer', 'worker']), driver, true), `${count} tabs that prompt`)
    if (driver?.drives(session)) continue
    const began = await world.driverAfter(session, at, TAKEOVER_MS)
    if (began !== 'before') figures.takeover(began === 'late' ? TAKEOVER_MS : began - at)
  }
  await Promise.all(sent)
  const [tab] = world.tabs
  if (tab === undefined) throw new Error('No tab is left.')
  await repeatUnknown(world, tab, session)
  const events = await settleSession(world, tab, session)
  const prompts = new Set(world.ledger.of('prompt', session).flatMap(({ wish, outcome }) => (outcome === 'acknowledged' ? [wish.id] : [])))
  const messages = (events ?? []).filter(({ type }) => type === 'user/message' || type === 'steering/message').length
  console.log(`      ${count} tabs, ${kills} of them killed: ${prompts.size} prompts acknowledged, ${messages} messages`)
}
