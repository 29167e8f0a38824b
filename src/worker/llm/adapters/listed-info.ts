// What an entry of a server's list of models says of its model, by the names that vendors have for it.
import type { Prices } from '../../../storage/log/model-call.ts'
import type { ModelInfo } from '../../../storage/log/model-info.ts'

export type ListEntry = { readonly [key: string]: unknown }
export const isObject = (value: unknown): value is ListEntry => typeof value === 'object' && value !== null

const at = (entry: ListEntry, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), entry)

const firstNumber = (entry: ListEntry, paths: readonly string[]): number | undefined =>
  paths.map((path) => at(entry, path)).find((value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0)

const firstFlag = (entry: ListEntry, paths: readonly string[]): boolean | undefined =>
  paths.map((path) => at(entry, path)).find((value) => typeof value === 'boolean')

/** In tokens. The one that the server runs with goes before the one that the model could have. */
const WINDOW = [
  'loaded_context_length', // LM Studio
  'max_model_len', // vLLM
  'meta.n_ctx', // llama.cpp
  'context_length', // OpenRouter, Together, Fireworks
  'context_window', // Groq
  'max_context_length', // Mistral, LM Studio
  'max_input_tokens', // Anthropic
  'inputTokenLimit', // Gemini
  'meta.n_ctx_train', // llama.cpp before it told the other
]
const OUTPUT = ['top_provider.max_completion_tokens', 'max_completion_tokens', 'max_output_tokens', 'outputTokenLimit']

/** Anthropic's `max_tokens` is the limit of a reply only beside its `max_input_tokens`; elsewhere it may be the window. */
const outputOf = (entry: ListEntry): number | undefined =>
  firstNumber(entry, typeof entry.max_input_tokens === 'number' ? [...OUTPUT, 'max_tokens'] : OUTPUT)

const listAt = (entry: ListEntry, path: string): readonly unknown[] | undefined => {
  const value = at(entry, path)
  return Array.isArray(value) ? value : undefined
}

const imagesOf = (entry: ListEntry): boolean | undefined => {
  const modalities = listAt(entry, 'architecture.input_modalities') ?? listAt(entry, 'input_modalities') // OpenRouter; xAI
  if (modalities !== undefined) return modalities.includes('image')
  if (entry.type === 'vlm') return true // LM Studio
  return firstFlag(entry, ['capabilities.vision', 'supports_image_input', 'capabilities.image_input.supported']) // Mistral; Fireworks; Anthropic
}

const toolsOf = (entry: ListEntry): boolean | undefined =>
  listAt(entry, 'supported_parameters')?.includes('tools') ?? firstFlag(entry, ['capabilities.function_calling', 'supports_tools'])

/** From least to most, whatever the order in the list. */
const LEVELS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

const effortsOf = (entry: ListEntry): readonly string[] | undefined => {
  const effort = at(entry, 'capabilities.effort') // Anthropic
  if (isObject(effort)) return LEVELS.filter((level) => at(effort, `${level}.supported`) === true)
  const parameters = listAt(entry, 'supported_parameters') // OpenRouter, which maps these three for every model that reasons
  return parameters === undefined ? undefined : parameters.includes('reasoning') ? ['low', 'medium', 'high'] : []
}

const MILLION = 1_000_000
/** Without the noise of binary fractions: nobody bills a billionth of a dollar per million tokens. */
const perMillion = (price: number): number => Number((price * MILLION).toPrecision(9))

/** Negative for a router, whose price is that of the model it will choose. */
const priceOf = (value: unknown): number | undefined => {
  const price = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof price === 'number' && Number.isFinite(price) && price >= 0 ? price : undefined
}

const pricesOf = (entry: ListEntry, asOf: string): Prices | undefined => {
  const { pricing } = entry
  if (!isObject(pricing)) return undefined
  const perToken = pricing.prompt !== undefined // OpenRouter; Together has dollars per million
  const read = (...names: readonly string[]): number | undefined => {
    const price = names.map((name) => priceOf(pricing[name])).find((value) => value !== undefined)
    return price === undefined || !perToken ? price : perMillion(price)
  }
  const input = read('prompt', 'input')
  const output = read('completion', 'output')
  if (input === undefined || output === undefined) return undefined
  const cacheRead = read('input_cache_read', 'cached_input')
  const cacheWrite = read('input_cache_write')
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    asOf,
  }
}

/** Only what the entry says. `asOf`: today, for the prices. */
export const infoOf = (entry: ListEntry, asOf: string): ModelInfo => {
  const said = {
    tools: toolsOf(entry),
    images: imagesOf(entry),
    contextWindow: firstNumber(entry, WINDOW),
    maxOutput: outputOf(entry),
    efforts: effortsOf(entry),
    prices: pricesOf(entry, asOf),
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}
