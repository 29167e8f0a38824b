// Effort levels of a request as Gemini's thinking settings, by the generation of the model.
import type { JsonObject } from '../../../../storage/log/content.ts'

/** Tokens for the models that take a budget: 2.5 Pro takes 128 to 32,768, Flash 0 to 24,576. -1: as the model sees fit. */
const BUDGETS: Readonly<Record<string, number>> = { none: 0, minimal: 512, low: 2048, medium: 8192, high: 24_576, auto: -1 }

/** 3 for `gemini-3-pro`, 2.5 for `gemini-2.5-flash`; 0 for what is no Gemini. */
export const generationOf = (model: string): number => Number(/gemini-(\d+(?:\.\d+)?)/i.exec(model)?.[1] ?? 0)

/**
 * From 3 on a level, before that a budget; the two together are a 400. Thoughts are asked for wherever there are some. Nothing
 * for models that do not think, which answer 400 to any of it.
 */
export const thinkingConfig = (model: string, effort: string | undefined): JsonObject | undefined => {
  const generation = generationOf(model)
  if (generation < 2.5 || /image|tts|audio|live|embedding/i.test(model)) return undefined
  if (effort === undefined) return { includeThoughts: true }
  if (generation >= 3) return { includeThoughts: true, thinkingLevel: effort === 'none' ? 'minimal' : effort }
  const budget = BUDGETS[effort]
  if (budget === undefined) return { includeThoughts: true }
  // Pro cannot do without.
  return budget === 0 && /pro/i.test(model)
    ? { includeThoughts: true, thinkingBudget: 128 }
    : { includeThoughts: budget !== 0, thinkingBudget: budget }
}
