// Sessions made of others: forks and imports are there when they were acknowledged, whole with their files, and never half.

import type { SessionEvent } from '../../src/storage/log/events.ts'
import { filesIn } from './check-facts.ts'
import { logProblems } from './check-log.ts'
import { fileOf } from './model.ts'
import { readLog } from './settle.ts'
import type { Tab } from './tab.ts'
import { fileText } from './wishes.ts'
import type { World } from './world.ts'

type Listed = {
  readonly id: string
  readonly title: string
  readonly turns: number
  readonly createdAt: number
  readonly forkOf?: { readonly sessionId: string; readonly length: number }
}

export type ExportedFile = { readonly session: string; readonly createdAt: number; readonly length: number; readonly file: string }

const list = async (tab: Tab): Promise<readonly Listed[] | undefined> => {
  const reply = await tab.call('sessions', 'list', {})
  return reply.kind === 'done' ? (reply.value as readonly Listed[]) : undefined
}

/** The snapshot that a fork takes its files from is the newest in its prefix: what was written behind it is not in the fork. */
const filesOfPrefix = (events: readonly SessionEvent[]): readonly string[] =>
  filesIn(events.slice(0, events.findLastIndex(({ type }) => type === 'files/snapshot') + 1))

const checkCopy = async (world: World, tab: Tab, copy: Listed, what: 'fork' | 'import', source: string, length: number): Promise<void> => {
  const events = await readLog(tab, copy.id)
  if (typeof events === 'string') return world.fail('half', copy.id, `this ${what} of ${source} cannot be read: ${events}`)
  const parent = world.ledger.storedOf(source).slice(0, length)
  const differs = parent.findIndex((event, i) => JSON.stringify(event) !== JSON.stringify(events[i]))
  if (differs >= 0) world.fail('half', copy.id, `this ${what} of ${source} is another from event ${differs} on`, events)
  for (const problem of logProblems(events)) world.fail('invalid', copy.id, `a ${what} of ${source}: ${problem}`, events)
  for (const id of what === 'fork' ? filesOfPrefix(parent) : filesIn(parent)) {
    const text = await fileText(tab, copy.id, id)
    if (text !== fileOf(id).content) world.fail('half', copy.id, `this ${what} of ${source} has no file of ${id}`, events)
  }
}

const deletedIds = (world: World, outcomes: readonly string[]): ReadonlySet<string> =>
  new Set(world.ledger.of('deletion').flatMap(({ wish, outcome }) => (outcomes.includes(outcome) ? [wish.session] : [])))

/** Every session that is listed now, and every one that must be. `known`: those that were looked at before. Gives the copies. */
export const checkCopies = async (
  world: World,
  tab: Tab,
  files: readonly ExportedFile[],
  known: Set<string>,
): Promise<readonly string[]> => {
  const listed = await list(tab)
  if (listed === undefined) return []
  const ids = new Set(listed.map(({ id }) => id))
  const gone = deletedIds(world, ['acknowledged'])
  const perhapsGone = deletedIds(world, ['acknowledged', 'unknown', 'open'])
  for (const entry of world.ledger.entries) {
    if (entry.outcome !== 'acknowledged' || entry.made === undefined || perhapsGone.has(entry.made)) continue
    if (!ids.has(entry.made)) world.fail('lost', entry.made, `its ${entry.wish.kind} was acknowledged and it is not listed`)
  }
  for (const id of gone) if (ids.has(id)) world.fail('lost', id, 'its deletion was acknowledged and it is there')
  const created = new Set(world.ledger.of('creation').map(({ wish }) => wish.title))
  const mains = new Set(world.ledger.of('creation').flatMap(({ made }) => (made === undefined ? [] : [made])))
  const copies: string[] = []
  const empty: string[] = []
  for (const session of listed) {
    const file = files.find(({ createdAt, session: original }) => createdAt === session.createdAt && session.id !== original)
    if (session.forkOf !== undefined || file !== undefined) copies.push(session.id)
    const isEmpty = session.title === '' && session.turns === 0 && session.forkOf === undefined && file === undefined
    if (isEmpty) empty.push(session.id)
    if (isEmpty && mains.has(session.id)) world.fail('lost', session.id, 'its creation was acknowledged and its title is not there')
    if (known.has(session.id)) continue
    known.add(session.id)
    if (session.forkOf !== undefined && file === undefined) {
      const { sessionId, length } = session.forkOf
      await checkCopy(world, tab, session, 'fork', sessionId, length)
    } else if (file !== undefined) await checkCopy(world, tab, session, 'import', file.session, file.length)
    else if (!isEmpty && !mains.has(session.id) && !created.has(session.title)) {
      world.fail('half', session.id, `nobody asked for this session: ${JSON.stringify(session)}`)
    }
  }
  // The row of a session is stored before its first events: a creation that is cut leaves an empty session, or one with its title.
  const cut = world.ledger.of('creation').filter(({ outcome }) => outcome !== 'acknowledged').length
  if (empty.length > cut) world.fail('half', empty.join(), `${empty.length} sessions are empty, and only ${cut} creations were cut`)
  return copies
}
