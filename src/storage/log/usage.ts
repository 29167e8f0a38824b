// Token counts, added up.
import type { Usage } from './model-call.ts'

const OPTIONAL = ['cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const

/** Counts only: what two calls cost is another matter, for one of them may have no price. */
export const addUsage = (a: Usage, b: Usage): Usage => {
  const total: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }
  for (const key of OPTIONAL) if (a[key] !== undefined || b[key] !== undefined) total[key] = (a[key] ?? 0) + (b[key] ?? 0)
  return total
}

/** What the model had to read: the size of the conversation at that call. */
export const contextTokensOf = ({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): number =>
  inputTokens + cacheReadTokens + cacheWriteTokens

/** All of them, in and out, cached ones too. */
export const tokensOf = (usage: Usage): number => contextTokensOf(usage) + usage.outputTokens
