// What a session used: tokens and money over all its model calls, as the models reported them.
import type { Provenance } from '../content.ts'
import type { Usage } from '../model-call.ts'
import type { Projection } from '../projection.ts'

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
      return { ...state, calls: state.calls + 1, total: sum(state.total, used), cost: addCost(state, used.cost) }
    }
    if (event.type !== 'assistant/message') return state
    const { usage: used, provenance } = event.data
    return {
      calls: state.calls + 1,
      total: used === undefined ? state.total : sum(state.total, used),
      contextTokens: used === undefined ? state.contextTokens : contextOf(used),
      cost: addCost(state, used?.cost),
      last: provenance,
    }
  },
}

const contextOf = (used: Usage): number => used.inputTokens + (used.cacheReadTokens ?? 0) + (used.cacheWriteTokens ?? 0)

const addCost = (state: UsageTotals, cost: number | undefined): number | null => {
  if (cost === undefined) return null
  if (state.calls === 0) return cost
  return state.cost === null ? null : state.cost + cost
}

const OPTIONAL = ['cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const

const sum = (a: Usage, b: Usage): Usage => {
  const total: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }
  for (const key of OPTIONAL) {
    if (a[key] !== undefined || b[key] !== undefined) total[key] = (a[key] ?? 0) + (b[key] ?? 0)
  }
  return total
}
