// What is known of a model in a few short words: window, reply limit, abilities, price with its day.
import type { ModelInfo } from './agent-client.ts'

/** 1,048,576 → "1M", 131,072 → "131k". */
export const sayTokens = (tokens: number): string =>
  tokens >= 1_000_000
    ? `${Number((tokens / 1_000_000).toFixed(tokens < 10_000_000 ? 1 : 0))}M`
    : tokens >= 1000
      ? `${Math.round(tokens / 1000)}k`
      : String(tokens)

/** As few digits as tell it: 0.075, 1.25, 10. */
const sayDollars = (price: number): string => `$${Number(price.toPrecision(4))}`

/** Each by itself; what nobody said is left out, never made up. */
export const sayModel = (info: ModelInfo | undefined): readonly string[] => {
  if (info === undefined) return []
  const { contextWindow, maxOutput, images, tools, efforts, prices } = info
  return [
    ...(contextWindow === undefined ? [] : [`${sayTokens(contextWindow)} window`]),
    ...(maxOutput === undefined ? [] : [`${sayTokens(maxOutput)} reply`]),
    ...(images === true ? ['sees images'] : []),
    ...(tools === true ? ['tools'] : tools === false ? ['no tools'] : []),
    ...(efforts !== undefined && efforts.length > 0 ? ['reasons'] : []),
    ...(prices === undefined ? [] : [sayPrice(prices)]),
  ]
}

/** In and out, per million tokens. */
export const sayPrice = ({ input, output }: NonNullable<ModelInfo['prices']>): string =>
  input === 0 && output === 0 ? 'free' : `${sayDollars(input)} / ${sayDollars(output)}`

/** Whole, for where there is room. */
export const sayPrices = ({ input, output, cacheRead, cacheWrite, asOf }: NonNullable<ModelInfo['prices']>): string => {
  if (input === 0 && output === 0) return `Free, as of ${asOf}`
  const cache = [
    ...(cacheRead === undefined ? [] : [`${sayDollars(cacheRead)} read from the cache`]),
    ...(cacheWrite === undefined ? [] : [`${sayDollars(cacheWrite)} written to it`]),
  ]
  return `${[`${sayDollars(input)} in, ${sayDollars(output)} out`, ...cache].join(', ')} per million tokens, as of ${asOf}`
}

/** What the short prices of a list mean, with their day if it is one. */
export const explainPrices = (infos: readonly (ModelInfo | undefined)[]): string | undefined => {
  const days = new Set(infos.flatMap((info) => info?.prices?.asOf ?? []))
  const [day] = days
  if (day === undefined) return undefined
  const when = days.size === 1 ? `as of ${day}` : 'each with its day in the options of the model'
  return `Prices are US dollars per million tokens, in / out, ${when}.`
}
