// What was used and what it cost by the price table, as a fold over the log: for a run from its start, for a session from its first
// event (T30).
import type { Json, JsonObject } from '../content.ts'
import type { SessionEvent } from '../events.ts'
import type { Prices, Usage } from '../model-call.ts'
import { addUsage, contextTokensOf } from '../usage.ts'

/** `cost` in US dollars; null while no call was made, and for good once a call had no price: it is never invented. */
export type Account = {
  readonly calls: number
  readonly usage: Usage
  readonly cost: number | null
  /** Of those calls that had a price. */
  readonly knownCost: number
  /** What the agent's own last call reported as its context; undefined when it reported nothing. A child's call is no part of it. */
  readonly contextTokens: number | undefined
  /** The model that answers now, for calls that do not say. */
  readonly model: { readonly provider: string; readonly model: string } | undefined
}

export type PricesOf = (provider: string, model: string) => Prices | undefined

/** What a child run used, as its parent's log tells it. */
export type ChildSpent = { readonly usage: Usage; readonly cost: number | null }

export const emptyAccount: Account = {
  calls: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  cost: null,
  knownCost: 0,
  contextTokens: undefined,
  model: undefined,
}

/** Of a usage with disjoint counts. Reasoning is output and priced as such; an unpriced cache is priced as input. */
export const costOf = (usage: Usage | undefined, prices: Prices | undefined): number | null => {
  if (usage?.cost !== undefined) return usage.cost
  if (usage === undefined || prices === undefined) return null
  const { input, output, cacheRead = input, cacheWrite = input } = prices
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  return (inputTokens * input + outputTokens * output + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite) / 1_000_000
}

const spend = (account: Account, usage: Usage | undefined, cost: number | null, calls = 1): Account => ({
  ...account,
  calls: account.calls + calls,
  usage: usage === undefined ? account.usage : addUsage(account.usage, usage),
  cost: account.calls === 0 ? cost : account.cost === null || cost === null ? null : account.cost + cost,
  knownCost: account.knownCost + (cost ?? 0),
})

/** A call beside the agent's own: of a compaction, say. */
export const addAside = (account: Account, usage: Usage | undefined, pricesOf: PricesOf): Account => {
  const { model } = account
  return spend(account, usage, costOf(usage, model && pricesOf(model.provider, model.model)))
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const readChild = (data: Json): ChildSpent | undefined => {
  if (!isObject(data) || !isObject(data.result)) return undefined
  const { totalUsage, totalCost, turnCount } = data.result
  if (!isObject(totalUsage) || turnCount === 0) return undefined
  return { usage: totalUsage as Usage, cost: typeof totalCost === 'number' ? totalCost : null }
}

export const applyToAccount = (account: Account, event: SessionEvent, pricesOf: PricesOf): Account => {
  switch (event.type) {
    case 'request/header':
      return { ...account, model: event.data.header.config }
    case 'assistant/message': {
      if (event.surfaceOp !== 'append') return account
      const { usage, provenance } = event.data
      const spent = spend(account, usage, costOf(usage, pricesOf(provenance.provider, provenance.model)))
      return { ...spent, contextTokens: usage === undefined ? undefined : contextTokensOf(usage) }
    }
    case 'compaction/end':
      return event.data.usage === undefined ? account : addAside(account, event.data.usage, pricesOf)
    case 'task/noted': {
      const child = event.data.name === 'child' ? readChild(event.data.data) : undefined
      return child === undefined ? account : spend(account, child.usage, child.cost)
    }
    default:
      return account
  }
}

export const accountOf = (events: Iterable<SessionEvent>, pricesOf: PricesOf): Account => {
  let account = emptyAccount
  for (const event of events) account = applyToAccount(account, event, pricesOf)
  return account
}
