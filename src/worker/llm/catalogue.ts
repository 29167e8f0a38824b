// What is known of a model by its name. A model that is not known works all the same.
import type { ModelInfo } from '../hooks/llm.ts'
import { PRICE_LISTS } from './known-models.ts'
import { modelFamily } from './model-family.ts'

/**
 * `undefined` for a model that is not known. A dated name (`gpt-4o-2024-08-06`) is its family. The price is the vendor's own, so it is
 * left out for a gateway's name (`openai/gpt-4o`, `anthropic/claude-opus-4.6`) and, where the `host` is given, at any other server.
 */
export const lookUpModel = (model: string, host?: string): ModelInfo | undefined => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const family = modelFamily(name)
    .replace(/^(gpt-oss):/, '$1-')
    .replace(/^claude.*/, (claude) => claude.replaceAll('.', '-'))
  for (const { asOf, host: own, models } of PRICE_LISTS) {
    if (!Object.hasOwn(models, family)) continue
    const { price, ...info } = models[family]!
    if (price === undefined || model.includes('/') || (host !== undefined && !isOf(host, own))) return info
    const [input, output, cacheRead, cacheWrite] = price
    const cache = { ...(cacheRead === undefined ? {} : { cacheRead }), ...(cacheWrite === undefined ? {} : { cacheWrite }) }
    return { ...info, prices: { input, output, ...cache, asOf } }
  }
  return undefined
}

const isOf = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)
