// transformers.js itself, in its worker, with a tiny model: loading, answering, tools, stop, what it refuses, its end.
import { describe, expect, test } from 'vitest'
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
  test('loads a model from its files and streams an answer, token by token, with its usage', async () => {
    const model = await load({ reply: HELLO })
    expect(model.contextWindow).toBe(2048)
    const { text, events, reading, finish, usage } = await ask(model, 'hi')
    expect(text).toBe('Hello, I am tiny.')
    expect(events.length).toBeGreaterThan(HELLO.length)
    expect(finish).toBe('stop')
    expect(usage).toEqual({ prompt_tokens: 5, completion_tokens: HELLO.length + 1, total_tokens: 5 + HELLO.length + 1 })
    expect(reading.at(-1)).toBe(1)
    model.unload()
  })
})
