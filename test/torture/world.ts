// Everything that a kill test has in hand: a browser on its profile, the tabs that live, the model, the ledger, and what went wrong.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '../../src/storage/log/events.ts'
import { type RealBrowser, startBrowser } from './browser.ts'
import { createLedger, type Entry, type Ledger, type Wish } from './ledger.ts'
import type { Model } from './model.ts'
import type { Told } from './page/main.ts'
import type { Random } from './random.ts'
import { openTab, type Reply, type Tab } from './tab.ts'

export type ViolationKind = 'lost' | 'doubled' | 'changed' | 'invalid' | 'half' | 'unfinished'
export type Violation = { readonly kind: ViolationKind; readonly step: number; readonly session: string; readonly what: string }

export interface World {
  readonly random: Random
  readonly ledger: Ledger
  readonly model: Model
  /** Those that live, the oldest first. */
  readonly tabs: readonly Tab[]
  readonly violations: readonly Violation[]
  /** Refusals that were none of the expected ones, by their code. */
  readonly refusals: ReadonlyMap<string, number>
  readonly browser: RealBrowser
  /** Databases that the browser itself deleted after it was killed. */
  thrownAway: number
  /** Moments that did not come in time: the kill came at another. */
  missed: number
  /** Counted up with each kill. */
  step: number
  newId(what: string): string
  /** Resolves with a tab that is ready, or with one that was killed before it was. */
  openTab(): Promise<Tab>
  /** A tab from its first moment on: it loads while it is looked at. */
  beginTab(): Promise<{ readonly tab: Tab; readonly ready: Promise<boolean> }>
  /** Asks for something and keeps book of it. Never rejects. */
  wish(tab: Tab, wish: Wish, group: string, command: string, input: object): Promise<Entry>
  /** When one of the tabs that live began to drive the session: at or after this moment, or before it already. Late when nobody did. */
  driverAfter(session: string, at: number, withinMs: number): Promise<number | 'before' | 'late'>
  fail(kind: ViolationKind, session: string, what: string, events?: readonly SessionEvent[]): void
  /** Gives false when the browser, started again, has thrown the database away: everything begins anew then. */
  killBrowser(): Promise<boolean>
  close(): Promise<void>
}

export type WorldParts = {
  readonly random: Random
  readonly model: Model
  readonly address: string
  readonly profile: string
  /** Where violations are written, each with its seed and step. */
  readonly report: string
  readonly seed: number
  /** What the first tab of a new database does. */
  readonly prepare: (tab: Tab) => Promise<void>
}

/**
 * Chromium deletes a database that it finds corrupt, which happens to any page whose browser is killed while it appends to its file
 * (decision 0141). Its own log of the last opening says so.
 */
const wasMadeAnew = (profile: string): boolean => {
  const folder = join(profile, 'Default', 'IndexedDB')
  const databases = readdirSync(folder).filter((name) => name.endsWith('.indexeddb.leveldb'))
  return databases.some((name) => readFileSync(join(folder, name, 'LOG'), 'utf8').includes('since it was missing'))
}

/** What a person may be told although all is well: it was settled or taken meanwhile, or its worker died and nobody knows. */
const EXPECTED = ['command/invalid', 'session/busy']
const WITHOUT_ANSWER = ['worker/dead', 'worker/start']

export const createWorld = async ({ random, model, address, profile, report, seed, prepare }: WorldParts): Promise<World> => {
  const ledger = createLedger()
  const tabs: Tab[] = []
  const violations: Violation[] = []
  const refusals = new Map<string, number>()
  const drivers: { readonly session: string; readonly at: number; readonly tab: Tab }[] = []
  const looking = new Set<() => void>()
  let browser = await startBrowser(profile)
  let ids = 0
  let opened = 0

  const onTold = (tab: Tab, told: Told): void => {
    if (told.kind === 'stored') {
      for (const problem of ledger.stored(told.session, told.events))
        world.fail('changed', told.session, `${tab.name} was told: ${problem}`)
    } else if (told.driver === 'here') {
      drivers.push({ session: told.session, at: told.at, tab })
      for (const look of [...looking]) look()
    }
  }

  const settle = (entry: Entry, reply: Reply): void => {
    if (reply.kind === 'died' || (reply.kind === 'refused' && WITHOUT_ANSWER.includes(reply.code))) entry.outcome = 'unknown'
    else if (reply.kind === 'done') {
      entry.outcome = 'acknowledged'
      const { value } = reply
      if (typeof value === 'object' && value !== null && 'sessionId' in value) entry.made = String(value.sessionId)
    } else {
      entry.outcome = 'refused'
      if (EXPECTED.includes(reply.code)) return
      const what = `${entry.wish.kind} ${reply.code}: ${reply.message}`
      refusals.set(what, (refusals.get(what) ?? 0) + 1)
    }
  }

  const world: World = {
    random,
    ledger,
    model,
    tabs,
    violations,
    refusals,
    thrownAway: 0,
    missed: 0,
    step: 0,
    get browser() {
      return browser
    },
    newId: (what) => `${what}${++ids}`,
    async beginTab() {
      const begun = await openTab(await browser.page(), `tab ${++opened}`, address, {
        onTold,
        onDeath(tab) {
          const at = tabs.indexOf(tab)
          if (at >= 0) tabs.splice(at, 1)
        },
      })
      tabs.push(begun.tab)
      return begun
    },
    async openTab() {
      const { tab, ready } = await world.beginTab()
      await ready
      return tab
    },
    async wish(tab, wish, group, command, input) {
      const entry = ledger.note(wish)
      try {
        settle(entry, await tab.call(group, command, input))
      } catch (error) {
        entry.outcome = 'unknown'
        world.fail('unfinished', 'session' in wish ? wish.session : '', `${group}.${command}: ${String(error)}`)
      }
      return entry
    },
    driverAfter: (session, at, withinMs) =>
      new Promise((resolve) => {
        const end = (found: number | 'before' | 'late'): void => {
          looking.delete(look)
          clearTimeout(timer)
          resolve(found)
        }
        const look = (): void => {
          const found = drivers.findLast((each) => each.session === session && each.at >= at && each.tab.alive)
          if (found !== undefined) end(found.at)
          else if (tabs.some((tab) => tab.drives(session))) end('before')
        }
        const timer = setTimeout(() => end('late'), withinMs)
        looking.add(look)
        look()
      }),
    fail(kind, session, what, events = ledger.storedOf(session)) {
      if (violations.some((known) => known.kind === kind && known.session === session && known.what === what)) return
      violations.push({ kind, step: world.step, session, what })
      console.log(`  ${kind}, seed ${seed}, step ${world.step}, session ${session}: ${what.slice(0, 300)}`)
      const entries = ledger.entries.filter(({ wish }) => 'session' in wish && wish.session === session)
      appendFileSync(report, `${JSON.stringify({ seed, step: world.step, kind, session, what, entries, events })}\n`)
    },
    async killBrowser() {
      const all = [...tabs]
      await browser.kill()
      for (const tab of all) tab.markDead()
      browser = await startBrowser(profile)
      const tab = await world.openTab()
      await tab.call('sessions', 'list', {}) // opens the database
      if (!wasMadeAnew(profile)) return true
      world.thrownAway++
      console.log(`  seed ${seed}, step ${world.step}: the browser found its database corrupt and has thrown it away`)
      ledger.beginAnew()
      await prepare(tab)
      return false
    },
    async close() {
      await browser.kill()
      await model.close()
    },
  }
  return world
}
