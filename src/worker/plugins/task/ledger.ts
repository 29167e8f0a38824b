// What a run and its children may spend together: each writes what it used, and any of them sees when a limit is reached (T30, T34).
import type { Account } from '../../../storage/log/projections/account.ts'
import { tokensOf } from '../../../storage/log/usage.ts'
import type { TaskBudget } from './task-options.ts'

export interface Ledger {
  /** A run's page: replaced whole, as its account grows; torn out when another run has taken its sums over. */
  open(): { write(account: Account): void; close(): void }
  /** What is used up, in words; undefined while nothing is. */
  readonly usedUp: string | undefined
}

type Spent = { readonly tokens: number; readonly cost: number }

/** Of tokens and money. Time is kept by the run itself: when a parent's ends, its children stop with it. */
export const createLedger = ({ tokens, cost }: TaskBudget): Ledger => {
  const pages = new Map<object, Spent>()
  const sum = (of: (spent: Spent) => number): number => [...pages.values()].reduce((total, spent) => total + of(spent), 0)

  return {
    open() {
      const page = {}
      return {
        write: (account) => void pages.set(page, { tokens: tokensOf(account.usage), cost: account.knownCost }),
        close: () => void pages.delete(page),
      }
    },
    get usedUp() {
      const usedTokens = sum((spent) => spent.tokens)
      const usedCost = sum((spent) => spent.cost)
      if (tokens !== undefined && usedTokens >= tokens) return `${usedTokens} of ${tokens} tokens.`
      if (cost !== undefined && usedCost >= cost) return `$${usedCost.toFixed(4)} of $${cost}.`
      return undefined
    },
  }
}
