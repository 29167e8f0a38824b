// What is known of models by name: window, output limit, abilities, prices with their date. A model that is not here works all the same.
import type { ModelInfo } from '../hooks/llm.ts'
import { modelFamily } from './model-family.ts'

type Entry = Omit<ModelInfo, 'prices'> & {
  /** US dollars per million tokens: input, output, cache read, and cache write where that has a price of its own. */
  readonly price?: readonly [number, number, number, number?]
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

const CLAUDE_5: Entry = { tools: true, images: true, contextWindow: 1_000_000, maxOutput: 128_000 }
const CLAUDE_4: Entry = { tools: true, images: true, contextWindow: 200_000, maxOutput: 64_000 }
const TO_MAX = { efforts: ['low', 'medium', 'high', 'max'] }
const WITH_XHIGH = { efforts: ['low', 'medium', 'high', 'xhigh', 'max'] }

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
    asOf: '2026-09-22',
    seen: 'Anthropic, models overview and the pages of its models; the cache by its multipliers, 0.1 to read and 1.25 to write for five minutes',
    models: {
      'claude-fable-5-2': { ...CLAUDE_5, price: [8, 40, 0.8, 10] },
      'claude-fable-5-1': { ...CLAUDE_5, price: [10, 50, 1, 12.5] },
      'claude-opus-5-5': { ...CLAUDE_5, price: [4, 20, 0.4, 5] },
      'claude-sonnet-5-5': { ...CLAUDE_5, price: [2, 10, 0.2, 2.5] },
      'claude-haiku-5-5': CLAUDE_5, // its price depends on the length of the prompt
      'claude-opus-5': { ...CLAUDE_5, ...WITH_XHIGH, price: [5, 25, 0.5, 6.25] },
      'claude-sonnet-5': { ...CLAUDE_5, ...WITH_XHIGH, price: [2, 10, 0.2, 2.5] },
      'claude-opus-4-6': { ...CLAUDE_5, ...TO_MAX, price: [5, 25, 0.5, 6.25] },
      'claude-sonnet-4-5': { ...CLAUDE_4, price: [3, 15, 0.3, 3.75] },
      'claude-haiku-4-5': { ...CLAUDE_4, price: [1, 5, 0.1, 1.25] },
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
 * (`openai/gpt-4o`, `anthropic/claude-opus-4.6`) is the same model without the price, which is the gateway's own.
 */
export const lookUpModel = (model: string): ModelInfo | undefined => {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const family = modelFamily(name)
    .replace(/^(gpt-oss):/, '$1-')
    .replace(/^claude.*/, (claude) => claude.replaceAll('.', '-'))
  for (const { asOf, models } of LISTS) {
    if (!Object.hasOwn(models, family)) continue
    const { price, ...info } = models[family]!
    if (price === undefined || model.includes('/')) return info
    const [input, output, cacheRead, cacheWrite] = price
    return { ...info, prices: { input, output, cacheRead, ...(cacheWrite === undefined ? {} : { cacheWrite }), asOf } }
  }
  return undefined
}
