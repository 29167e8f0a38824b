// What compaction has to know of a session at any moment, as a fold over its log.
import type { Projection } from '../../../storage/log/projection.ts'

export type SessionFacts = {
  readonly turn: number
  readonly turnOpen: boolean
  /** Open task runs. */
  readonly runs: number
  /** What the last model call reported: its context size, and what it wrote. Undefined if it reported none, or the surface was shortened since. */
  readonly reported: { readonly context: number; readonly output: number } | undefined
}

export const sessionFacts: Projection<SessionFacts> = {
  initial: { turn: 0, turnOpen: false, runs: 0, reported: undefined },
  apply(facts, event) {
    switch (event.type) {
      case 'turn/start':
        return { ...facts, turn: event.data.turn, turnOpen: true }
      case 'turn/end':
        return { ...facts, turnOpen: false }
      case 'task/started':
        return { ...facts, runs: facts.runs + 1 }
      case 'task/ended':
        return { ...facts, runs: Math.max(0, facts.runs - 1) }
      case 'assistant/message': {
        const { usage } = event.data
        const context = usage === undefined ? 0 : usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
        // Some servers report a usage of nothing.
        return { ...facts, reported: usage === undefined || context === 0 ? undefined : { context, output: usage.outputTokens } }
      }
      case 'context/message':
      case 'tool/result':
      case 'user/message':
      case 'steering/message':
        return event.surfaceOp === 'append' || facts.reported === undefined ? facts : { ...facts, reported: undefined }
      default:
        return facts
    }
  },
}
