// A client whose worker is the test: views are folded from the events that the test writes, and every command is kept.
import type { ContentBlock } from '../../../src/storage/log/content.ts'
import { SideloopError } from '../../../src/storage/log/errors.ts'
import type { SessionEvent } from '../../../src/storage/log/events.ts'
import { fold } from '../../../src/storage/log/projection.ts'
import { pending } from '../../../src/storage/log/projections/pending.ts'
import { runState } from '../../../src/storage/log/projections/run-state.ts'
import { transcript } from '../../../src/storage/log/projections/transcript.ts'
import type { CompactionEnd } from '../../../src/storage/log/projections/transcript-items.ts'
import { usage } from '../../../src/storage/log/projections/usage.ts'
import type {
  AgentClient,
  AgentSession,
  FileView,
  Health,
  ListedModel,
  LiveState,
  LocalModelView,
  LocalSearch,
  ModelProbe,
  ProviderFailure,
  ProviderView,
  SessionListed,
  SessionView,
  StorageReport,
} from '../../../src/ui/state/agent-client.ts'
import type { SkippedSession } from '../../../src/worker/protocol/agent-host.ts'
import type { Entry } from '../../unit/projections/build-log.ts'
import { buildLog } from '../../unit/projections/build-log.ts'

export type Command = readonly [name: string, ...input: unknown[]]

const IDLE: LiveState = {
  status: 'idle',
  options: { provider: 'demo', model: 'demo' },
  waiting: [],
  held: false,
  driver: 'here',
  storage: { kind: 'ok' },
}

export type ScriptedSession = AgentSession & {
  /** Appends to the log and shows it; stored at once unless told otherwise. */
  write(entries: readonly Entry[], options?: { readonly stored?: boolean }): void
  setLive(change: Partial<LiveState>): void
  /** The session is gone from the worker. */
  go(closed: NonNullable<SessionView['closed']>): void
  setView(change: Partial<SessionView>): void
}

export const scriptedClient = (given: { readonly sessions?: readonly SessionListed[]; readonly now?: number } = {}) => {
  const commands: Command[] = []
  const refusals = new Map<string, Error>()
  const sessions = new Map<string, ScriptedSession>()
  const files: (FileView & { readonly text: string })[] = []
  const newsListeners = new Set<(about: string) => void>()
  const healthListeners = new Set<(health: Health) => void>()
  let health: Health = { kind: 'ready' }
  let rows = [...(given.sessions ?? [])]
  let providers: ProviderView[] = []
  let probe: ModelProbe = { ok: true, message: 'The model answered in 120 ms.', ms: 120 }
  let chosen = { provider: 'demo', model: 'demo' }
  let asked: readonly string[] = []
  let report: StorageReport = { usage: 12_000_000, quota: 2_000_000_000, persisted: false }
  let persists: boolean | undefined = false
  let compaction: CompactionEnd = { outcome: 'unchanged' }
  let skipped: readonly SkippedSession[] = []
  let discovered: readonly ListedModel[] = [{ id: 'small' }, { id: 'large' }]
  let offerFailure: ProviderFailure | undefined
  let local: LocalSearch = { servers: [], access: 'unknown' }
  let localModels: readonly LocalModelView[] = []
  let endDownload: ((error?: Error) => void) | undefined

  const obey = async <T>(name: string, input: readonly unknown[], answer: () => T | Promise<T>): Promise<T> => {
    commands.push([name, ...input])
    const refusal = refusals.get(name)
    if (refusal !== undefined) throw refusal
    return answer()
  }
  const nothing = () => {}
  const tell = (about: string): void => {
    for (const listener of newsListeners) listener(about)
  }

  const makeSession = (id: string): ScriptedSession => {
    let view: SessionView = {
      length: 0,
      stored: 0,
      live: IDLE,
      transcript: transcript.initial,
      run: runState.initial,
      usage: usage.initial,
      pending: pending.initial,
    }
    const listeners = new Set<(view: SessionView) => void>()
    const show = (next: SessionView) => {
      view = next
      for (const listener of listeners) listener(view)
    }
    const session: ScriptedSession = {
      id,
      get view() {
        return view
      },
      subscribe(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      send: (content, options) => obey('send', [textIn(content), options?.messageId], nothing),
      steer: (content, options) => obey('steer', [textIn(content), options?.messageId], nothing),
      cancel: (reason, options) => obey('cancel', [reason, options?.queue], nothing),
      continue: () => obey('continue', [], nothing),
      run: (content, task, options) => obey('run', [textIn(content), task, options?.messageId], nothing),
      compact: () => obey('compact', [], () => compaction),
      save: () => obey('save', [], nothing),
      answer: (callId, answers) => obey('answer', [callId, answers], nothing),
      decide: (callId, decision) => obey('decide', [callId, decision], nothing),
      queue: {
        edit: (messageId, content) => obey('queue.edit', [messageId, textIn(content)], nothing),
        remove: (messageId) => obey('queue.remove', [messageId], nothing),
        move: (messageId, before) => obey('queue.move', [messageId, before], nothing),
        retarget: (messageId, target) => obey('queue.retarget', [messageId, target], nothing),
        release: () => obey('queue.release', [], nothing),
      },
      close: () => commands.push(['close', id]),
      write(entries, { stored = true } = {}) {
        const events: readonly SessionEvent[] = buildLog(entries, view.length)
        const length = view.length + events.length
        show({
          length,
          stored: stored ? length : view.stored,
          live: view.live,
          transcript: fold(transcript, events, view.transcript),
          run: fold(runState, events, view.run),
          usage: fold(usage, events, view.usage),
          pending: fold(pending, events, view.pending),
        })
      },
      go: (closed) => show({ ...view, closed }),
      setLive: (change) => show({ ...view, live: { ...IDLE, ...view.live, ...change } }),
      setView: (change) => show({ ...view, ...change }),
    }
    sessions.set(id, session)
    return session
  }

  const client: AgentClient = {
    host: {
      sessions: { configure: (input) => obey('configure', [input], nothing) },
      models: {
        list: () =>
          obey('models.list', [], () => [
            { provider: 'demo', model: 'demo', label: 'Demo', detail: 'Built in' },
            ...localModels.flatMap(({ id, label, state }) =>
              state.kind === 'absent' || state.kind === 'downloading'
                ? []
                : [{ provider: 'local', model: id, label, detail: 'In this tab' }],
            ),
            ...providers.flatMap((provider) =>
              provider.models.map((model) => {
                const info = provider.facts?.find(({ id }) => id === model)?.info
                return { provider: provider.id, model, label: model, detail: provider.label, ...(info === undefined ? {} : { info }) }
              }),
            ),
          ]),
        providers: () => obey('models.providers', [], () => providers),
        save: ({ provider: { key, ...provider } }) =>
          obey('models.save', [{ ...provider, key }], () => {
            providers = [...providers.filter(({ id }) => id !== provider.id), { ...provider, hasKey: key !== undefined && key !== '' }]
          }),
        remove: ({ providerId }) =>
          obey('models.remove', [providerId], () => {
            providers = providers.filter(({ id }) => id !== providerId)
          }),
        test: ({ provider }) => obey('models.test', [provider], () => probe),
        discover: ({ provider }) => obey('models.discover', [provider], () => offerFailure ?? { ok: true, models: discovered }),
        findLocal: () => obey('models.findLocal', [], () => local),
        stop: (input) => obey('models.stop', [input], nothing),
        choose: ({ options }) =>
          obey('models.choose', [options], () => {
            chosen = { ...chosen, ...options }
          }),
        chosen: () =>
          obey('models.chosen', [], () => {
            const isThere = ['demo', 'local'].includes(chosen.provider) || providers.some(({ id }) => id === chosen.provider)
            return isThere ? chosen : { provider: 'demo', model: 'demo' }
          }),
      },
      local: {
        list: () => obey('local.list', [], () => localModels),
        add: ({ source }) => obey('local.add', [source], () => ({ id: 'added' })),
        download: ({ id }) =>
          obey(
            'local.download',
            [id],
            () =>
              new Promise<void>((resolve, reject) => {
                endDownload = (error) => (error === undefined ? resolve() : reject(error))
              }),
          ),
        stop: ({ id }) => obey('local.stop', [id], nothing),
        remove: ({ id }) => obey('local.remove', [id], nothing),
      },
      people: {
        asked: () => obey('people.asked', [], () => asked),
        ask: ({ tools }) =>
          obey('people.ask', [tools], () => {
            asked = tools
          }),
      },
      files: {
        list: (input) => obey('files.list', [input], () => [...files]),
        read: ({ path }) =>
          obey('files.read', [path], () => {
            const file = files.find((candidate) => candidate.path === path)
            if (file === undefined) throw new Error(`There is no file ${path}.`)
            return file
          }),
      },
    },
    sessions: {
      create: (input) =>
        obey('create', [input], () => {
          const session = makeSession(`session-${sessions.size + 1}`)
          const now = given.now ?? Date.now()
          rows = [
            { id: session.id, title: input?.title ?? '', createdAt: now, updatedAt: now, turns: 0, status: 'idle', cost: null },
            ...rows,
          ]
          tell('sessions')
          return session
        }),
      open: (id) => obey('open', [id], () => sessions.get(id) ?? makeSession(id)),
      list: (input) => obey('list', [input], () => rows),
      rename: (id, title) =>
        obey('rename', [id, title], () => {
          rows = rows.map((row) => (row.id === id ? { ...row, title } : row))
        }),
      remove: (id) =>
        obey('remove', [id], () => {
          rows = rows.filter((row) => row.id !== id)
        }),
      fork: (id, beforeSeq) =>
        obey('fork', [id, beforeSeq], () => {
          const forked = `${id}-fork`
          const title = `${rows.find((row) => row.id === id)?.title} (fork)`
          const row = { id: forked, title, createdAt: 0, updatedAt: 0, turns: 1, status: 'idle', cost: null } as const
          rows = [{ ...row, forkOf: { sessionId: id, length: beforeSeq } }, ...rows]
          return forked
        }),
      export: (id) => obey('export', [id], () => ({ name: `${id}.jsonl`, file: new Blob([id]) })),
      exportAll: () => obey('exportAll', [], () => ({ name: 'all.sideloop.zip', file: new Blob(['all']), skipped })),
      import: (file) =>
        obey('import', [file], async () => {
          const words = await file.text()
          if (words.startsWith('no:')) throw new SideloopError('import/refused', words)
          const title = `From ${words}`
          rows = [{ id: words, title, createdAt: 0, updatedAt: 0, turns: 1, status: 'idle', cost: null }, ...rows]
          return { sessions: [{ sessionId: words, title }] }
        }),
    },
    news: {
      subscribe(listener) {
        newsListeners.add(listener)
        return () => newsListeners.delete(listener)
      },
    },
    tabs: { takeOver: (id) => obey('takeOver', [id], nothing) },
    storage: {
      estimate: () => obey('estimate', [], () => report),
      persist: () => obey('persist', [], () => persists),
    },
    health: {
      get state() {
        return health
      },
      subscribe(listener) {
        healthListeners.add(listener)
        return () => healthListeners.delete(listener)
      },
    },
    close: () => commands.push(['close']),
  }

  return {
    client,
    /** Every command so far, in order. */
    commands,
    of: (name: string) => commands.filter((command) => command[0] === name).map(([, ...input]) => input),
    session(id: string): ScriptedSession {
      return sessions.get(id) ?? makeSession(id)
    },
    refuse: (name: string, error: Error | undefined) => (error === undefined ? refusals.delete(name) : refusals.set(name, error)),
    setHealth(next: Health) {
      health = next
      for (const listener of healthListeners) listener(next)
    },
    setProbe(next: ModelProbe) {
      probe = next
    },
    /** Names alone, or with what the server says of them; or why there is no list. */
    setDiscovered(next: readonly (string | ListedModel)[] | ProviderFailure) {
      offerFailure = 'ok' in next ? next : undefined
      if (!('ok' in next)) discovered = next.map((model) => (typeof model === 'string' ? { id: model } : model))
    },
    setLocal(next: LocalSearch) {
      local = next
    },
    /** What is news, as it is when something about them changed. */
    setLocalModels(next: readonly LocalModelView[]) {
      localModels = next
      tell('local-models')
    },
    endDownload: (error?: Error) => endDownload?.(error),
    /** Nobody is told of it, as when a tab dies. */
    setRows(next: readonly SessionListed[]) {
      rows = [...next]
    },
    /** What another tab has changed. */
    tell,
    addProvider(provider: ProviderView) {
      providers = [...providers, provider]
    },
    /** As another tab does. */
    removeProvider(gone: string) {
      providers = providers.filter(({ id }) => id !== gone)
    },
    setStorage(next: StorageReport, answer?: boolean) {
      report = next
      persists = answer
    },
    setCompaction(next: CompactionEnd) {
      compaction = next
    },
    setSkipped(next: readonly SkippedSession[]) {
      skipped = next
    },
    addFile(path: string, text: string, version = 1) {
      files.push({ path, text, size: text.length, version, modifiedAt: 0 })
    },
  }
}

const textIn = (content: string | readonly ContentBlock[]): string =>
  typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join('')
