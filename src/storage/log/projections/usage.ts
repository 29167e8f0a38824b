// What a session used: tokens and money over all its model calls, as the models reported them.
import type { Provenance } from '../content.ts'
import type { Usage } from '../model-call.ts'
import type { Projection } from '../projection.ts'
import { addUsage, contextTokensOf } from '../usage.ts'

/** `contextTokens`: the size of the last call that reported one. `cost` in US dollars, null when some call had no price. */
export type UsageTotals = {
  readonly calls: number
  readonly total: Usage
  readonly contextTokens: number
  readonly cost: number | null
  readonly last?: Provenance
}

export const usage: Projection<UsageTotals> = {
  initial: { calls: 0, total: { inputTokens: 0, outputTokens: 0 }, contextTokens: 0, cost: null },
  apply(state, event) {
    // A summary is made by a model call too. It says nothing of how large the conversation is.
    if (event.type === 'compaction/end' && event.data.usage !== undefined) {
      const { usage: used } = event.data
      return { ...state, calls: state.calls + 1, total: addUsage(state.total, used), cost: addCost(state, used.cost) }
    }
    if (event.type !== 'assistant/message') return state
    const { usage: used, provenance } = event.data
    return {
      calls: state.calls + 1,
      total: used === undefined ? state.total : addUsage(state.total, used),
      contextTokens: used === undefined ? state.contextTokens : contextTokensOf(used),
      cost: addCost(state, used?.cost),
      last: provenance,
    }
  },
}

const addCost = (state: UsageTotals, cost: number | undefined): number | null => {
  if (cost === undefined) return null
  if (state.calls === 0) return cost
  return state.cost === null ? null : state.cost + cost
}
