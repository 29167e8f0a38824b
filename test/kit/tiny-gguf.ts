// Makes a tiny real GGUF whose weights are a table of "what comes after what", so that the real llama.cpp runs and says what a test wants.
// The layout is that of ggml's GGUF, version 3; the model is a llama of one layer that does nothing, between one-hot embeddings and the table.

export type TinyModel = {
  /** What it answers, token by token; a leading blank is part of a token. Every token once, none of a single byte. */
  readonly reply: readonly string[]
  /** Begins again after the last token instead of ending. */
  readonly endless?: boolean
  /** Tokens. Default 4,096. */
  readonly contextLength?: number
  /** Jinja. The default tells tools, roles and texts between tags of its own. */
  readonly chatTemplate?: string
  readonly name?: string
}

const WIDTH = 512
const HEAD = 8
const FEED = 32
const TAGS = ['<|user|>', '<|assistant|>', '<|tool|>', '<|end|>']
export const TINY_TEMPLATE =
  "{% if tools %}<|tool|>{{ tools | tojson }}<|end|>{% endif %}{% for m in messages %}{% if m.role == 'assistant' %}<|assistant|>{% else %}<|user|>{% endif %}{{ m.content or '' }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"

type Token = { readonly text: string; readonly kind: number }
const NORMAL = 1
const UNKNOWN = 2
const CONTROL = 3
const BYTE = 6

/** Spaces are written so in such vocabularies. */
const spaced = (text: string): string => text.replaceAll(' ', '▁')

const vocabulary = (reply: readonly string[]): readonly Token[] => {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)
  const signs = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))
  return [
    { text: '<unk>', kind: UNKNOWN },
    ...['<s>', '</s>'].map((text) => ({ text, kind: CONTROL })),
    ...bytes.map((text) => ({ text, kind: BYTE })),
    ...TAGS.map((text) => ({ text, kind: CONTROL })),
    ...[...new Set([...signs, '▁', ...reply.map(spaced)])].map((text) => ({ text, kind: NORMAL })),
  ]
}

class Bytes {
  readonly #parts: Uint8Array[] = []
  size = 0
  add(part: Uint8Array): this {
    this.#parts.push(part)
    this.size += part.length
    return this
  }
  u32(value: number): this {
    return this.add(new Uint8Array(Uint32Array.of(value).buffer))
  }
  u64(value: number): this {
    return this.add(new Uint8Array(BigUint64Array.of(BigInt(value)).buffer))
  }
  f32(values: Float32Array): this {
    return this.add(new Uint8Array(values.buffer))
  }
  text(value: string): this {
    const bytes = new TextEncoder().encode(value)
    return this.u64(bytes.length).add(bytes)
  }
  /** Everything in the file begins at a multiple of 32. */
  align(): this {
    return this.add(new Uint8Array((32 - (this.size % 32)) % 32))
  }
  whole(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.size)
    let at = 0
    for (const part of this.#parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  }
}

type Entry = readonly [key: string, write: (to: Bytes) => void]
const u32 = (value: number) => (to: Bytes) => void to.u32(4).u32(value)
const f32 = (value: number) => (to: Bytes) => void to.u32(6).f32(Float32Array.of(value))
const flag = (value: boolean) => (to: Bytes) => void to.u32(7).add(Uint8Array.of(value ? 1 : 0))
const text = (value: string) => (to: Bytes) => void to.u32(8).text(value)
const list =
  <T>(kind: number, values: readonly T[], write: (to: Bytes, value: T) => void) =>
  (to: Bytes) => {
    to.u32(9).u32(kind).u64(values.length)
    for (const value of values) write(to, value)
  }

type Tensor = { readonly name: string; readonly dimensions: readonly number[]; readonly values: Float32Array }

const tensor = (name: string, dimensions: readonly number[], fill?: (values: Float32Array) => void): Tensor => {
  const values = new Float32Array(dimensions.reduce((product, size) => product * size, 1))
  fill?.(values)
  return { name, dimensions, values }
}

/** About 1.8 MB. */
export const tinyGguf = ({
  reply,
  endless = false,
  contextLength = 4096,
  chatTemplate = TINY_TEMPLATE,
  name = 'tiny',
}: TinyModel): Uint8Array<ArrayBuffer> => {
  const tokens = vocabulary(reply)
  const idOf = (token: string) => tokens.findIndex((candidate) => candidate.text === token)
  const chain = [
    idOf('<|assistant|>'),
    ...reply.map((token) => idOf(spaced(token))),
    endless ? idOf(spaced(reply[0] ?? '')) : idOf('<|end|>'),
  ]
  const count = tokens.length

  const entries: readonly Entry[] = [
    ['general.architecture', text('llama')],
    ['general.name', text(name)],
    ['general.file_type', u32(0)],
    ['llama.context_length', u32(contextLength)],
    ['llama.embedding_length', u32(WIDTH)],
    ['llama.block_count', u32(1)],
    ['llama.feed_forward_length', u32(FEED)],
    ['llama.attention.head_count', u32(1)],
    ['llama.attention.head_count_kv', u32(1)],
    ['llama.attention.key_length', u32(HEAD)],
    ['llama.attention.value_length', u32(HEAD)],
    ['llama.rope.dimension_count', u32(HEAD)],
    ['llama.attention.layer_norm_rms_epsilon', f32(1e-6)],
    ['llama.vocab_size', u32(count)],
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.tokens', list(8, tokens, (to, token) => to.text(token.text))],
    ['tokenizer.ggml.scores', list(6, tokens, (to, token) => to.f32(Float32Array.of(token.kind === NORMAL ? -tokens.indexOf(token) : 0)))],
    ['tokenizer.ggml.token_type', list(5, tokens, (to, token) => to.u32(token.kind))],
    ['tokenizer.ggml.bos_token_id', u32(1)],
    ['tokenizer.ggml.eos_token_id', u32(idOf('<|end|>'))],
    ['tokenizer.ggml.unknown_token_id', u32(0)],
    ['tokenizer.ggml.add_bos_token', flag(true)],
    ['tokenizer.ggml.add_eos_token', flag(false)],
    ['tokenizer.ggml.add_space_prefix', flag(false)],
    ['tokenizer.chat_template', text(chatTemplate)],
  ]
  const tensors = [
    tensor('token_embd.weight', [WIDTH, count], (values) => {
      for (let token = 0; token < count; token++) values[token * WIDTH + token] = 1
    }),
    tensor('output_norm.weight', [WIDTH], (values) => values.fill(1)),
    tensor('output.weight', [WIDTH, count], (values) => {
      for (const [place, token] of chain.entries()) {
        const next = chain[place + 1]
        if (next !== undefined) values[next * WIDTH + token] = 1
      }
    }),
    tensor('blk.0.attn_norm.weight', [WIDTH], (values) => values.fill(1)),
    tensor('blk.0.ffn_norm.weight', [WIDTH], (values) => values.fill(1)),
    ...['q', 'k', 'v'].map((part) => tensor(`blk.0.attn_${part}.weight`, [WIDTH, HEAD])),
    tensor('blk.0.attn_output.weight', [HEAD, WIDTH]),
    tensor('blk.0.ffn_gate.weight', [WIDTH, FEED]),
    tensor('blk.0.ffn_up.weight', [WIDTH, FEED]),
    tensor('blk.0.ffn_down.weight', [FEED, WIDTH]),
  ]

  const file = new Bytes().add(new TextEncoder().encode('GGUF')).u32(3).u64(tensors.length).u64(entries.length)
  for (const [key, write] of entries) {
    file.text(key)
    write(file)
  }
  let offset = 0
  for (const { name: tensorName, dimensions, values } of tensors) {
    file.text(tensorName).u32(dimensions.length)
    for (const size of dimensions) file.u64(size)
    file.u32(0).u64(offset) // 0: 32-bit floats
    offset += Math.ceil(values.byteLength / 32) * 32
  }
  file.align()
  for (const { values } of tensors) file.f32(values).align()
  return file.whole()
}
