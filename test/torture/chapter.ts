// A chapter of the plan: one session in some tabs, killed at one moment after the other, and after each kill everything is compared.
import { checkCopies, type ExportedFile } from './copies.ts'
import type { Figures } from './figures.ts'
import { DatabaseGone, killNow } from './kill.ts'
import { exportAtRest, MOMENTS, type Scene } from './moments.ts'
import type { Chapter, Kill, Step } from './plan.ts'
import { settleSession } from './settle.ts'
import type { Tab } from './tab.ts'
import { repeatUnknown } from './wishes.ts'
import type { World } from './world.ts'

/** A takeover that has not come by then is told as unfinished by the settlement that follows. */
const TAKEOVER_MS = 30_000

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export type Memory = { readonly files: ExportedFile[]; readonly known: Set<string>; copies: readonly string[] }

/** So many tabs, each with the session open. */
const fill = async (world: World, session: string, count: number): Promise<void> => {
  await Promise.all(Array.from({ length: Math.max(0, count - world.tabs.length) }, () => world.openTab()))
  await Promise.all(world.tabs.map((tab) => tab.open(session, world.ledger.storedOf(session).length - 1)))
}

const newSession = async (world: World, tab: Tab): Promise<string> => {
  const title = world.newId('session')
  const { made, outcome } = await world.wish(tab, { kind: 'creation', title }, 'sessions', 'create', { title })
  if (made === undefined) throw new Error(`No session could be made: ${outcome}`)
  return made
}

const victimOf = ({ random, tabs }: World, session: string, asker: Tab | undefined): Tab | undefined => {
  if (asker?.alive && random.chance(0.75)) return asker
  const driver = tabs.find((tab) => tab.drives(session))
  return driver !== undefined && random.chance(0.85) ? driver : (tabs[random.below(tabs.length)] ?? driver)
}

/** One kill, and how long it took until another tab went on, when the driver was killed and another tab was there. */
const killOnce = async (
  world: World,
  figures: Figures,
  session: string,
  kill: Kill,
  asker: Tab | undefined,
  where: string,
): Promise<void> => {
  const victim = victimOf(world, session, asker)
  const driver = world.tabs.find((tab) => tab.drives(session))
  const isReady = victim === undefined || victim !== asker || where !== 'start'
  world.step++
  const at = Date.now()
  const done = await killNow(world, kill, victim, isReady).catch((error: unknown) => {
    if (error instanceof DatabaseGone) figures.kill('browser', where)
    throw error
  })
  figures.kill(done, where)
  const isFollowed =
    driver !== undefined && !driver.drives(session) && done !== 'browser' && world.tabs.some((tab) => tab !== driver && tab !== asker)
  if (!isFollowed) return
  const began = await world.driverAfter(session, at, TAKEOVER_MS)
  if (began !== 'before') figures.takeover(began === 'late' ? TAKEOVER_MS : began - at)
}

const performStep = async (world: World, figures: Figures, memory: Memory, session: string, tabs: number, step: Step): Promise<void> => {
  const scene: Scene = { world, session, tabs: [...world.tabs], files: memory.files, copies: memory.copies }
  const { asker, pauseMs } = await MOMENTS[step.moment](scene)
  await after(pauseMs)
  await killOnce(world, figures, session, step.kill, asker, step.moment)
  for (const kill of step.more) if (world.tabs.length > 1) await killOnce(world, figures, session, kill, undefined, `after ${step.moment}`)
  const tab = world.tabs[0] ?? (await world.openTab())
  const filling = fill(world, session, tabs)
  filling.catch(() => {}) // told when it is waited for
  await tab.open(session, world.ledger.storedOf(session).length - 1)
  await repeatUnknown(world, tab, session)
  const events = await settleSession(world, tab, session)
  await filling
  if (events === undefined) return
  memory.copies = await checkCopies(world, tab, memory.files, memory.known)
}

export const playChapter = async (world: World, figures: Figures, memory: Memory, { tabs, steps }: Chapter): Promise<void> => {
  const first = world.tabs[0] ?? (await world.openTab())
  const session = await newSession(world, first)
  await fill(world, session, tabs)
  for (const [i, step] of steps.entries()) {
    const started = Date.now()
    const before = world.violations.length
    try {
      await performStep(world, figures, memory, session, tabs, step)
      const tab = world.tabs[0]
      if ((i === 0 || !memory.files.some((file) => file.session === session)) && tab !== undefined) {
        await exportAtRest({ world, session, tabs: [...world.tabs], files: memory.files, copies: memory.copies }, tab)
      }
    } catch (error) {
      if (error instanceof DatabaseGone) {
        memory.copies = []
        memory.files.length = 0
        memory.known.clear()
        return
      }
      world.fail('unfinished', session, `${step.moment}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      if (!(await world.killBrowser())) return // whatever state it was in, what follows begins anew
      await fill(world, session, tabs)
    }
    const problems = world.violations.length - before
    console.log(
      `${String(world.step).padStart(4)}  ${tabs} tabs  ${step.moment.padEnd(11)} ${[step.kill, ...step.more].join(' + ').padEnd(20)} ${((Date.now() - started) / 1000).toFixed(1)} s${problems > 0 ? `  ${problems} PROBLEMS` : ''}`,
    )
  }
}
