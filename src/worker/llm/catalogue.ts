// What is known of models by name: window, output limit, abilities, prices with their date. A model that is not here works all the same.
import type { ModelInfo } from '../hooks/llm.ts'

type Entry = Omit<ModelInfo, 'prices'> & {
  /** US dollars per million tokens: input, output, cache read. */
  readonly price?: readonly [number, number, number]
}

const GPT_5: Entry = {
  tools: true,
  images: true,
  contextWindow: 400_000,
  maxOutput: 128_000,
  efforts: ['minimal', 'low', 'medium', 'high'],
}
const GPT_41: Entry = { tools: true, images: true, contextWindow: 1_047_576, maxOutput: 32_768, efforts: [] }
const GPT_4O: Entry = { tools: true, images: true, contextWindow: 128_000, maxOutput: 16_384, efforts: [] }
const O_SERIES: Entry = { tools: true, images: true, contextWindow: 200_000, maxOutput: 100_000, efforts: ['low', 'medium', 'high'] }

/** Price lists of the vendors' own pages. */
const LISTS: readonly { readonly asOf: string; readonly seen: string; readonly models: Readonly<Record<string, Entry>> }[] = [
  {
    asOf: '2025-11-01',
    seen: 'OpenAI, models and pricing pages',
    models: {
      'gpt-5': { ...GPT_5, price: [1.25, 10, 0.125] },
      'gpt-5-mini': { ...GPT_5, price: [0.25, 2, 0.025] },
      'gpt-5-nano': { ...GPT_5, price: [0.05, 0.4, 0.005] },
      'gpt-4.1': { ...GPT_41, price: [2, 8, 0.5] },
      'gpt-4.1-mini': { ...GPT_41, price: [0.4, 1.6, 0.1] },
      'gpt-4.1-nano': { ...GPT_41, price: [0.1, 0.4, 0.025] },
      'gpt-4o': { ...GPT_4O, price: [2.5, 10, 1.25] },
      'gpt-4o-mini': { ...GPT_4O, price: [0.15, 0.6, 0.075] },
      o3: { ...O_SERIES, price: [2, 8, 0.5] },
      'o4-mini': { ...O_SERIES, price: [1.1, 4.4, 0.275] },
      'gpt-oss-20b': { tools: true, images: false, contextWindow: 131_072, efforts: ['low', 'medium', 'high'] },
      'gpt-oss-120b': { tools: true, images: false, contextWindow: 131_072, efforts: ['low', 'medium', 'high'] },
    },
  },
  {
    asOf: '2025-10-29',
    seen: 'DeepSeek, models and pricing page (V3.2-Exp)',
    models: {
      'deepseek-chat': { tools: true, images: false, contextWindow: 128_000, maxOutput: 8_192, price: [0.28, 0.42, 0.028] },
      'deepseek-reasoner': { tools: true, images: false, contextWindow: 128_000, maxOutput: 65_536, price: [0.28, 0.42, 0.028] },
    },
  },
]

/**
 * `undefined` for a model that is not known. A dated name (`gpt-4o-2024-08-06`) is its family; a gateway's name
 * (`openai/gpt-4o`) is the same model without the price, which is the gateway's own.
 */
export const lookUpModel = (model: string): ModelInfo | undefined => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const family = name.replace(/(-20\d{2}-?\d{2}-?\d{2}|-latest|:latest)$/, '').replace(/^(gpt-oss):/, '$1-')
  for (const { asOf, models } of LISTS) {
    if (!Object.hasOwn(models, family)) continue
    const { price, ...info } = models[family]!
    if (price === undefined || model.includes('/')) return info
    const [input, output, cacheRead] = price
    return { ...info, prices: { input, output, cacheRead, asOf } }
  }
  return undefined
}
