// START HERE. `runTask`: a run ends when the work is done, or when it is known why not. A plugin over the hooks; the loop does not know it.
import type { ContentBlock, MessageId } from '../../../storage/log/content.ts'
import { messageOf, SideloopError } from '../../../storage/log/errors.ts'
import type { TaskResult } from '../../../storage/log/events.ts'
import { emptyAccount } from '../../../storage/log/projections/account.ts'
import type { Agent } from '../../hooks/agent.ts'
import { type AgentHome, homeOf } from '../../hooks/agent-home.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { openRun, reasonOf } from './open-run.ts'
import { takeOffLeftOver } from './reminders.ts'
import { readTaskOptions, type TaskOptions } from './task-options.ts'
import { disposed, executionError, resultOf, stopped, type Verdict } from './verdict.ts'

export type Task = {
  readonly agent: Agent
  readonly prompt: string | readonly ContentBlock[]
  readonly options: TaskOptions
  readonly signal: AbortSignal | undefined
  /** Of the message that opens the run's turn. Default: a new one. */
  readonly promptId?: MessageId
  /** Shared with the run that this one is a child of. */
  readonly ledger?: Ledger
}

/**
 * Never rejects: whatever happens comes as a result with its true reason. A run is one turn of the agent; what is queued meanwhile waits
 * behind it, steering enters it, a cancel or the signal's abort ends it as `stopped`. Two runs of one agent follow each other.
 */
export const runTask = (
  agent: Agent,
  prompt: string | readonly ContentBlock[],
  options: TaskOptions = {},
  signal?: AbortSignal,
): Promise<TaskResult> => launch({ agent, prompt, options, signal })

const withoutRun = (verdict: Verdict): TaskResult => resultOf(verdict, 0, 0, emptyAccount)

/** Begins in this very tick if the agent is at rest, so that what is sent after it waits behind it. */
export const launch = async ({ agent, prompt, promptId, options, signal, ledger }: Task): Promise<TaskResult> => {
  let own: Promise<TaskResult> | undefined
  try {
    const home = homeOf(agent)
    if (home === undefined) throw new SideloopError('command/invalid', 'A task runs on an agent that a runtime of this program has started')
    const read = readTaskOptions(options)
    const content: readonly ContentBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
    if (isBusy(agent)) await whenFree(agent, signal)
    if (agent.status === 'disposed') return withoutRun(disposed())
    takeOffBeforePrompts(home)
    const start = {
      id: home.newId(),
      agent,
      home,
      options: read,
      prompt: content,
      promptId,
      ledger: ledger ?? createLedger(read.budget),
    }
    own = openRun(start, signal)
    running.set(agent, own)
    return await own
  } catch (error) {
    return withoutRun(signal?.aborted ? stopped(reasonOf(signal)) : executionError(messageOf(error)))
  } finally {
    if (own !== undefined) running.delete(agent)
  }
}

const running = new WeakMap<Agent, Promise<TaskResult>>()

/** Would a run that is asked for now have to wait? */
export const isBusy = (agent: Agent): boolean =>
  running.has(agent) || agent.status === 'running' || (!agent.inbox.held && agent.inbox.waiting.length > 0)

/** Of those that wait, the first one goes on in the tick in which the agent comes to rest. Errors: the signal was aborted. */
const whenFree = async (agent: Agent, signal: AbortSignal | undefined): Promise<void> => {
  let wake: () => void = () => {}
  const aborted = new Promise<void>((resolve) => {
    wake = resolve
  })
  signal?.addEventListener('abort', wake, { once: true })
  try {
    while (isBusy(agent) && agent.status !== 'disposed') {
      signal?.throwIfAborted()
      const other = running.get(agent)?.catch(() => {}) // its own caller is told
      await Promise.race([other ?? agent.whenIdle(), aborted, agent.done])
    }
    signal?.throwIfAborted()
  } finally {
    signal?.removeEventListener('abort', wake)
  }
}

const cleaned = new WeakSet<AgentHome>()

/** From the first run on, for good, as `taskRuns` does from the start: whatever a run left is off the surface before the next prompt, whoever sends it. */
const takeOffBeforePrompts = (home: AgentHome): void => {
  if (cleaned.has(home)) return
  cleaned.add(home)
  home.on('agent/prompt-submit', ({ session }, _content, _source, next) => {
    takeOffLeftOver(session)
    return next()
  })
}
