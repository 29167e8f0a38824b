// Makes the files of a tiny real ONNX model whose weights are a table of "what comes after what", so that the real transformers.js runs
// and says what a test wants. The layout is that of ONNX's protocol buffers, version 9 of the format; the model calls itself a llama.

export type TinyOnnxModel = {
  /** What it answers, token by token; a leading blank is part of a token. Every token once. */
  readonly reply: readonly string[]
  /** What it answers when there are tools. Shares no token with `reply`. */
  readonly replyWithTools?: readonly string[]
  /** Begins again after the last token instead of ending. */
  readonly endless?: boolean
  /** Tokens. Default 4,096. */
  readonly contextLength?: number
  /** Jinja. The default tells tools, roles and texts between tags of its own. */
  readonly chatTemplate?: string
  /** Where the template is. Default `tokenizer_config.json`. */
  readonly templateIn?: 'tokenizer_config.json' | 'chat_template.jinja'
  /** The table is in `onnx/model.onnx_data`, as that of a large model. */
  readonly externalData?: true
  /** The table has no rows for tags: computing fails. */
  readonly failing?: true
}

const TAGS = ['<|user|>', '<|assistant|>', '<|tool|>', '<|end|>']
export const TINY_CHAT_TEMPLATE =
  "{% if tools %}<|tool|>{{ tools | tojson }}<|end|>{% endif %}{% for m in messages %}{% if m.role == 'assistant' %}<|assistant|>{% else %}<|user|>{% endif %}{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}{% if tools %}<|tool|>{% else %}<|assistant|>{% endif %}{% endif %}"

/** A file of protocol buffers, field by field. */
class Message {
  readonly #bytes: number[] = []
  #varint(value: number): void {
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) + 128)
    this.#bytes.push(rest)
  }
  int(field: number, value: number): this {
    this.#varint(field * 8)
    this.#varint(value)
    return this
  }
  bytes(field: number, value: Uint8Array): this {
    this.#varint(field * 8 + 2)
    this.#varint(value.length)
    for (const byte of value) this.#bytes.push(byte)
    return this
  }
  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value))
  }
  add(field: number, ...values: readonly Message[]): this {
    for (const value of values) this.bytes(field, value.whole())
    return this
  }
  whole(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes)
  }
}

const FLOAT = 1
const INT64 = 7

type Dimension = string | number
/** A name with its type: what goes in or comes out. */
const value = (name: string, type: number, dimensions: readonly Dimension[]): Message => {
  const shape = new Message()
  for (const size of dimensions) shape.add(1, typeof size === 'number' ? new Message().int(1, size) : new Message().text(2, size))
  return new Message().text(1, name).add(2, new Message().add(1, new Message().int(1, type).add(2, shape)))
}

const node = (operator: string, inputs: readonly string[], output: string, attributes: Readonly<Record<string, number>> = {}): Message => {
  const made = new Message()
  for (const input of inputs) made.text(1, input)
  made.text(2, output).text(4, operator)
  for (const [name, number] of Object.entries(attributes)) made.add(5, new Message().text(1, name).int(3, number).int(20, 2))
  return made
}

const tensor = (name: string, type: number, dimensions: readonly number[], content: Uint8Array | 'model.onnx_data'): Message => {
  const made = new Message()
  for (const size of dimensions) made.int(1, size)
  made.int(2, type).text(8, name)
  if (content instanceof Uint8Array) return made.bytes(9, content)
  return made.add(13, new Message().text(1, 'location').text(2, content)).int(14, 1)
}

/** What is written for each byte in vocabularies of this kind: itself where it can be seen, else a letter from 256 on. */
const byteSigns = (): readonly string[] => {
  let unseen = 256
  const isSeen = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isSeen(byte) ? byte : unseen++))
}

const cache = ['key', 'value'] as const

/** Keys and values of the cache are the numbers of the tokens: nobody reads them, but they grow as they do in a real model, and with them the mask. */
const graph = (table: readonly number[], tableContent: Uint8Array | 'model.onnx_data'): Message => {
  const past = ['batch_size', 1, 'past_sequence_length', 1]
  const total = ['batch_size', 1, 'total_sequence_length', 1]
  const shape = new Uint8Array(BigInt64Array.of(0n, 1n, -1n, 1n).buffer)
  return new Message()
    .add(1, node('Gather', ['table', 'input_ids'], 'logits'))
    .add(1, node('Cast', ['input_ids'], 'numbers', { to: FLOAT }), node('Reshape', ['numbers', 'shape'], 'new'))
    .add(1, node('Cast', ['attention_mask'], 'ones', { to: FLOAT }), node('Reshape', ['ones', 'shape'], 'mask'))
    .add(1, ...cache.map((part) => node('Concat', [`past_key_values.0.${part}`, 'new'], part, { axis: 2 })))
    .add(1, ...cache.map((part) => node('Mul', [part, 'mask'], `present.0.${part}`)))
    .text(2, 'tiny')
    .add(5, tensor('table', FLOAT, table, tableContent), tensor('shape', INT64, [4], shape))
    .add(11, value('input_ids', INT64, ['batch_size', 'sequence_length']))
    .add(11, value('attention_mask', INT64, ['batch_size', 'total_sequence_length']))
    .add(11, ...cache.map((part) => value(`past_key_values.0.${part}`, FLOAT, past)))
    .add(12, value('logits', FLOAT, ['batch_size', 'sequence_length', table[1] ?? 0]))
    .add(12, ...cache.map((part) => value(`present.0.${part}`, FLOAT, total)))
}

type File = { readonly name: string; readonly blob: Blob }

/** Less than half a megabyte. */
export const tinyOnnx = (model: TinyOnnxModel): readonly File[] => {
  const { reply, replyWithTools = [], endless = false, contextLength = 4096, chatTemplate = TINY_CHAT_TEMPLATE } = model
  const signs = byteSigns()
  const words = [...reply, ...replyWithTools].filter((word) => !signs.includes(word))
  const tokens = [...signs, ...words, ...TAGS]
  const end = tokens.indexOf('<|end|>')

  const weights = new Float32Array(tokens.length ** 2)
  const chain = (start: string, said: readonly string[]): void => {
    const ids = [start, ...said].map((word) => tokens.indexOf(word))
    for (const [place, id] of ids.entries()) weights[id * tokens.length + (ids[place + 1] ?? (endless ? (ids[1] ?? end) : end))] = 1
  }
  chain('<|assistant|>', reply)
  if (replyWithTools.length > 0) chain('<|tool|>', replyWithTools)
  const rows = model.failing === true ? signs.length : tokens.length
  const table = new Uint8Array(weights.buffer, 0, rows * tokens.length * 4)

  const data = model.externalData === true
  const onnx = new Message()
    .int(1, 9)
    .add(7, graph([rows, tokens.length], data ? 'model.onnx_data' : table))
    .add(8, new Message().text(1, '').int(2, 17))
  const added = (content: string, special: boolean) => ({
    id: tokens.indexOf(content),
    content,
    special,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false }
  const inOwnFile = model.templateIn === 'chat_template.jinja'
  const json = (name: string, content: object): File => ({ name, blob: new Blob([JSON.stringify(content)]) })
  return [
    json('config.json', {
      model_type: 'llama',
      architectures: ['LlamaForCausalLM'],
      hidden_size: 1,
      num_attention_heads: 1,
      num_key_value_heads: 1,
      num_hidden_layers: 1,
      vocab_size: tokens.length,
      max_position_embeddings: contextLength,
    }),
    json('tokenizer.json', {
      version: '1.0',
      added_tokens: [...words.map((word) => added(word, false)), ...TAGS.map((tag) => added(tag, true))],
      normalizer: null,
      pre_tokenizer: byteLevel,
      post_processor: null,
      decoder: byteLevel,
      model: { type: 'BPE', vocab: Object.fromEntries(signs.map((sign, id) => [sign, id])), merges: [] },
    }),
    json('tokenizer_config.json', {
      tokenizer_class: 'PreTrainedTokenizerFast',
      eos_token: '<|end|>',
      ...(inOwnFile ? {} : { chat_template: chatTemplate }),
    }),
    json('generation_config.json', { eos_token_id: [end] }),
    ...(inOwnFile ? [{ name: 'chat_template.jinja', blob: new Blob([chatTemplate]) }] : []),
    { name: 'onnx/model.onnx', blob: new Blob([onnx.whole()]) },
    ...(data ? [{ name: 'onnx/model.onnx_data', blob: new Blob([table]) }] : []),
  ]
}
