// Models by vendor: window, output limit, abilities, and prices with the day on which they were read. What was not read is left out.
import type { ModelInfo } from '../hooks/llm.ts'

export type KnownModel = Omit<ModelInfo, 'prices'> & {
  /**
   * US dollars per million tokens: input, output, cache read, and cache write where that has a price of its own. The rate of short
   * prompts: several vendors take more from some 200,000 tokens on.
   */
  readonly price?: readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number]
}

export type PriceList = {
  /** ISO 8601. */
  readonly asOf: string
  /** Where it was read. */
  readonly seen: string
  /** Whose prices these are: a server elsewhere has its own. */
  readonly host: string
  readonly models: Readonly<Record<string, KnownModel>>
}

const LOW_TO_HIGH = ['low', 'medium', 'high']
const LOW_TO_MAX = [...LOW_TO_HIGH, 'xhigh', 'max']
const SEES: KnownModel = { tools: true, images: true }
const TEXT: KnownModel = { tools: true, images: false }

const GPT_5: KnownModel = { ...SEES, contextWindow: 400_000, maxOutput: 128_000, efforts: ['minimal', ...LOW_TO_HIGH] }
const GPT_5_4: KnownModel = { ...SEES, contextWindow: 1_050_000, maxOutput: 128_000 }
const GPT_6_2: KnownModel = { ...GPT_5_4, efforts: LOW_TO_MAX }
const GPT_41: KnownModel = { ...SEES, contextWindow: 1_047_576, maxOutput: 32_768, efforts: [] }
const GPT_4O: KnownModel = { ...SEES, contextWindow: 128_000, maxOutput: 16_384, efforts: [] }
const O_SERIES: KnownModel = { ...SEES, contextWindow: 200_000, maxOutput: 100_000, efforts: LOW_TO_HIGH }
const GPT_OSS: KnownModel = { ...TEXT, contextWindow: 131_072, efforts: LOW_TO_HIGH }

const CLAUDE_5: KnownModel = { ...SEES, contextWindow: 1_000_000, maxOutput: 128_000 }
const CLAUDE_4: KnownModel = { ...SEES, contextWindow: 200_000, maxOutput: 64_000, efforts: ['none', ...LOW_TO_HIGH] }

const GEMINI: KnownModel = { ...SEES, contextWindow: 1_048_576, maxOutput: 65_536, efforts: LOW_TO_HIGH }
const DEEPSEEK_4: KnownModel = { ...TEXT, contextWindow: 1_000_000, maxOutput: 384_000 }

export const PRICE_LISTS: readonly PriceList[] = [
  {
    asOf: '2026-11-18',
    seen: 'OpenAI, pages of its models',
    host: 'openai.com',
    models: {
      'gpt-6.2-astra': { ...GPT_6_2, price: [8, 40, 0.4, 10] },
      'gpt-6.2-sol': { ...GPT_6_2, price: [2, 10, 0.1, 2.5] },
    },
  },
  {
    asOf: '2026-06-01',
    seen: 'OpenAI, pricing page of that month as it was quoted',
    host: 'openai.com',
    models: {
      'gpt-5.5': { ...GPT_5_4, price: [5, 30, 0.5] },
      'gpt-5.4': { ...GPT_5_4, price: [2.5, 15, 0.25] },
      'gpt-5.4-mini': { ...SEES, price: [0.75, 4.5, 0.075] },
      'gpt-5.4-nano': { ...SEES, price: [0.2, 1.25, 0.02] },
    },
  },
  {
    asOf: '2025-11-01',
    seen: 'OpenAI, models and pricing pages',
    host: 'openai.com',
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
      'gpt-oss-20b': GPT_OSS,
      'gpt-oss-120b': GPT_OSS,
    },
  },
  {
    asOf: '2026-09-22',
    seen: 'Anthropic, models overview and the pages of its models; the cache by its multipliers, 0.1 to read and 1.25 to write for five minutes',
    host: 'anthropic.com',
    models: {
      'claude-fable-5-2': { ...CLAUDE_5, price: [8, 40, 0.8, 10] },
      'claude-fable-5-1': { ...CLAUDE_5, price: [10, 50, 1, 12.5] },
      'claude-opus-5-5': { ...CLAUDE_5, price: [4, 20, 0.4, 5] },
      'claude-sonnet-5-5': { ...CLAUDE_5, price: [2, 10, 0.2, 2.5] },
      'claude-haiku-5-5': CLAUDE_5, // its price depends on the length of the prompt
      'claude-opus-5': { ...CLAUDE_5, efforts: LOW_TO_MAX, price: [5, 25, 0.5, 6.25] },
      'claude-sonnet-5': { ...CLAUDE_5, efforts: LOW_TO_MAX, price: [2, 10, 0.2, 2.5] },
      'claude-opus-4-6': { ...CLAUDE_5, efforts: [...LOW_TO_HIGH, 'max'], price: [5, 25, 0.5, 6.25] },
      'claude-sonnet-4-5': { ...CLAUDE_4, price: [3, 15, 0.3, 3.75] },
      'claude-haiku-4-5': { ...CLAUDE_4, price: [1, 5, 0.1, 1.25] },
    },
  },
  {
    asOf: '2026-11-30',
    seen: 'Google, pages of its models and Gemini API pricing page as public lists quoted them on that day; 3.8 Flash at its introductory price, until the end of 2026',
    host: 'generativelanguage.googleapis.com',
    models: {
      'gemini-3.8-flash': { ...GEMINI, price: [0.75, 3.75, 0.075] },
      'gemini-3.1-pro-preview': { ...GEMINI, price: [2, 12, 0.2] },
      'gemini-3-flash-preview': { ...GEMINI, price: [0.5, 3, 0.05] },
      'gemini-2.5-pro': { ...GEMINI, price: [1.25, 10, 0.125] },
      'gemini-2.5-flash': { ...GEMINI, efforts: ['none', ...LOW_TO_HIGH], price: [0.3, 2.5, 0.03] },
    },
  },
  {
    asOf: '2026-09-01',
    seen: 'DeepSeek, models and pricing page: a price by the hour of the day, so none is here',
    host: 'deepseek.com',
    models: {
      'deepseek-v4-pro': { ...DEEPSEEK_4, efforts: ['high', 'max'] },
      'deepseek-v4-flash': { ...DEEPSEEK_4, efforts: ['low', 'high', 'max'] },
    },
  },
  {
    asOf: '2025-10-29',
    seen: 'DeepSeek, models and pricing page (V3.2-Exp)',
    host: 'deepseek.com',
    models: {
      'deepseek-chat': { ...TEXT, contextWindow: 128_000, maxOutput: 8_192, price: [0.28, 0.42, 0.028] },
      'deepseek-reasoner': { ...TEXT, contextWindow: 128_000, maxOutput: 65_536, price: [0.28, 0.42, 0.028] },
    },
  },
  {
    asOf: '2026-11-30',
    seen: 'xAI, pages of its models and pricing page as a public list quoted them on that day',
    host: 'x.ai',
    models: { 'grok-4.7': { ...SEES, efforts: [...LOW_TO_HIGH, 'xhigh'], price: [2, 6, 0.5] } },
  },
  {
    asOf: '2026-07-13',
    seen: 'xAI, models and pricing page as it was quoted on that day',
    host: 'x.ai',
    models: {
      'grok-4.5': { ...SEES, contextWindow: 500_000, efforts: LOW_TO_HIGH, price: [2, 6, 0.5] },
      'grok-4.3': { ...SEES, contextWindow: 1_000_000, price: [1.25, 2.5, 0.2] },
    },
  },
  {
    asOf: '2026-08-27',
    seen: 'Mistral, pages of its models as a public list quoted them on that day',
    host: 'mistral.ai',
    models: {
      'mistral-medium-3-5': { ...SEES, contextWindow: 262_144, efforts: ['none', 'high'], price: [1.5, 7.5] },
      'mistral-medium-2604': { ...SEES, contextWindow: 262_144, efforts: ['none', 'high'], price: [1.5, 7.5] },
      'mistral-large-2512': { ...SEES, contextWindow: 262_144, efforts: [] }, // no price was read on a known day
    },
  },
]
