// transformers.js itself, in its worker, with a tiny model: loading, answering, tools, stop, what it refuses, its end.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LoadedModel } from '../../../src/worker/capabilities/local-models/engine.ts'
import { transformers } from '../../../src/worker/capabilities/local-models/transformers/transformers.ts'
import { type TinyOnnxModel, tinyOnnx } from '../../kit/tiny-onnx.ts'

const never = new AbortController().signal
const HELLO = ['Hello', ',', ' I', ' am', ' tiny', '.']

const load = (model: TinyOnnxModel, contextWindow = 2048): Promise<LoadedModel> =>
  transformers().load(tinyOnnx(model), { contextWindow }, never)

type Event = {
  readonly choices?: readonly { readonly delta: { readonly content?: string }; readonly finish_reason?: string | null }[]
  readonly error?: { readonly message: string }
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

const ask = async (model: LoadedModel, content: string, more: object = {}, signal = never, onEvent: (event: Event) => void = () => {}) => {
  const events: Event[] = []
  const reading: number[] = []
  const listen = {
    event(json: string) {
      events.push(JSON.parse(json))
      onEvent(JSON.parse(json))
    },
    reading: (part: number) => void reading.push(part),
  }
  await model.answer({ messages: [{ role: 'user', content }], ...more }, listen, signal)
  const choices = events.flatMap((event) => event.choices ?? [])
  return {
    events,
    reading,
    text: choices.map(({ delta }) => delta.content ?? '').join(''),
    finish: choices.at(-1)?.finish_reason,
    usage: events.at(-1)?.usage,
  }
}

describe('W15 transformers.js in the tab', () => {
  let hello: LoadedModel
  beforeAll(async () => {
    hello = await load({ reply: HELLO, contextLength: 1024 })
  })
  afterAll(() => hello.unload())

  test('loads a model from its files and streams an answer, token by token, with its usage', async () => {
    expect(hello.contextWindow).toBe(1024)
    const { text, events, reading, finish, usage } = await ask(hello, 'hi')
    expect(text).toBe('Hello, I am tiny.')
    expect(events.length).toBeGreaterThan(HELLO.length)
    expect(finish).toBe('stop')
    expect(usage).toEqual({ prompt_tokens: 5, completion_tokens: HELLO.length + 1, total_tokens: 5 + HELLO.length + 1 })
    expect(reading.at(-1)).toBe(1)
  })

  test('what the model is told of its tools is in its prompt, and the calls come as text', async () => {
    const call = ['<tool_call>', '\n{"name":', ' "ls",', ' "arguments":', ' {}}\n', '</tool_call>']
    const model = await load({ reply: HELLO, replyWithTools: call })
    const tools = [{ type: 'function', function: { name: 'ls', description: 'Lists files.', parameters: { type: 'object' } } }]
    expect((await ask(model, 'hi', { tools })).text).toBe(call.join(''))
    expect((await ask(model, 'hi')).text).toBe('Hello, I am tiny.')
    model.unload()
  })

  test('a request says how long its answer may be, and at what it ends', async () => {
    const short = await ask(hello, 'hi', { max_tokens: 3 })
    expect(short).toMatchObject({ text: 'Hello, I', finish: 'length', usage: { completion_tokens: 3 } })
    const stopped = await ask(hello, 'hi', { stop: ['I am'], temperature: 0 })
    expect(stopped).toMatchObject({ text: 'Hello, ', finish: 'stop' })
  })

  test('an answer ends where the window does', async () => {
    const model = await load({ reply: [' on', ' and', ' then'], endless: true }, 16)
    const { text, finish, usage } = await ask(model, 'hi')
    expect({ text, finish, usage }).toMatchObject({ text: ' on and then on and then on and then on and', finish: 'length' })
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 11 })
    model.unload()
  })

  test('the text begins with the tag of a thinking that the template has begun', async () => {
    const thinking = "{{ messages[0].content + '<think>\\n' }}"
    const begun = await load({ reply: HELLO, chatTemplate: thinking, templateIn: 'chat_template.jinja' })
    expect((await ask(begun, 'hi', { max_tokens: 1 })).text.startsWith('<think>\n')).toBe(true)
    begun.unload()
  })

  test('a long conversation is read part by part, and only what is new in it', async () => {
    const first = { role: 'user', content: 'long '.repeat(100) }
    const { reading } = await ask(hello, first.content)
    expect(reading).toEqual([0, 128 / 503, 256 / 503, 384 / 503, 1])
    const messages = [first, { role: 'assistant', content: 'Hello, I am tiny.' }, { role: 'user', content: 'And?' }]
    const next = await ask(hello, '', { messages })
    expect(next.text).toBe('Hello, I am tiny.')
    expect(next.reading).toEqual([509 / 517, 1])
    const shorter = await ask(hello, 'Something else')
    expect(shorter).toMatchObject({ text: 'Hello, I am tiny.', reading: [0, 1] })
    const longer = await ask(hello, 'Something else, which is longer')
    expect(longer).toMatchObject({ text: 'Hello, I am tiny.', reading: [0, 1] })
  })

  test('nothing is fetched but the WebAssembly of this site', async () => {
    const addresses: string[] = []
    const told = new BroadcastChannel('told-fetches')
    told.onmessage = ({ data }: MessageEvent<string>) => void addresses.push(data)
    const createWorker = () => new Worker(new URL('./told-transformers.worker.ts', import.meta.url), { type: 'module' })
    const engine = transformers({ createWorker })
    await engine.warm()
    const files = tinyOnnx({ reply: HELLO }).filter(({ name }) => name !== 'generation_config.json')
    const model = await engine.load(files, { contextWindow: 2048 }, never)
    expect((await ask(model, 'hi')).text).toBe('Hello, I am tiny.')
    told.close()
    const paths = addresses.map((address) => address.slice(address.lastIndexOf('/') + 1).replace(/[?].*/, ''))
    expect(paths.sort()).toEqual(['ort-wasm-simd-threaded.asyncify.mjs', 'ort-wasm-simd-threaded.asyncify.wasm'])
    expect(addresses.every((address) => new URL(address).origin === location.origin)).toBe(true)
    model.unload()
  })

  test('weights beside the model file are found', async () => {
    const model = await load({ reply: HELLO, externalData: true })
    expect((await ask(model, 'hi')).text).toBe('Hello, I am tiny.')
    model.unload()
  })

  test('an abort in the middle of an answer ends it, and the model answers the next one', async () => {
    const model = await load({ reply: [' on', ' and', ' then'], endless: true, contextLength: 1_000_000 }, 1_000_000)
    const stop = new AbortController()
    let heard = 0
    const answer = ask(model, 'go', {}, stop.signal, () => {
      heard++
      if (heard === 3) stop.abort(new Error('enough'))
    })
    await expect(answer).rejects.toThrow('enough')
    expect(heard).toBe(3)
    expect(model.isAlive).toBe(true)
    const again = new AbortController()
    await expect(ask(model, 'go', {}, again.signal, () => again.abort(new Error('again')))).rejects.toThrow('again')
    expect((await ask(model, 'go', { max_tokens: 2 })).text).toBe(' on and')
    model.unload()
  })

  test('a conversation beyond its window is an error of the request, and the model lives', async () => {
    const { events } = await ask(hello, 'long '.repeat(2000))
    expect(events.at(-1)?.error?.message).toContain('exceeds the available context size')
    expect((await ask(hello, 'hi')).text).toBe('Hello, I am tiny.')
  })

  test('what its template refuses is an error of the request, in its words', async () => {
    const model = await load({ reply: HELLO, chatTemplate: "{{ raise_exception('System role not supported') }}" })
    const { events } = await ask(model, 'hi')
    expect(events.at(-1)?.error?.message).toContain('System role not supported')
    expect(model.isAlive).toBe(true)
    model.unload()
  })

  test('a model without one of its files is refused with its name', async () => {
    const files = tinyOnnx({ reply: HELLO }).filter(({ name }) => name !== 'tokenizer.json')
    await expect(transformers().load(files, { contextWindow: 512 }, never)).rejects.toMatchObject({
      code: 'model/failed',
      message: expect.stringContaining('tokenizer.json'),
    })
  })

  test('a model that is cut off is refused, and the same engine runs the next one', async () => {
    const engine = transformers()
    const files = tinyOnnx({ reply: HELLO })
    const cut = files.map((file) => (file.name === 'onnx/model.onnx' ? { ...file, blob: file.blob.slice(0, file.blob.size / 2) } : file))
    await expect(engine.load(cut, { contextWindow: 512 }, never)).rejects.toMatchObject({
      code: 'model/failed',
      message: expect.stringContaining('This model cannot be run here'),
    })
    const model = await engine.load(files, { contextWindow: 512 }, never)
    expect((await ask(model, 'hi')).text).toBe('Hello, I am tiny.')
    model.unload()
  })

  test('a model that fails while it computes is dead, and the same engine runs the next one', async () => {
    const engine = transformers()
    const model = await engine.load(tinyOnnx({ reply: HELLO, failing: true }), { contextWindow: 512 }, never)
    await expect(ask(model, 'hi')).rejects.toMatchObject({ code: 'worker/dead', message: expect.stringContaining('indices element') })
    expect(model.isAlive).toBe(false)
    const next = await engine.load(tinyOnnx({ reply: HELLO }), { contextWindow: 512 }, never)
    expect((await ask(next, 'hi')).text).toBe('Hello, I am tiny.')
    next.unload()
  })

  test('an unloaded model answers no more', async () => {
    const model = await load({ reply: HELLO })
    model.unload()
    expect(model.isAlive).toBe(false)
    await expect(ask(model, 'hi')).rejects.toMatchObject({ code: 'worker/dead' })
  })

  test('a load that is aborted ends', async () => {
    const stop = new AbortController()
    const loading = transformers().load(tinyOnnx({ reply: HELLO }), { contextWindow: 512 }, stop.signal)
    stop.abort(new Error('not now'))
    await expect(loading).rejects.toThrow('not now')
  })

  test('a worker file that is missing is said', async () => {
    const missing = transformers({ createWorker: () => new Worker('/no-such-file.js', { type: 'module' }) })
    await expect(missing.load([], { contextWindow: 512 }, never)).rejects.toMatchObject({ code: 'worker/start' })
  })
})
