// What is left of runs of an earlier life, as a plugin for sessions that are opened again: reminders at the end, and runs without an end.

import type { TaskResult } from '../../../storage/log/events.ts'
import { findOpenEnds, type OpenRun } from '../../../storage/log/open-ends.ts'
import type { Session } from '../../hooks/agent.ts'
import type { Plugin } from '../../loop/scope.ts'
import { takeOffLeftOver } from './reminders.ts'

const endOf = ({ toolCount, usage }: OpenRun): TaskResult => ({
  success: false,
  exitReason: 'interrupted',
  summary: 'Interrupted: the page or its worker ended before the work was finished. Its turn was gone on with as a conversation.',
  toolCount,
  turnCount: usage.calls,
  totalCost: usage.cost,
  totalUsage: usage.total,
})

const endRuns = (session: Session, left: ReadonlySet<string>): void => {
  for (const open of findOpenEnds(session.events).runs)
    if (left.has(open.run)) session.append('task/ended', { run: open.run, result: endOf(open) })
}

/**
 * Repair closes the runs that a kill left, but for one whose call waits for a person: its turn goes on when the answer comes, without
 * whoever drove the run. It ends with that turn.
 */
export const taskRuns: Plugin = (scope) => {
  const left = new WeakMap<Session, ReadonlySet<string>>()

  scope.on('agent/session-start', ({ session }, how) => {
    if (how !== 'resume') return
    const runs = findOpenEnds(session.events).runs.map(({ run }) => run)
    if (runs.length > 0) left.set(session, new Set(runs))
  })
  // After the turn's end, and in front of its flush.
  scope.on(
    'session/flush',
    (session) => {
      const runs = left.get(session)
      if (runs === undefined || session.events.at(-1)?.type !== 'turn/end') return
      left.delete(session)
      endRuns(session, runs)
    },
    { prepend: true },
  )
  scope.on('agent/prompt-submit', ({ session }, _content, _source, next) => {
    takeOffLeftOver(session)
    return next()
  })
}
