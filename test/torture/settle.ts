// After a kill: somebody goes on with the session until it is at rest, and then all of it is compared with the ledger.
import type { SessionEvent } from '../../src/storage/log/events.ts'
import { filesIn, findingsIn } from './check-facts.ts'
import { logProblems } from './check-log.ts'
import { fileOf } from './model.ts'
import type { Tab } from './tab.ts'
import { fileText, settle } from './wishes.ts'
import type { World } from './world.ts'

/** Patience, not speed: the machine may be busy. */
const CALM_MS = 60_000
/** So many times a session may need a person before it is at rest. */
const TURNS_OF_A_PERSON = 60
/** A view may be behind what was acknowledged elsewhere a moment ago: so often it is looked again before anything is called lost. */
const LOOKS = 8
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const readLog = async (tab: Tab, session: string): Promise<readonly SessionEvent[] | string> => {
  const reply = await tab.call('log', 'read', { sessionId: session, after: -1 })
  if (reply.kind === 'done') return reply.value as readonly SessionEvent[]
  return reply.kind === 'died' ? 'the tab died' : `${reply.code}: ${reply.message}`
}

/** Answers, allows and goes on, as a person would. False when it came to no rest. */
const bringToRest = async (world: World, tab: Tab, session: string): Promise<boolean> => {
  for (let turn = 0; turn < TURNS_OF_A_PERSON; turn++) {
    await tab.call('sessions', 'save', { sessionId: session }) // answered by whoever drives it now
    const calm = await tab.calm(session, CALM_MS)
    switch (calm.kind) {
      case 'idle':
        return true
      case 'person':
        for (const pending of calm.pending) await settle(world, tab, session, pending)
        break
      case 'held':
        await tab.call('queue', 'release', { sessionId: session })
        break
      case 'paused':
        await tab.call('drive', 'continue', { sessionId: session })
        break
      case 'closed':
      case 'late':
        world.fail('unfinished', session, `${tab.name}: ${calm.kind}, ${calm.detail}`)
        return false
    }
  }
  world.fail('unfinished', session, 'it went on and on')
  return false
}

/** Of the files of a session that were written since the last look. */
const checkFiles = async (
  world: World,
  tab: Tab,
  session: string,
  events: readonly SessionEvent[],
  checked: Set<string>,
): Promise<void> => {
  for (const id of filesIn(events)) {
    const key = `${session}/${id}`
    if (checked.has(key)) continue
    checked.add(key)
    const text = await fileText(tab, session, id)
    if (text !== fileOf(id).content) world.fail('lost', session, `the file of ${id} was written and holds ${JSON.stringify(text)}`, events)
  }
}

const checkedFiles = new WeakMap<World, Set<string>>()

/** A tab that lives has the session, goes on with it until it is at rest, and everything acknowledged is in it. Gives its log. */
export const settleSession = async (world: World, tab: Tab, session: string): Promise<readonly SessionEvent[] | undefined> => {
  const opened = await tab.open(session, world.ledger.storedOf(session).length - 1)
  if (opened.kind !== 'done') {
    world.fail('unfinished', session, `it cannot be opened: ${JSON.stringify(opened)}`)
    return undefined
  }
  for (let look = 1; ; look++) {
    if (!(await bringToRest(world, tab, session))) return undefined
    const events = await readLog(tab, session)
    if (typeof events === 'string') {
      world.fail('invalid', session, events)
      return undefined
    }
    for (const problem of world.ledger.stored(session, events)) world.fail('changed', session, problem, events)
    if (events.length < world.ledger.storedOf(session).length) {
      world.fail('lost', session, `${world.ledger.storedOf(session).length} events were stored, ${events.length} are there`, events)
      return undefined
    }
    const { lost, doubled, changed } = findingsIn(world.ledger, session, events)
    const problems = logProblems(events)
    if (look < LOOKS && lost.length + problems.length > 0) {
      await after(look * 100)
      continue
    }
    for (const what of lost) world.fail('lost', session, what, events)
    for (const what of doubled) world.fail('doubled', session, what, events)
    for (const what of changed) world.fail('changed', session, what, events)
    for (const what of problems) world.fail('invalid', session, what, events)
    const checked = checkedFiles.get(world) ?? new Set()
    checkedFiles.set(world, checked)
    await checkFiles(world, tab, session, events, checked)
    return events
  }
}
