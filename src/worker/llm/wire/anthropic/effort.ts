// Effort levels as Anthropic's thinking (W13).
import type { JsonObject } from '../../../../storage/log/content.ts'
import type { AnthropicDialect } from './dialects.ts'

/** In tokens; the least that the API takes is 1,024. */
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 28_672,
  max: 30_720,
}
const LEAST_BUDGET = 1024

/** The levels that can be asked for; `undefined`: the server decides which it knows. */
export const effortsOf = ({ thinking }: AnthropicDialect): readonly string[] | undefined =>
  thinking === 'adaptive' ? undefined : thinking === 'none' ? [] : ['none', ...Object.keys(BUDGETS)]

/** Without `display` the newer models keep their thinking to themselves. */
const ADAPTIVE = { type: 'adaptive', display: 'summarized' }

/** The keys of the request; none where thinking is left to the model's own default. */
export const thinkingFields = (effort: string | undefined, dialect: AnthropicDialect, maxTokens: number): JsonObject => {
  if (effort === undefined) return dialect.thinksUnasked ? { thinking: ADAPTIVE } : {}
  if (dialect.thinking === 'none') return {}
  if (effort === 'none') return { thinking: { type: 'disabled' } }
  if (dialect.thinking === 'adaptive') return { thinking: ADAPTIVE, output_config: { effort } }
  // The limit counts thinking too, and must be larger than the budget.
  const budget = Math.min(BUDGETS[effort] ?? LEAST_BUDGET, Math.floor(maxTokens / 2))
  return budget < LEAST_BUDGET ? {} : { thinking: { type: 'enabled', budget_tokens: budget } }
}
