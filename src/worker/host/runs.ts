// What a page may start besides a message: a task run, and a compaction that a person asks for.
import type { SessionId } from '../../storage/log/content.ts'
import type { Agent } from '../hooks/agent.ts'
import type { CompactionEnd } from '../plugins/compaction/bracket.ts'
import type { Compaction } from '../plugins/compaction/compaction.ts'
import { type RunOrder, startRun } from '../plugins/task/start-run.ts'

export type Runs = {
  /** Errors: `command/invalid`. */
  start(agent: Agent, order: RunOrder): void
  /** Resolves with how it ended. Asked for again meanwhile it runs once. */
  compact(agent: Agent): Promise<CompactionEnd>
  /** Stops the compactions that were asked for in this session. */
  stop(id: SessionId): void
}

export const createRuns = ({ compactNow }: Pick<Compaction, 'compactNow'>): Runs => {
  const compacting = new Map<SessionId, Set<AbortController>>()
  return {
    start: startRun,
    async compact(agent) {
      const { id } = agent.session
      const controller = new AbortController()
      const all = compacting.get(id) ?? new Set()
      compacting.set(id, all.add(controller))
      try {
        return await compactNow(agent, { signal: controller.signal })
      } finally {
        all.delete(controller)
        if (all.size === 0) compacting.delete(id)
      }
    },
    stop(id) {
      for (const controller of compacting.get(id) ?? []) controller.abort()
    },
  }
}
