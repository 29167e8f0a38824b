// What the small files of an ONNX model say of it, read before anything is loaded. They come from anywhere.

export type OnnxFacts = {
  /** Such as `llama` or `qwen3`. */
  readonly architecture: string
  /** Tokens that the model was trained for. */
  readonly contextLength?: number
  /** Jinja templates, one after the other: they say what the model can be told. */
  readonly chatTemplate?: string
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The names that makers of models have for it. */
const LENGTHS = ['max_position_embeddings', 'n_positions', 'max_seq_len', 'seq_length']

const lengthIn = (fields: Fields): number | undefined =>
  LENGTHS.map((name) => fields[name]).find((value): value is number => typeof value === 'number' && value > 0)

/** `config`: as in `config.json`. Of a model that sees and hears, the part that reads text says it. */
export const trainedLength = (config: object): number | undefined => {
  const fields: Fields = { ...config }
  return lengthIn(fields) ?? (isFields(fields.text_config) ? lengthIn(fields.text_config) : undefined)
}

/** One, or several with their names. */
const templatesIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  const several: readonly unknown[] = Array.isArray(value) ? value : []
  return several.flatMap((each) => (isFields(each) && typeof each.template === 'string' ? each.template : [])).join('\n')
}

/** The texts of `config.json`, `tokenizer_config.json` and, where there is one, `chat_template.jinja`. Errors: words for what is no such file. */
export const factsOfOnnxModel = (config: string, tokenizerConfig: string, template?: string): OnnxFacts => {
  const fields = parsed('config.json', config)
  if (typeof fields.model_type !== 'string') throw new Error('its config.json names no kind of model')
  const contextLength = trainedLength(fields)
  const chatTemplate = template ?? templatesIn(parsed('tokenizer_config.json', tokenizerConfig).chat_template)
  return {
    architecture: fields.model_type,
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(chatTemplate === '' ? {} : { chatTemplate }),
  }
}

const parsed = (name: string, json: string): Fields => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    // What it is instead, such as a web page, does not matter.
  }
  if (!isFields(value)) throw new Error(`its ${name} is not a JSON object`)
  return value
}
