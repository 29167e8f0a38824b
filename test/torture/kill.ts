// The kills themselves: nothing is told, nothing is closed, and the victim writes not another byte.
import type { Kill } from './plan.ts'
import type { Tab } from './tab.ts'
import type { World } from './world.ts'

const WAIT_MS = 1_500
const MAX_WORKERS_OF_A_TAB = 2

const after = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), ms))

/** There is nothing left to compare with. */
export class DatabaseGone extends Error {}

/** Which process has which page is the browser's secret: the first whose end takes a tab with it counts. */
const killRenderer = async (world: World): Promise<boolean> => {
  const pids = [...(await world.browser.renderers())]
  while (pids.length > 0) {
    const [pid] = pids.splice(world.random.below(pids.length), 1)
    if (pid === undefined) break
    const dying = Promise.race([...world.tabs.map((tab) => tab.died.then(() => true)), after(WAIT_MS)])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      continue // it has ended by itself
    }
    if (await dying) return true
  }
  return false
}

/** Gives how it was done: a worker that died too often, and a page that has none yet, crash instead. */
export const killNow = async (world: World, kill: Kill, victim: Tab | undefined, isReady: boolean): Promise<Kill> => {
  if (kill === 'browser' || victim === undefined) {
    if (!(await world.killBrowser())) throw new DatabaseGone('The browser has thrown the database away.')
    return 'browser'
  }
  if (kill === 'worker' && isReady && victim.workersEnded < MAX_WORKERS_OF_A_TAB) {
    await victim.endWorker(world.random.pick(['terminate', 'close']))
    return 'worker'
  }
  if (kill === 'renderer' && (await killRenderer(world))) return 'renderer'
  if (victim.alive) await victim.crash()
  return 'crash'
}
