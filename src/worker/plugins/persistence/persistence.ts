// Persistence as a plugin: every session of its runtime is written behind, with barriers before a request leaves, before a tool's body
// starts, and at the end of each turn. It also loads, repairs and restores what a kill left.
import type { SessionId } from '../../../storage/log/content.ts'
import type { SideloopError } from '../../../storage/log/errors.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'
import { fold } from '../../../storage/log/projection.ts'
import { type Account, accountOf, applyToAccount, type PricesOf } from '../../../storage/log/projections/account.ts'
import { type LogSummary, summary } from '../../../storage/log/projections/summary.ts'
import { readFurtherEvents } from '../../../storage/log/stored-events.ts'
import type { SessionRow, SessionStore } from '../../../storage/session-store.ts'
import type { Agent, Disposer, Session } from '../../hooks/agent.ts'
import type { Plugin, SessionLoader } from '../../loop/scope.ts'
import { createSessionWriter, type SessionWriter } from './session-writer.ts'

export type Persistence = {
  readonly plugin: Plugin
  /** Resolves when all that the session holds now, its inbox included, is on disk. Errors: the `storage/*` codes. */
  flush(id: SessionId): Promise<void>
  /** Events with a seq below `stored` are on disk. */
  state(id: SessionId): { readonly stored: number; readonly failure: SideloopError | undefined }
  /**
   * What the store tells by itself. With an error it takes nothing any more: nothing goes on unsaved, and each session tells why. Without
   * one, what was stored may be gone: each session looks whether it is.
   */
  onTrouble(error: SideloopError | undefined): void
  /** After each write and each failure. */
  onChange(listener: (id: SessionId) => void): Disposer
  /** Nothing more of the session is written from here: what is in memory only is another driver's to do again. */
  abandon(id: SessionId): void
  /** Resolves when the writing of a disposed session has ended. */
  settled(id: SessionId): Promise<void>
}

type Open = {
  readonly session: Session
  readonly writer: SessionWriter
  agent: Agent | undefined
  summary: LogSummary
  account: Account
}

/** The first piece waits for the barrier; the stream ends with the store's failure, so that nothing goes on unsaved. */
const guarded = (
  barrier: () => Promise<void>,
  failure: () => SideloopError | undefined,
  next: () => AsyncIterable<Chunk>,
): AsyncIterable<Chunk> => ({
  [Symbol.asyncIterator]() {
    let inner: AsyncIterator<Chunk> | undefined
    return {
      async next() {
        if (inner === undefined) {
          await barrier()
          inner = next()[Symbol.asyncIterator]()
        }
        const refused = failure()
        if (refused !== undefined) throw refused
        return inner.next()
      },
      async return() {
        await inner?.return?.()
        return { done: true, value: undefined }
      },
    }
  },
})

/** `onListed` is called when what a list shows of a session was stored: it is new, or has another title, status, cost or number of turns. */
export const persistence = (store: SessionStore, onListed: () => void = () => {}): Persistence => {
  const open = new Map<SessionId, Open>()
  const loaded = new Map<SessionId, { readonly row: SessionRow; readonly stored: number }>()
  const closing = new Map<SessionId, Promise<void>>()
  const listeners = new Set<(id: SessionId) => void>()
  let pricesOf: PricesOf = () => undefined
  const changed = (id: SessionId): void => {
    for (const listener of listeners) listener(id)
  }

  /** Makes the row once and claims it once; a step that failed is tried again by the next write. */
  const claimNew = ({ id, header }: Session): (() => Promise<number>) => {
    let made = false
    let epoch: number | undefined
    return async () => {
      await closing.get(id)
      const { createdAt } = header
      if (!made) await store.create({ id, header, title: '', createdAt, updatedAt: createdAt, turns: 0, status: 'idle', cost: null })
      made = true
      epoch ??= (await store.claim(id)).epoch
      return epoch
    }
  }

  const track = (session: Session): void => {
    const { id } = session
    const known = loaded.get(id)
    loaded.delete(id)
    const entry: Open = {
      session,
      agent: undefined,
      account: accountOf(session.events, pricesOf),
      summary: fold(summary, session.events, { ...summary.initial, updatedAt: session.header.createdAt }),
      writer: createSessionWriter(store, {
        sessionId: id,
        claim: known === undefined ? claimNew(session) : async () => known.row.epoch,
        stored: known?.stored ?? 0,
        events: () => session.events,
        waiting: () => entry.agent?.inbox.unlogged,
        row() {
          const { titleBy: _, ...patch } = entry.summary
          return {
            ...patch,
            cost: entry.account.cost,
            ...(entry.agent === undefined ? {} : { options: entry.agent.options, held: entry.agent.inbox.held }),
          }
        },
        report: () => changed(id),
        onListed,
      }),
    }
    open.set(id, entry)
    entry.writer.touch()
  }

  const untrack = ({ id }: Session): void => {
    const entry = open.get(id)
    if (entry === undefined) return
    open.delete(id)
    entry.writer.stop()
    const ended = entry.writer.flush().catch(() => {}) // the last barrier of its turn has told it already
    closing.set(id, ended)
    void ended.then(() => closing.delete(id))
  }

  const flush = async (id: SessionId): Promise<void> => open.get(id)?.writer.flush()

  const load: SessionLoader = async (id) => {
    await closing.get(id)
    const row = await store.claim(id)
    const [events, waiting, { repairEvents }] = await Promise.all([
      store.read(id, { after: -1 }),
      store.waiting(id),
      import('../../../storage/log/repair.ts'), // only what is reopened is ever repaired
    ])
    const closers = repairEvents(events)
    if (closers.length > 0) await store.commit({ sessionId: id, epoch: row.epoch, events: closers }, 'strict')
    loaded.set(id, { row, stored: events.length + closers.length })
    return {
      header: row.header,
      events: readFurtherEvents(events, closers),
      restore(agent) {
        for (const { id: messageId, content, source } of waiting) agent.send(content, { id: messageId, source })
        if (row.held) agent.inbox.hold()
      },
    }
  }

  const plugin: Plugin = (scope) => {
    pricesOf = (provider, model) => scope.llm.info(provider, model).prices
    scope.sessions.loader(load)
    scope.on('session/created', track)
    scope.on('session/disposed', untrack)
    scope.on('session/event', ({ id }, event) => {
      const entry = open.get(id)
      if (entry === undefined) return
      entry.summary = summary.apply(entry.summary, event)
      entry.account = applyToAccount(entry.account, event, pricesOf)
      entry.writer.touch()
    })
    scope.on('agent/created', (agent) => {
      const entry = open.get(agent.session.id)
      if (entry === undefined) return
      entry.agent = agent
      agent.inbox.onChange(() => entry.writer.touch())
    })
    scope.on('session/flush', ({ id }) => flush(id))
    scope.on('llm/stream', ({ sessionId }, next) =>
      sessionId === undefined
        ? next()
        : guarded(
            () => flush(sessionId),
            () => open.get(sessionId)?.writer.failure,
            next,
          ),
    )
    scope.on('tools/execute', async ({ agent }, next) => {
      if (agent !== undefined) await flush(agent.session.id)
      return next()
    })
    return async () => {
      for (const { session } of [...open.values()]) untrack(session)
      await Promise.all(closing.values())
    }
  }

  return {
    plugin,
    flush,
    state: (id) => ({ stored: open.get(id)?.writer.stored ?? 0, failure: open.get(id)?.writer.failure }),
    onTrouble(error) {
      for (const { writer } of open.values()) {
        if (error === undefined) writer.check()
        else writer.refuse(error)
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    abandon: (id) => open.get(id)?.writer.abandon(),
    settled: async (id) => closing.get(id),
  }
}
