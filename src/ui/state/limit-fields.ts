// The limits of a model's replies as a person types them, and what they mean.
import type { ModelInfo } from './agent-client.ts'
import type { LimitChanges, Limits } from './models.ts'

export type LimitFields = { readonly maxTokens: string; readonly temperature: string; readonly effort: string }

export const fieldsOfLimits = ({ maxTokens, temperature, effort }: Limits): LimitFields => ({
  maxTokens: maxTokens === undefined ? '' : String(maxTokens),
  temperature: temperature === undefined ? '' : String(temperature),
  effort: effort ?? '',
})

/** Empty: the model's own. A comma is how many languages write a fraction. */
const numberIn = (typed: string): number => Number(typed.trim().replace(',', '.'))

/** What must be put right; undefined when nothing. */
export const problemInLimits = ({ maxTokens, temperature }: LimitFields, info: ModelInfo | undefined): string | undefined => {
  if (maxTokens.trim() !== '') {
    const tokens = numberIn(maxTokens)
    if (!Number.isSafeInteger(tokens) || tokens < 1) return 'The reply limit must be a whole number of tokens, such as 4096.'
    if (info?.maxOutput !== undefined && tokens > info.maxOutput)
      return `This model writes at most ${info.maxOutput.toLocaleString()} tokens in one reply.`
  }
  if (temperature.trim() !== '') {
    const degrees = numberIn(temperature)
    if (!(degrees >= 0 && degrees <= 2)) return 'The temperature must be a number from 0 to 2.'
  }
  return undefined
}

export const changesOf = ({ maxTokens, temperature, effort }: LimitFields): LimitChanges => ({
  maxTokens: maxTokens.trim() === '' ? null : numberIn(maxTokens),
  temperature: temperature.trim() === '' ? null : numberIn(temperature),
  effort: effort === '' ? null : effort,
})
