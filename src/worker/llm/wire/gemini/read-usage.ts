// Token counts of Gemini as disjoint counts.
import type { Usage } from '../../../../storage/log/model-call.ts'
import type { Fields } from '../fields.ts'
import { count } from '../token-counts.ts'

/** `undefined` when the server counted nothing. The prompt's count includes what was read from the cache; thoughts are apart. */
export const readUsage = (fields: Fields): Usage | undefined => {
  const prompt = count(fields, 'promptTokenCount')
  const written = count(fields, 'candidatesTokenCount', 'responseTokenCount')
  const thoughts = count(fields, 'thoughtsTokenCount')
  const cached = count(fields, 'cachedContentTokenCount')
  if (prompt === undefined && written === undefined && thoughts === undefined) return undefined
  // What built-in tools brought into the prompt is counted beside it.
  const all = (prompt ?? 0) + (count(fields, 'toolUsePromptTokenCount') ?? 0)
  // Some gateways count the thoughts in the candidates already; the total then says so.
  const inside =
    thoughts !== undefined && written !== undefined && written >= thoughts && count(fields, 'totalTokenCount') === all + written
  return {
    inputTokens: Math.max(0, all - (cached ?? 0)),
    outputTokens: (written ?? 0) + (inside ? 0 : (thoughts ?? 0)),
    ...(cached === undefined ? {} : { cacheReadTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
  }
}
