// The adapters for Gemini and Ollama: addresses, headers, what a request carries, lists of models, refusals. Streams are in the browser's tests.
import { describe, expect, test } from 'vitest'
import { gemini } from '../../../src/worker/llm/adapters/gemini.ts'
import { ollama } from '../../../src/worker/llm/adapters/ollama.ts'
import { ask, collect, failureOf, fetchOf, textOf } from './ask-model.ts'

type Sent = { readonly url: string; readonly headers: Headers; readonly body: Record<string, unknown>; readonly init: RequestInit }
const recording = (answer: () => Response) => {
  const sent: Sent[] = []
  const fetch = fetchOf((url, init) => {
    sent.push({ url, headers: new Headers(init.headers), body: JSON.parse(String(init.body ?? '{}')), init })
    return answer()
  })
  return { sent, fetch }
}
const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })
const GEMINI = () => new Response('data: {"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}\n\n')
const OLLAMA = () => new Response('{"message":{"content":"ok"},"done":true,"done_reason":"stop"}\n')
const result = {
  role: 'user',
  content: [{ type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: 'x' }], isError: false }],
} as const
const called = {
  role: 'assistant',
  content: [{ type: 'tool-call', id: 'c1', name: 'read', arguments: '{}' }],
  provenance: { provider: 'p', model: 'm' },
} as const

describe('the Gemini adapter', () => {
  test.each([
    [
      undefined,
      'gemini-2.5-flash',
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    ],
    ['https://g.example', 'm', 'https://g.example/v1beta/models/m:streamGenerateContent?alt=sse'],
    ['https://g.example/v1/', 'models/m', 'https://g.example/v1/models/m:streamGenerateContent?alt=sse'],
    ['https://g.example/v1beta/models', 'tunedModels/mine', 'https://g.example/v1beta/tunedModels/mine:streamGenerateContent?alt=sse'],
    ['https://g.example/v1beta', 'odd ?name#', 'https://g.example/v1beta/models/odd%20%3Fname%23:streamGenerateContent?alt=sse'],
  ])('W1 for %s and %s it asks the right address, with the key in a header only', async (baseUrl, model, url) => {
    const { sent, fetch } = recording(GEMINI)
    const adapter = gemini({ ...(baseUrl === undefined ? {} : { baseUrl }), key: ' KEY-TEST ', fetch })
    expect(textOf(await collect(adapter, ask({ model })))).toBe('ok')
    expect([sent[0]?.url, sent[0]?.headers.get('x-goog-api-key'), sent[0]?.init.credentials]).toEqual([url, 'KEY-TEST', 'omit'])
    expect([...(sent[0]?.headers.keys() ?? [])].sort()).toEqual(['content-type', 'x-goog-api-key'])
  })

  test('W7 Vertex AI gets no ids of calls', async () => {
    const { sent, fetch } = recording(GEMINI)
    const messages = [...ask().messages, called, result]
    await collect(gemini({ baseUrl: 'https://eu-aiplatform.googleapis.com/v1/publishers/google', fetch }), ask({ messages }))
    await collect(gemini({ fetch }), ask({ messages }))
    expect(sent.map(({ body }) => JSON.stringify(body).includes('"id":"c1"'))).toEqual([false, true])
  })

  test('S14 a key that the server quotes is not passed on, and an effort that a model does not have is refused', async () => {
    const quoting = gemini({
      key: 'AIzaSECRET',
      fetch: async () => json({ error: { code: 400, message: 'API key AIzaSECRET not valid.' } }, 400),
    })
    const failure = await failureOf(quoting)
    expect(String(failure)).not.toContain('AIzaSECRET')
    const info = () => ({ efforts: ['low'] })
    expect(await failureOf(gemini({ info, fetch: async () => GEMINI() }), ask({ effort: 'high' }))).toMatchObject({
      message: expect.stringContaining('It has: low.'),
    })
  })

  test('W13 pictures are read from where they are stored', async () => {
    const { sent, fetch } = recording(GEMINI)
    const messages = [{ role: 'user', content: [{ type: 'image', blob: 'b1', mediaType: 'image/png' }] }] as const
    await collect(gemini({ fetch, readBlob: async () => Uint8Array.of(1, 2, 3) }), ask({ messages }))
    expect(JSON.stringify(sent[0]?.body)).toContain('{"inlineData":{"mimeType":"image/png","data":"AQID"}}')
  })

  test('W12 only models that answer are listed, by the names under which they are asked', async () => {
    const models = [
      { name: 'models/gemini-a', displayName: 'Gemini A', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
    ]
    const { sent, fetch } = recording(() => json({ models }))
    expect(await gemini({ key: 'K', fetch }).models?.('p', AbortSignal.timeout(5000))).toMatchObject([{ id: 'gemini-a', name: 'Gemini A' }])
    expect(sent[0]?.url).toMatch(/\/v1beta\/models\?pageSize=1000$/)
  })
})

describe('the Ollama adapter', () => {
  test.each([
    [undefined, 'http://localhost:11434/api/chat'],
    ['http://box.local:11434/', 'http://box.local:11434/api/chat'],
    ['http://127.0.0.1:11434/api', 'http://127.0.0.1:11434/api/chat'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/api/chat'],
    ['https://ollama.example/api/chat', 'https://ollama.example/api/chat'],
  ])('W1 for %s it asks %s', async (baseUrl, url) => {
    const { sent, fetch } = recording(OLLAMA)
    const adapter = ollama({ ...(baseUrl === undefined ? {} : { baseUrl }), contextTokens: 16_384, keepAlive: -1, fetch })
    expect(textOf(await collect(adapter))).toBe('ok')
    expect(sent[0]?.url).toBe(url)
    expect([...(sent[0]?.headers.keys() ?? [])]).toEqual(['content-type'])
    expect(sent[0]?.body).toMatchObject({ options: { num_ctx: 16_384 }, keep_alive: -1, stream: true })
  })

  test('W10 a browser that is refused is told the setting', async () => {
    const refused = ollama({
      fetch: async () => Promise.reject(new TypeError('Failed to fetch')),
      surroundings: () => ({ origin: 'https://app.example' }),
    })
    expect(await failureOf(refused)).toMatchObject({ message: expect.stringContaining('OLLAMA_ORIGINS=https://app.example') })
  })

  test('W10 a model that is not there is told with what fetches it', async () => {
    const missing = ollama({ fetch: async () => json({ error: "model 'm' not found" }, 404) })
    expect(await failureOf(missing)).toMatchObject({
      failure: { class: 'provider', transient: false, status: 404 },
      message: expect.stringContaining('ollama pull'),
    })
  })
})
