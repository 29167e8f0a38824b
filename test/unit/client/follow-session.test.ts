// How a page opens a long session (S10): its newest part first, then all of it, whatever happens meanwhile.
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import type { Transcript } from '../../../src/storage/log/projections/transcript-items.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { SessionStore } from '../../../src/storage/session-store.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { type Client, connect } from '../../../src/worker/client/connect.ts'
import type { ClientSession } from '../../../src/worker/client/session.ts'
import { foldLog, type SessionView } from '../../../src/worker/client/session-view.ts'
import { mountHost } from '../../../src/worker/host/mount-host.ts'
import { checkCommands } from '../../../src/worker/protocol/commands.ts'
import { delta, eventOf, foreign, logOf, rowOf } from '../../contract/session-samples.ts'
import { gate } from '../../kit/gate.ts'
import { type InProcessWorker, inProcessWorker } from '../../kit/in-process-worker.ts'
import { memoryLeases } from '../../kit/memory-leases.ts'
import { type Reply, text } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'

const ALL = { after: -1 }
const SOURCE = { kind: 'user' } as const

/** Turns of one reply each, as they are stored. */
const turns = (count: number, deltas: number): readonly SessionEvent[] => {
  const events: SessionEvent[] = []
  for (let turn = 1; turn <= count; turn++) {
    const first = events.length
    const pieces = Array.from({ length: deltas }, (_, i) => delta(first + 3 + i, `${turn}.${i} `))
    const said = pieces.map((_, i) => `${turn}.${i} `).join('')
    const end = first + 3 + deltas
    events.push(
      eventOf(first, 'turn/start', { turn, trigger: { kind: 'message', source: SOURCE } }),
      eventOf(
        first + 1,
        'user/message',
        { id: `m${turn}`, content: [{ type: 'text', text: `Turn ${turn}` }], source: SOURCE },
        { surfaceOp: 'append' },
      ),
      eventOf(first + 2, 'step/start', { turn, step: 1 }),
      ...pieces,
      eventOf(
        end,
        'assistant/message',
        {
          turn,
          step: 1,
          content: [{ type: 'text', text: said }],
          provenance: { provider: 'test', model: 'scripted' },
          usage: { inputTokens: 1, outputTokens: deltas },
        },
        { surfaceOp: 'append' },
      ),
      eventOf(end + 1, 'step/end', { turn, step: 1 }),
      eventOf(end + 2, 'turn/end', { turn, reason: { kind: 'completed' } }),
    )
  }
  return events
}

type World = { readonly client: Client; readonly stores: Stores; readonly workers: readonly InProcessWorker[] }
type Changed = Partial<SessionStore>
/** `change` may hold a call of the store back; `silenceMs` is how soon a silent worker is taken for dead. */
type Options = { readonly change?: (sessions: SessionStore) => Changed; readonly silenceMs?: number }

/** Its worker will die, and that is noticed soon. */
const DIES: Options = { silenceMs: 2_000 }

const clients: Client[] = []
// What loads with the first session of a worker takes its time on a busy machine.
beforeAll(async () => {
  await (await world([])).client.sessions.open('s')
}, 60_000)
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

/** With this log stored as the session `s`. */
const world = async (
  log: readonly SessionEvent[],
  replies: readonly Reply[] = [],
  { change, silenceMs = 30_000 }: Options = {},
): Promise<World> => {
  const memory = openMemoryStorage()
  await memory.sessions.create(rowOf('s', { options: { provider: 'test', model: 'scripted' } }))
  const { epoch } = await memory.sessions.claim('s')
  await memory.sessions.commit({ sessionId: 's', epoch, events: log }, 'strict')
  const stores = { ...memory, sessions: { ...memory.sessions, ...change?.(memory.sessions) } }
  const adapter = scriptedModel(replies)
  const leases = memoryLeases()
  const workers: InProcessWorker[] = []
  const start = (): Worker => {
    const { host } = mountHost({ stores, leases, models: [{ provider: 'test', label: 'Scripted', models: ['scripted'], adapter }] })
    const worker = inProcessWorker(checkCommands(host), () => leases.freeAll())
    workers.push(worker)
    return worker
  }
  const client = await connect(start, { silenceMs })
  clients.push(client)
  return { client, stores: memory, workers }
}

const viewWhere = (session: ClientSession, fits: (view: SessionView) => boolean): Promise<SessionView> =>
  new Promise((resolve) => {
    const look = (view: SessionView): void => {
      if (fits(view)) resolve(view)
    }
    session.subscribe(look)
    look(session.view)
  })
const isAtRest = ({ live, run, stored, length }: SessionView): boolean =>
  live?.status === 'idle' && run.kind === 'idle' && stored === length
const isWhole = ({ earlier, live }: SessionView): boolean => earlier === undefined && live !== undefined
const itemsOf = ({ pages, open }: Transcript) => [...pages.flat(), ...open]
const shownIn = ({ transcript, run, usage, pending }: Pick<SessionView, 'transcript' | 'run' | 'usage' | 'pending'>) => ({
  items: itemsOf(transcript),
  run,
  usage,
  pending,
})

/** Holds the first read from the beginning back until the gate opens. */
const heldBack =
  (held: ReturnType<typeof gate>) =>
  (sessions: SessionStore): Changed => ({
    async read(id, options) {
      if (options.after === -1 && options.limit !== undefined) {
        held.arrive()
        await held.opened
      }
      return sessions.read(id, options)
    },
  })

test('S10 a long session opens at its newest turns; the rest comes before them, and what was shown stays as it is', async () => {
  const log = turns(60, 100)
  const { client } = await world(log)
  const session = await client.sessions.open('s')
  const first = session.view
  expect(first.earlier).toBe('loading')
  expect(first.length).toBe(log.length)
  expect(first.stored).toBe(log.length)
  const shown = itemsOf(first.transcript)
  expect(shown[0]).toMatchObject({ kind: 'user' })
  expect(shown.length).toBeLessThan(50)
  const view = await viewWhere(session, isWhole)
  expect(shownIn(view)).toEqual(shownIn(foldLog(log)))
  expect(
    itemsOf(view.transcript)
      .slice(-shown.length)
      .every((item, i) => item === shown[i]),
  ).toBe(true)
})

test('S10 a session that is hardly longer than its newest part is shown whole at once', async () => {
  const log = turns(15, 100)
  const { client } = await world(log)
  const session = await client.sessions.open('s')
  expect(session.view.earlier).toBeUndefined()
  const view = await viewWhere(session, ({ length }) => length === log.length)
  expect(shownIn(view)).toEqual(shownIn(foldLog(log)))
})

test('S10 what happens while the rest is still being read is shown at once, and is not lost or repeated when it comes', async () => {
  const held = gate()
  const { client, stores } = await world(turns(60, 100), [text('a new reply', { chunks: ['a new', ' reply'] })], { change: heldBack(held) })
  const session = await client.sessions.open('s')
  await held.reached
  await session.send('something new', { messageId: 'new' })
  const during = await viewWhere(session, (view) => isAtRest(view) && JSON.stringify(view.transcript).includes('a new reply'))
  expect(during.earlier).toBe('loading')
  held.open()
  const view = await viewWhere(session, (next) => isWhole(next) && isAtRest(next))
  const log = await stores.sessions.read('s', ALL)
  expect(shownIn(view)).toEqual(shownIn(foldLog(log)))
  expect(view.length).toBe(log.length)
})

test('S10 H5 a worker that dies while the rest is being read: the next one is asked, and nothing is missing', async () => {
  const held = gate()
  const { client, stores, workers } = await world(turns(60, 100), [text('a new reply')], { change: heldBack(held), ...DIES })
  const session = await client.sessions.open('s')
  await held.reached
  await viewWhere(session, ({ live }) => live !== undefined)
  workers[0]?.silence()
  held.open()
  await expect(session.save()).rejects.toMatchObject({ code: 'worker/dead' })
  await viewWhere(session, isWhole)
  await session.send('something new')
  const view = await viewWhere(session, (next) => isAtRest(next) && JSON.stringify(next.transcript).includes('a new reply'))
  expect(shownIn(view)).toEqual(shownIn(foldLog(await stores.sessions.read('s', ALL))))
})

test('S10 H5 what was shown but not stored when the worker died is forgotten, also of what the view is folded from', async () => {
  const held = gate()
  const asked = gate()
  let stuck = false
  const change = (sessions: SessionStore): Changed => ({
    ...heldBack(held)(sessions),
    commit: (...given) => (stuck ? new Promise(() => {}) : sessions.commit(...given)),
  })
  const replies = [text('never stored', { chunks: [asked, 'never stored'] })]
  const { client, stores, workers } = await world(turns(60, 100), replies, { change, ...DIES })
  const session = await client.sessions.open('s')
  await held.reached
  await session.send('something new')
  await asked.reached
  stuck = true
  asked.open()
  await viewWhere(session, ({ transcript, usage }) => JSON.stringify(transcript).includes('never stored') && usage.calls > 0)
  workers[0]?.silence()
  await expect(session.save()).rejects.toMatchObject({ code: 'worker/dead' })
  stuck = false
  held.open()
  const view = await viewWhere(session, (next) => isWhole(next) && next.run.kind === 'paused' && next.stored === next.length)
  const log = await stores.sessions.read('s', ALL)
  expect(view.length).toBe(log.length)
  expect(shownIn(view)).toEqual(shownIn(foldLog(log)))
})

test('S10 H5 another worker is asked only for what was not stored when it took over: nothing is folded anew', async () => {
  const { client, workers } = await world(turns(60, 100), [], DIES)
  const session = await client.sessions.open('s')
  const before = await viewWhere(session, isWhole)
  workers[0]?.silence()
  const lengths: number[] = []
  session.subscribe(({ length }) => lengths.push(length))
  await expect(session.save()).rejects.toMatchObject({ code: 'worker/dead' })
  const view = await viewWhere(session, (next) => next !== before)
  expect(lengths.every((length) => length === before.length)).toBe(true)
  expect(view.transcript).toBe(before.transcript)
})

test('S8 a long session that cannot be read from the beginning is refused with why; what was shown of it stays', async () => {
  const log = turns(60, 100)
  const damaged = log.map((event) => (event.seq === 5 ? foreign<SessionEvent>({ ...event, type: 'future/thing' }) : event))
  const { client } = await world(damaged)
  const session = await client.sessions.open('s')
  const view = await viewWhere(session, ({ closed }) => closed !== undefined)
  expect(view.closed).toMatchObject({ code: 'session/invalid', message: expect.stringContaining('future/thing') })
  expect(itemsOf(view.transcript).length).toBeGreaterThan(0)
})

test('S10 a long session of one step alone is shown whole at once', async () => {
  const log = logOf(6_000)
  const { client, stores } = await world(log)
  const session = await client.sessions.open('s')
  expect(session.view.earlier).toBeUndefined()
  expect(shownIn(session.view)).toEqual(shownIn(foldLog(log)))
  const view = await viewWhere(session, isWhole)
  expect(shownIn(view), 'as it was repaired').toEqual(shownIn(foldLog(await stores.sessions.read('s', ALL))))
})

test('S10 the newest part begins with a turn, in a very long turn with a step, and is read as far back as that takes', async () => {
  const begins = async (log: readonly SessionEvent[]): Promise<object | undefined> => {
    const newest = await (await world(log)).client.host.log.newest({ sessionId: 's', events: 100 })
    return newest.events.length === 0 ? undefined : log[newest.from]
  }
  const follow = (log: readonly SessionEvent[], more: readonly SessionEvent[]): readonly SessionEvent[] =>
    [...log, ...more].map((event, seq) => foreign<SessionEvent>({ ...event, seq }))
  const log = turns(10, 60)
  expect(await begins(log)).toMatchObject({ type: 'turn/start', data: { turn: 10 } })
  const begun = follow(log, [eventOf(0, 'turn/start', { turn: 11, trigger: { kind: 'continue', source: SOURCE } })])
  expect(await begins(begun), 'not the turn that has just begun').toMatchObject({ type: 'turn/start', data: { turn: 10 } })
  expect(await begins(turns(2, 700)), 'the newest turn is long').toMatchObject({ type: 'turn/start', data: { turn: 2 } })
  const second = [eventOf(0, 'step/end', { turn: 1, step: 1 }), eventOf(0, 'step/start', { turn: 1, step: 2 })]
  const steps = follow(follow(logOf(800), second), logOf(100).slice(3))
  expect(await begins(steps), 'there is no turn nearby').toMatchObject({ type: 'step/start', data: { step: 2 } })
  expect(await begins(logOf(1_000)), 'one step alone: all of it').toMatchObject({ type: 'turn/start', seq: 0 })
  expect(await begins(logOf(200)), 'that would be nearly all').toBeUndefined()
  const { client } = await world([])
  expect(await client.host.log.newest({ sessionId: 'none' })).toEqual({ from: 0, events: [] })
})
