// The head of a GGUF file: what it says of its model, read before anything is loaded. The layout is that of ggml's GGUF, versions 2 and 3.

export type GgufHeader = {
  /** Such as `llama` or `qwen3`. */
  readonly architecture: string
  readonly name?: string
  /** Tokens that the model was trained for. */
  readonly contextLength?: number
  /** A Jinja template, which says what the model can be told. */
  readonly chatTemplate?: string
}

/** The head goes on beyond the bytes that were given. */
export const MORE = 'more'

/** A number of each kind: how many bytes it takes, by its number in the file. 8 is text, 9 a list. */
const WIDTHS: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const TEXT = 8
const LIST = 9
/** Far above what any model has. */
const MOST_ENTRIES = 100_000
const LONGEST_KEPT = 1_000_000

class Short extends Error {}

const reader = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const take = (count: number): number => {
    if (count > bytes.byteLength - at) throw new Short()
    at += count
    return at - count
  }
  const count = (): number => {
    const value = Number(view.getBigUint64(take(8), true))
    if (value > Number.MAX_SAFE_INTEGER) throw damaged()
    return value
  }
  return {
    u32: () => view.getUint32(take(4), true),
    count,
    skip: (size: number) => void take(size),
    text(): string {
      const length = count()
      const from = take(length)
      return length > LONGEST_KEPT ? '' : new TextDecoder().decode(bytes.subarray(from, from + length))
    },
  }
}

const damaged = (): Error => new Error('it is damaged: its head cannot be read')

const foreign = (bytes: Uint8Array): Error => {
  const start = new TextDecoder().decode(bytes.subarray(0, 24)).trimStart().toLowerCase()
  return new Error(
    start.startsWith('<')
      ? 'it is a web page and no GGUF file: the address may lead to a page about the file'
      : 'it is no GGUF file: those begin with the letters GGUF',
  )
}

/** Errors: words that complete "This file cannot be used: …". */
export const readGgufHeader = (bytes: Uint8Array): GgufHeader | typeof MORE => {
  if (bytes.length < 4) return MORE
  if (bytes[0] !== 0x47 || bytes[1] !== 0x47 || bytes[2] !== 0x55 || bytes[3] !== 0x46) throw foreign(bytes)
  const from = reader(bytes)
  const found = new Map<string, string | number>()

  const value = (key: string, kind: number): void => {
    const width = WIDTHS[kind]
    if (kind === TEXT) found.set(key, from.text())
    else if (kind === LIST) list()
    else if (width === undefined) throw damaged()
    else if (kind === 4) found.set(key, from.u32())
    else if (kind === 10) found.set(key, from.count())
    else from.skip(width)
  }
  const list = (): void => {
    const kind = from.u32()
    const length = from.count()
    const width = WIDTHS[kind]
    if (width !== undefined) from.skip(width * length)
    else if (kind !== TEXT) throw damaged()
    else for (let i = 0; i < length; i++) from.skip(from.count())
  }

  try {
    from.skip(4)
    const version = from.u32()
    if (version < 2 || version > 3) throw new Error(`it is GGUF version ${version}, and versions 2 and 3 can be read`)
    from.count() // tensors
    const entries = from.count()
    if (entries > MOST_ENTRIES) throw damaged()
    for (let i = 0; i < entries; i++) value(from.text(), from.u32())
  } catch (error) {
    if (error instanceof Short) return MORE
    throw error
  }
  return facts(found)
}

const facts = (found: ReadonlyMap<string, string | number>): GgufHeader => {
  const text = (key: string) => [found.get(key)].find((value) => typeof value === 'string')
  const architecture = text('general.architecture')
  if (architecture === undefined) throw damaged()
  const name = text('general.name')
  const contextLength = found.get(`${architecture}.context_length`)
  const chatTemplate = text('tokenizer.chat_template')
  return {
    architecture,
    ...(name === undefined ? {} : { name }),
    ...(typeof contextLength === 'number' && contextLength > 0 ? { contextLength } : {}),
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
  }
}

/** Tokenizers are in the head and are large; no head is larger than this. */
const STEPS = [1 << 20, 1 << 23, 1 << 26]

/** Errors: as `readGgufHeader`. */
export const headerOf = async (file: Blob): Promise<GgufHeader> => {
  for (const size of STEPS) {
    const head = readGgufHeader(new Uint8Array(await file.slice(0, size).arrayBuffer()))
    if (head !== MORE) return head
    if (file.size <= size) break
  }
  throw new Error('it is cut off: its head goes on beyond its end')
}
