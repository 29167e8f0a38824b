// Token counts of OpenAI's wires and of the servers that speak them, under the names that several of them use, as disjoint counts.
import type { Usage } from '../../../storage/log/model-call.ts'
import type { Fields } from './fields.ts'
import { count } from './token-counts.ts'

/** `undefined` when the server counted nothing. */
export const readUsage = (fields: Fields): Usage | undefined => {
  const prompt = fields.prompt_tokens_details ?? fields.input_tokens_details
  const completion = fields.completion_tokens_details ?? fields.output_tokens_details
  const all = count(fields, 'prompt_tokens', 'input_tokens')
  const written = count(fields, 'completion_tokens', 'output_tokens')
  if (all === undefined && written === undefined) return undefined
  // DeepSeek counts cache hits beside the details; Moonshot has `cached_tokens`; gateways to Anthropic keep its names.
  const cacheRead = count(prompt, 'cached_tokens') ?? count(fields, 'prompt_cache_hit_tokens', 'cached_tokens', 'cache_read_input_tokens')
  const cacheWrite = count(prompt, 'cache_write_tokens', 'cache_creation_tokens') ?? count(fields, 'cache_creation_input_tokens')
  const reasoning = count(completion, 'reasoning_tokens') ?? count(fields, 'reasoning_tokens')
  const total = count(fields, 'total_tokens') ?? 0
  // xAI, and Gemini's chat endpoint, leave reasoning out of the completion and count it in the total only.
  const apart = reasoning !== undefined && total === (all ?? 0) + (written ?? 0) + reasoning ? reasoning : 0
  const cost = fields.cost
  return {
    inputTokens: Math.max(0, (all ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    outputTokens: (written ?? 0) + apart,
    ...(cacheRead === undefined ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
    ...(typeof cost === 'number' && Number.isFinite(cost) ? { cost } : {}),
  }
}
