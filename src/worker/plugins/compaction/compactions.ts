// The compactions of a runtime: at most one a session, begun where it is asked for and finished wherever the session is by then.
import type { SessionId } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { SessionEventData, TurnEndReason } from '../../../storage/log/events.ts'
import { HANDED_OVER } from '../../../storage/log/handed-over.ts'
import { fold } from '../../../storage/log/projection.ts'
import type { Agent, Session } from '../../hooks/agent.ts'
import type { Scope } from '../../loop/scope.ts'
import type { CompactionEnd } from './bracket.ts'
import { currentModels } from './current-models.ts'
import { createJob, type Job } from './job.ts'
import { prepare } from './prepare.ts'
import { type Pressure, pressureOf } from './pressure.ts'
import { type SessionFacts, sessionFacts } from './session-facts.ts'

export type CompactionSettings = {
  /** The share of the model's window above which it is time. Default 0.8. */
  readonly threshold: number
  /** How much of the newest part stays word for word: that share of the whole (default 0.25), at most so many tokens (default 20,000). */
  readonly keepShare: number
  readonly keepTokens: number
  /** In tokens, for models whose window nobody knows. Without it only an overflow is a reason for them. */
  readonly contextWindow?: number
  /** While it says so, somebody else asks in time. Default: while a task run is open in the session's log. */
  readonly standsDown?: (agent: Agent) => boolean
  /** Resolves after that many milliseconds, and at once when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Trigger = SessionEventData['compaction/start']['trigger']

export type Compactions = {
  isOver(agent: Agent, tokens: number): boolean
  beforeStep(agent: Agent, signal: AbortSignal): Promise<void>
  /** In the open turn, now; in one of its own when there is none. Never rejects. */
  compactHere(agent: Agent, trigger: Trigger, signal?: AbortSignal): Promise<CompactionEnd>
  compactNow(agent: Agent, signal: AbortSignal | undefined): Promise<CompactionEnd>
  stopAll(): void
}

type Entry = {
  readonly session: Session
  facts: SessionFacts
  job: Job | undefined
  /** After one that changed nothing: not before there are more tokens than this, or every step would pay for another. */
  notBefore: number
  /** How its own turn ends, when it is not simply complete. */
  ending: TurnEndReason | undefined
}

const SOURCE = { kind: 'plugin', plugin: 'compaction' } as const
/** The share of the window that has to be added before another attempt is worth it. */
const WORTH_ANOTHER = 0.05

export const createCompactions = (scope: Scope, settings: CompactionSettings): Compactions => {
  const { threshold, wait } = settings
  const entries = new Map<SessionId, Entry>()
  const signals = new WeakMap<Agent, AbortSignal>()
  const models = currentModels(scope, settings.contextWindow)

  const follow = (session: Session): void => {
    entries.set(session.id, { session, facts: fold(sessionFacts, session.events), job: undefined, notBefore: -1, ending: undefined })
  }
  const entryOf = ({ id, session, status }: Agent): Entry => {
    const entry = entries.get(session.id)
    if (entry === undefined || status === 'disposed') throw new SideloopError('agent/disposed', `The agent ${id} is disposed`)
    return entry
  }
  const standsDown = (agent: Agent, entry: Entry): boolean => settings.standsDown?.(agent) ?? entry.facts.runs > 0

  const isOver = (agent: Agent, entry: Entry, tokens: number, share = threshold): boolean => {
    const { contextWindow } = models.of(agent)
    return contextWindow !== undefined && tokens > contextWindow * share && tokens > entry.notBefore
  }

  const jobFor = (agent: Agent, entry: Entry, trigger: Trigger, tokens: number): Job => {
    const { session } = entry
    const target = models.of(agent)
    const job = createJob({
      session,
      start: { trigger, tokens },
      work: (signal) => prepare({ stream: scope.llm.stream, wait }, session, target, settings, signal),
      onDone({ outcome }) {
        entry.job = undefined
        if (outcome === 'done') entry.notBefore = -1
        else if (outcome !== 'aborted') entry.notBefore = tokens + (target.contextWindow ?? 0) * WORTH_ANOTHER
      },
    })
    entry.job = job
    return job
  }

  const pressure = (entry: Entry): Pressure => pressureOf(entry.session, entry.facts)

  /** In the turn that is open; without one, in an injection turn of its own. The work stops with the signal. */
  const carryOut = (entry: Entry, job: Job, signal: AbortSignal | undefined): Promise<CompactionEnd> => {
    const stop = (): void => {
      entry.ending = { kind: 'aborted', reason: 'cancelled' }
      job.stop()
    }
    signal?.addEventListener('abort', stop, { once: true })
    void job.done.then(() => signal?.removeEventListener('abort', stop))
    if (signal?.aborted) stop()
    else if (!job.isOpen) openOrStop(entry, job)
    return job.done
  }

  /** Errors: `session/invalid` from inside an observer of the log. */
  const openOrStop = (entry: Entry, job: Job): void => {
    try {
      open(entry, job)
    } catch (error) {
      job.stop()
      throw error
    }
  }

  const open = (entry: Entry, job: Job): void => {
    const { session, facts } = entry
    entry.ending = undefined
    if (facts.turnOpen) {
      job.open()
      return
    }
    const turn = facts.turn + 1
    session.append('turn/start', { turn, trigger: { kind: 'injection', source: SOURCE } })
    job.open(() => {
      session.append('turn/end', { turn, reason: entry.ending ?? { kind: 'completed' } })
      scope.sessions.flush(session).catch(() => {}) // whoever stores keeps the failure and shows it; no turn waits for this one
    })
  }

  for (const session of scope.sessions.list()) follow(session)
  scope.on('session/created', follow)
  scope.on('session/disposed', ({ id }) => void entries.delete(id))
  scope.on('session/event', ({ id }, event) => {
    const entry = entries.get(id)
    if (entry !== undefined) entry.facts = sessionFacts.apply(entry.facts, event)
  })
  // In front of every other listener: the first value ends that event, and the signal is needed whoever gives one.
  scope.on('agent/pre-step', (agent, _turn, _step, _system, _prefix, signal) => void signals.set(agent, signal), { prepend: true })
  scope.on('agent/status', (agent, status) => {
    const entry = entries.get(agent.session.id)
    if (status === 'running') entry?.job?.leave(HANDED_OVER)
    else if (status === 'idle' && entry?.job?.isOpen === false) open(entry, entry.job)
  })
  scope.on('agent/disposed', ({ session }) => {
    const entry = entries.get(session.id)
    if (entry === undefined) return
    entry.ending = { kind: 'disposed' }
    entry.job?.stop()
  })

  return {
    isOver: (agent, tokens) => isOver(agent, entryOf(agent), tokens),
    async beforeStep(agent, signal) {
      const entry = entryOf(agent)
      if (entry.job !== undefined) await carryOut(entry, entry.job, signal)
      if (standsDown(agent, entry)) return
      const { tokens, next } = pressure(entry)
      // What came since the last reply may be more than there is room for, however small that request was.
      const due = isOver(agent, entry, tokens) ? tokens : isOver(agent, entry, next, 1) ? next : undefined
      if (due !== undefined) await carryOut(entry, jobFor(agent, entry, 'pressure', due), signal)
    },
    async compactHere(agent, trigger, given) {
      const entry = entryOf(agent)
      const job = entry.job ?? jobFor(agent, entry, trigger, pressure(entry).tokens)
      const ofTurn = agent.status === 'running' ? signals.get(agent) : undefined
      return carryOut(entry, job, AbortSignal.any([given, ofTurn].filter((signal) => signal !== undefined)))
    },
    async compactNow(agent, signal) {
      const entry = entryOf(agent)
      const job = entry.job ?? jobFor(agent, entry, 'manual', pressure(entry).tokens)
      if (agent.status === 'idle') return carryOut(entry, job, signal)
      signal?.addEventListener('abort', job.stop, { once: true })
      if (signal?.aborted) job.stop()
      return job.done // before the next step, or when the turn is over
    },
    stopAll() {
      for (const { job } of entries.values()) job?.stop()
    },
  }
}
