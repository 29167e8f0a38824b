// Token counts of Anthropic replies: they are disjoint as they come, input at the start and output at the end.
import type { Usage } from '../../../../storage/log/model-call.ts'
import type { Fields } from '../fields.ts'
import { count } from '../token-counts.ts'

/** `undefined` when the server counted nothing. */
export const readUsage = (fields: Fields): Usage | undefined => {
  const input = count(fields, 'input_tokens')
  const output = count(fields, 'output_tokens')
  if (input === undefined && output === undefined) return undefined
  const cacheRead = count(fields, 'cache_read_input_tokens')
  const { cache_creation: created } = fields
  const short = count(created, 'ephemeral_5m_input_tokens')
  const long = count(created, 'ephemeral_1h_input_tokens')
  const byLifetime = short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0)
  const cacheWrite = count(fields, 'cache_creation_input_tokens') ?? byLifetime
  const reasoning = count(fields.output_tokens_details, 'thinking_tokens', 'reasoning_tokens')
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cacheRead === undefined ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  }
}
