// The session on the screen: opened, created with its first message, and its view as signals.
import type { ReadonlySignal } from '@preact/signals'
import { computed, signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { ErrorCode } from '../../storage/log/errors.ts'
import type { RunState } from '../../storage/log/projections/run-state.ts'
import type { Transcript } from '../../storage/log/projections/transcript-items.ts'
import type { AgentClient, AgentSession, LiveState, SessionView } from './agent-client.ts'
import { codeOf, sayFailure } from './say-failure.ts'

export type Opened =
  /** A conversation that does not exist before its first message. */
  | { readonly kind: 'none' }
  | { readonly kind: 'opening'; readonly id: SessionId }
  | { readonly kind: 'open'; readonly session: AgentSession }
  | { readonly kind: 'failed'; readonly id: SessionId; readonly code: ErrorCode | undefined; readonly message: string }

export type CurrentSession = {
  readonly opened: ReadonlySignal<Opened>
  readonly id: ReadonlySignal<SessionId | undefined>
  readonly view: ReadonlySignal<SessionView | undefined>
  readonly transcript: ReadonlySignal<Transcript | undefined>
  readonly run: ReadonlySignal<RunState>
  readonly live: ReadonlySignal<LiveState | undefined>
  /** The kind of the run as a person would say it: the worker's word wins over a log that was cut. */
  readonly phase: ReadonlySignal<RunState['kind']>
  open(id: SessionId): Promise<void>
  startNew(): void
  /** The open session, or a new one with this title. Rejects with why there is none. */
  ensure(title: string): Promise<AgentSession>
}

/** `onChange` is told each new id, undefined for a new conversation; `onCreate` an id that was made for what was `none`. */
type Needs = {
  readonly client: AgentClient
  readonly onChange: (id: SessionId | undefined) => void
  readonly onCreate: (id: SessionId) => void
}

const IDLE: RunState = { kind: 'idle' }

export const createCurrentSession = ({ client, onChange, onCreate }: Needs): CurrentSession => {
  const opened = signal<Opened>({ kind: 'none' })
  const view = signal<SessionView | undefined>(undefined)
  const run = computed(() => view.value?.run ?? IDLE)
  const live = computed(() => view.value?.live)
  let leave = (): void => {}
  let creating: Promise<AgentSession> | undefined

  const show = (next: Opened): void => {
    leave()
    leave = () => {}
    creating = undefined
    view.value = undefined
    opened.value = next
  }
  const enter = (session: AgentSession): void => {
    const stop = session.subscribe((next) => {
      view.value = next
    })
    leave = () => {
      stop()
      session.close()
    }
    view.value = session.view
    opened.value = { kind: 'open', session }
  }
  const isAt = (state: Opened): boolean => opened.value === state

  const open = async (id: SessionId): Promise<void> => {
    const opening: Opened = { kind: 'opening', id }
    show(opening)
    onChange(id)
    try {
      const session = await client.sessions.open(id)
      if (isAt(opening)) enter(session)
      else session.close() // the person went on to another one meanwhile
    } catch (error) {
      if (isAt(opening)) opened.value = { kind: 'failed', id, code: codeOf(error), message: sayFailure(error) }
    }
  }
  const create = async (title: string, from: Opened): Promise<AgentSession> => {
    const session = await client.sessions.create({ title })
    if (isAt(from)) {
      onCreate(session.id)
      enter(session)
      onChange(session.id)
    }
    return session
  }

  return {
    opened,
    view,
    run,
    live,
    id: computed(() => idOf(opened.value)),
    transcript: computed(() => view.value?.transcript),
    phase: computed(() => (view.value?.closed === undefined ? phaseOf(run.value, live.value) : 'idle')),
    open,
    startNew() {
      show({ kind: 'none' })
      onChange(undefined)
    },
    async ensure(title) {
      const now = opened.value
      if (now.kind === 'open') return now.session
      if (now.kind !== 'none') throw new Error('The session is not open yet. Wait a moment, then send again.')
      creating ??= create(title, now).finally(() => {
        creating = undefined
      })
      return creating
    },
  }
}

const idOf = (opened: Opened): SessionId | undefined => {
  if (opened.kind === 'none') return undefined
  return opened.kind === 'open' ? opened.session.id : opened.id
}

const phaseOf = (run: RunState, live: LiveState | undefined): RunState['kind'] => {
  if (live?.status === 'running') return run.kind === 'waiting' ? 'waiting' : 'running'
  return live !== undefined && run.kind === 'running' ? 'idle' : run.kind
}
