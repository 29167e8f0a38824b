// llama.cpp itself, in its worker, with a tiny model: loading, answering, calls of tools, stop, what it refuses, its end.
import { describe, expect, test } from 'vitest'
import type { LoadedModel } from '../../../src/worker/capabilities/local-models/engine.ts'
import { wllama } from '../../../src/worker/capabilities/local-models/wllama/wllama.ts'
import { type TinyModel, tinyGguf } from '../../kit/tiny-gguf.ts'

const never = new AbortController().signal
const HELLO = ['Hello', ',', ' I', ' am', ' tiny', '.']

const load = (model: TinyModel, contextWindow = 2048): Promise<LoadedModel> =>
  wllama().load([{ name: 'tiny.gguf', blob: new Blob([tinyGguf(model)]) }], { contextWindow }, never)

type Event = {
  readonly choices?: readonly { readonly delta: { readonly content?: string | null } }[]
  readonly error?: { readonly message: string }
  readonly usage?: { readonly completion_tokens: number }
}

const ask = async (model: LoadedModel, content: string, signal = never, onEvent: (event: Event) => void = () => {}) => {
  const events: Event[] = []
  const reading: number[] = []
  const listen = {
    event(json: string) {
      events.push(JSON.parse(json))
      onEvent(JSON.parse(json))
    },
    reading: (part: number) => void reading.push(part),
  }
  await model.answer({ messages: [{ role: 'user', content }], stream_options: { include_usage: true } }, listen, signal)
  return { events, reading, text: events.flatMap(({ choices }) => choices?.map(({ delta }) => delta.content ?? '') ?? []).join('') }
}

describe('W15 llama.cpp in the tab', () => {
  test('loads weights from a file and streams an answer, token by token, with its usage', async () => {
    const model = await load({ reply: HELLO })
    expect(model.contextWindow).toBe(2048)
    const { text, events, reading } = await ask(model, 'hi')
    expect(text).toBe('Hello, I am tiny.')
    expect(events.length).toBeGreaterThan(HELLO.length)
    expect(events.some(({ usage }) => usage?.completion_tokens === HELLO.length + 1)).toBe(true)
    expect(reading.at(-1)).toBe(1)
    model.unload()
  })

  test('an abort in the middle of an answer ends it, and the model answers the next one', async () => {
    const model = await load({ reply: [' on', ' and', ' then'], endless: true })
    const stop = new AbortController()
    const answer = ask(model, 'go', stop.signal, () => stop.abort(new Error('enough')))
    await expect(answer).rejects.toThrow('enough')
    expect(model.isAlive).toBe(true)
    const again = new AbortController()
    await expect(ask(model, 'go', again.signal, () => again.abort(new Error('again')))).rejects.toThrow('again')
    model.unload()
  })

  test('W15 one that does not hear that it is to stop is unloaded, and its worker stays for the next model, also without a network', async () => {
    let workers = 0
    const createWorker = () => {
      workers += 1
      return new Worker(new URL('../../../src/worker/capabilities/local-models/wllama/wllama.worker.ts', import.meta.url), {
        type: 'module',
      })
    }
    const engine = wllama({ createWorker })
    const loop =
      "{% for m in messages %}{% if m.content == 'hang' %}{% for a in range(9000) %}{% for b in range(9000) %}{% endfor %}{% endfor %}{% endif %}{% endfor %}<|assistant|>"
    const files = (chatTemplate?: string) => [
      { name: 'a.gguf', blob: new Blob([tinyGguf({ reply: HELLO, ...(chatTemplate === undefined ? {} : { chatTemplate }) })]) },
    ]
    const stubborn = await engine.load(files(loop), { contextWindow: 512 }, never)
    const stop = new AbortController()
    const answer = ask(stubborn, 'hang', stop.signal)
    answer.catch(() => {})
    stop.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
    const next = await engine.load(files(), { contextWindow: 512 }, never)
    expect((await ask(next, 'hi')).text).toBe('Hello, I am tiny.')
    expect(workers).toBe(1)
    next.unload()
  })

  test('a conversation beyond its window is an error of the request, and the model lives', async () => {
    const model = await load({ reply: HELLO }, 512)
    const { events } = await ask(model, 'long '.repeat(2000))
    expect(events.at(-1)?.error?.message).toContain('exceeds the available context size')
    expect((await ask(model, 'hi')).text).toBe('Hello, I am tiny.')
    model.unload()
  })

  test('what is no model is refused with words', async () => {
    const file = new Blob(['<!doctype html><p>Not found</p>'])
    await expect(wllama().load([{ name: 'a.gguf', blob: file }], { contextWindow: 512 }, never)).rejects.toMatchObject({
      code: 'model/failed',
      message: expect.stringContaining('This model cannot be run here'),
    })
  })

  test('a model that is cut off is refused', async () => {
    const whole = tinyGguf({ reply: HELLO })
    const file = new Blob([whole.slice(0, whole.length / 2)])
    await expect(wllama().load([{ name: 'a.gguf', blob: file }], { contextWindow: 512 }, never)).rejects.toMatchObject({
      code: 'model/failed',
    })
  })

  test('an unloaded model answers no more', async () => {
    const model = await load({ reply: HELLO })
    model.unload()
    expect(model.isAlive).toBe(false)
    await expect(ask(model, 'hi')).rejects.toMatchObject({ code: 'worker/dead' })
  })

  test('a load that is aborted ends its worker', async () => {
    const stop = new AbortController()
    const loading = wllama().load([{ name: 'a.gguf', blob: new Blob([tinyGguf({ reply: HELLO })]) }], { contextWindow: 512 }, stop.signal)
    stop.abort(new Error('not now'))
    await expect(loading).rejects.toThrow('not now')
  })

  test('a worker file that is missing is said', async () => {
    const missing = wllama({ createWorker: () => new Worker('/no-such-file.js', { type: 'module' }) })
    await expect(missing.load([], { contextWindow: 512 }, never)).rejects.toMatchObject({ code: 'worker/start' })
  })
})
