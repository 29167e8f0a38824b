// AgentHost over a runtime: what a page may ask, done. Knows nothing of workers or Comlink, so tests use it as it is.
import type { AgentOptions } from '../../storage/log/agent-options.ts'
import type { ContentBlock, MessageId, SessionId } from '../../storage/log/content.ts'
import { SideloopError } from '../../storage/log/errors.ts'
import { jsonEqual } from '../../storage/log/lossless-json.ts'
import type { SessionRow } from '../../storage/session-store.ts'
import type { Stores } from '../../storage/stores.ts'
import type { Agent } from '../hooks/agent.ts'
import type { Runtime } from '../loop/scope.ts'
import type { Persistence } from '../plugins/persistence/persistence.ts'
import type { AgentHost, OptionChanges } from '../protocol/agent-host.ts'
import { checkCommands } from '../protocol/commands.ts'
import { PROTOCOL_VERSION, VERSION } from '../protocol/version.ts'
import type { SessionListed } from '../protocol/views.ts'
import type { Copies } from './copies/copies.ts'
import { createFiles } from './files.ts'
import { lazily } from './lazily.ts'
import type { News } from './news.ts'
import { createOpenSessions } from './open-sessions.ts'
import type { People } from './people.ts'
import { isHelper, removeWithHelpers } from './remove-session.ts'
import type { Runs } from './runs.ts'
import type { Channels } from './tabs/channels.ts'
import type { Leases } from './tabs/lease.ts'
import type { Room } from './tabs/room.ts'
import { performOn, routed } from './tabs/route.ts'
import { createStoredLog } from './watching/stored-log.ts'
import type { Watches } from './watching/watches.ts'

export type HostParts = {
  readonly runtime: Runtime
  readonly persistence: Persistence
  readonly stores: Stores
  readonly leases: Leases
  readonly watches: Watches
  readonly models: AgentHost['models']
  readonly local: AgentHost['local']
  readonly bridges: AgentHost['bridges']
  readonly people: () => Promise<People>
  readonly runs: () => Promise<Runs>
  readonly copies: Copies
  readonly newId: () => string
  readonly news: Pick<News, 'listen'>
  /** The list of sessions is not as before. */
  readonly onListed: () => void
  /** The name of this tab among those of its origin, and the line to them: without one it is alone. */
  readonly tab: string
  readonly channels: Channels | undefined
  /** How long another tab has to let a session go when this one takes it over, in milliseconds. */
  readonly yieldMs: number
  /** What has to be there before a session is opened. */
  readonly prepare: () => Promise<unknown>
}

type Prompt = { readonly sessionId: SessionId; readonly messageId: MessageId; readonly content: readonly ContentBlock[] }

/** The agent leaves out what is undefined. */
const changed = (options: OptionChanges): AgentOptions =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value ?? undefined]))

/** A row that says running while nobody drives the session is what a kill left. */
const summaryOf = (
  { id, title, createdAt, updatedAt, turns, status, cost, header }: SessionRow,
  held: ReadonlySet<SessionId> | undefined,
): SessionListed => {
  const abandoned = status === 'running' && held !== undefined && !held.has(id)
  const { parentSession, seedLength } = header ?? {} // a row of a newer version is listed without knowing its header
  return {
    id,
    title,
    createdAt,
    updatedAt,
    turns,
    status: abandoned ? 'interrupted' : status,
    cost,
    ...(parentSession !== undefined && seedLength !== undefined && { forkOf: { sessionId: parentSession, length: seedLength } }),
  }
}

export const createHost = ({
  runtime,
  persistence,
  stores,
  leases,
  watches,
  models,
  local,
  bridges,
  people,
  runs,
  copies,
  newId,
  news,
  onListed,
  tab,
  channels,
  yieldMs,
  prepare,
}: HostParts): AgentHost => {
  const life = leases.live(tab)
  let tenures = 0
  const tabs = lazily(async () => {
    const { joinTabs } = await import('./tabs/tabs.ts')
    return joinTabs({ tab, channels, leases, persistence, sessions, yieldMs, perform: performOn(checkCommands(host)) })
  })
  const pageWatches = lazily(() => import('./watching/page-watch.ts'))
  /** A failure to load leaves the tab alone, held off by the lock; the next word to the others tries again. */
  const tell = (say: (room: Room) => void): void => {
    tabs().then(
      ({ room }) => say(room),
      () => {},
    )
  }
  const sessions = createOpenSessions({
    runtime,
    persistence,
    store: stores.sessions,
    leases,
    watches,
    room: { ask: (id) => tell((room) => room.ask(id)), announce: (id, tenure) => tell((room) => room.announce(id, tenure)) },
    newTenure: () => `${tab}/${++tenures}`,
    perform: (...call) => performOn(host)(...call),
    prepare,
  })
  const open = async ({ sessionId }: { readonly sessionId: SessionId }): Promise<Agent> => sessions.agent(sessionId)
  /** What is acknowledged is on disk. Between finding the agent and acting there is no moment in which the session could go elsewhere. */
  const acknowledged = async (sessionId: SessionId, act: (agent: Agent) => void): Promise<void> => {
    act(sessions.agent(sessionId))
    await persistence.flush(sessionId)
  }

  /**
   * A message that is refused is not run later: while nothing can be stored nothing is taken, and one that could not be stored is taken
   * back. One that its turn has already begun with stays, which the error's details say.
   */
  const sent = async (sessionId: SessionId, messageId: MessageId, act: (agent: Agent) => void): Promise<void> => {
    if (persistence.state(sessionId).failure !== undefined) await persistence.flush(sessionId)
    const agent = sessions.agent(sessionId)
    act(agent)
    try {
      await persistence.flush(sessionId)
    } catch (error) {
      const isWaiting = agent.inbox.waiting.some(({ id }) => id === messageId)
      if (isWaiting) agent.inbox.remove(messageId)
      if (isWaiting || !(error instanceof SideloopError)) throw error
      throw new SideloopError(error.code, error.message, { details: { kept: true }, cause: error })
    }
  }

  const host: AgentHost = {
    sessions: {
      async create({ title, options }) {
        await prepare()
        const sessionId = newId()
        const agent = await sessions.create(sessionId, options ?? (await models.chosen({})))
        if (title !== undefined) agent.session.append('session/title', { title, by: 'user' })
        await persistence.flush(sessionId)
        return { sessionId }
      },
      async list({ limit, ...input }) {
        const [rows, held] = await Promise.all([stores.sessions.list(input), leases.held()])
        const shown = rows.filter((row) => !isHelper(row)).slice(0, limit)
        return shown.map((row) => summaryOf(row, held))
      },
      rename: ({ sessionId, title }) =>
        acknowledged(sessionId, ({ session }) => {
          const titled = session.events.findLast(({ type }) => type === 'session/title')?.data
          if (!jsonEqual(titled, { title, by: 'user' })) session.append('session/title', { title, by: 'user' })
        }),
      /** Every tab that has it open finds that it is gone when the lease comes to it. */
      async remove({ sessionId }) {
        await (await tabs()).handOver.exclusively(sessionId, () => removeWithHelpers(stores, sessionId))
        onListed()
      },
      save: ({ sessionId }) => persistence.flush(sessionId),
      configure: ({ sessionId, options }) =>
        acknowledged(sessionId, (agent) => {
          agent.configure(changed(options))
          watches.touch(sessionId)
        }),
      ...copies,
    },
    drive: {
      send: ({ sessionId, messageId, content }: Prompt) => sent(sessionId, messageId, (agent) => agent.send(content, { id: messageId })),
      steer: ({ sessionId, messageId, content }: Prompt) => sent(sessionId, messageId, (agent) => agent.steer(content, { id: messageId })),
      async cancel({ sessionId, reason, queue }) {
        const agent = await open({ sessionId })
        agent.cancel(reason, queue && { queue })
        ;(await runs()).stop(sessionId)
      },
      async continue(input) {
        const agent = await open(input)
        agent.continue()
      },
      async run({ sessionId, messageId, content, task }) {
        const { start } = await runs()
        await sent(sessionId, messageId, (agent) => start(agent, { id: messageId, content, options: task }))
      },
      async compact(input) {
        const [{ compact }, agent] = await Promise.all([runs(), open(input)])
        return compact(agent)
      },
    },
    queue: {
      edit: ({ sessionId, messageId, content }) => acknowledged(sessionId, ({ inbox }) => inbox.edit(messageId, content)),
      remove: ({ sessionId, messageId }) => acknowledged(sessionId, ({ inbox }) => inbox.remove(messageId)),
      move: ({ sessionId, messageId, before }) => acknowledged(sessionId, ({ inbox }) => inbox.move(messageId, before)),
      retarget: ({ sessionId, messageId, target }) => acknowledged(sessionId, ({ inbox }) => inbox.retarget(messageId, target)),
      release: ({ sessionId }) => acknowledged(sessionId, ({ inbox }) => inbox.release()),
    },
    people: {
      async answer({ sessionId, callId, answers }) {
        const { settles } = await people()
        await acknowledged(sessionId, ({ session }) => {
          if (settles(session, 'question', { callId, answers })) session.append('question/answered', { callId, answers })
        })
      },
      async decide({ sessionId, callId, decision }) {
        const { settles } = await people()
        await acknowledged(sessionId, ({ session }) => {
          if (settles(session, 'approval', { callId, decision })) session.append('approval/decided', { callId, decision })
        })
      },
      asked: async () => (await people()).asked(),
      ask: async ({ tools }) => (await people()).ask(tools),
    },
    log: {
      ...createStoredLog(stores.sessions),
      async watch(view) {
        const { watchForPage } = await pageWatches()
        await watchForPage(sessions, view, async () => {
          const [{ handOver }, { storedDriver }] = await Promise.all([tabs(), import('./watching/stored-view.ts')])
          return (await handOver.place(view.sessionId)) === 'elsewhere' ? storedDriver(stores.sessions, view.sessionId) : undefined
        })
      },
    },
    tabs: {
      driver: async ({ sessionId }) => ({ kind: await (await tabs()).handOver.place(sessionId) }),
      takeOver: async ({ sessionId }) => (await tabs()).handOver.takeOver(sessionId),
    },
    models,
    local,
    bridges,
    news: { listen: async ({ port }) => news.listen(port) },
    files: createFiles(stores.files),
    health: {
      async ping() {
        const lifeline = await life
        return { protocol: PROTOCOL_VERSION, version: VERSION, ...(lifeline !== undefined && { lifeline }) }
      },
    },
  }
  return routed(host, sessions)
}
