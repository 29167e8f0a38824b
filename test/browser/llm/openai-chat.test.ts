// The OpenAI-chat adapter and the scripted model in a real browser, whose streams, aborts and failures are its own.
import { expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { openaiChat } from '../../../src/worker/llm/adapters/openai-chat.ts'
import caseA07 from '../../cases/wire/P-a07.sse?raw'
import { httpAdapterSuite } from '../../contract/http-adapter.ts'
import { gate } from '../../kit/gate.ts'
import { reasoning, text } from '../../kit/replies.ts'
import { scriptedModel } from '../../kit/scripted-model.ts'

const ask = (signal?: AbortSignal): LlmRequest => ({
  provider: 'p',
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi \ud83d' }] }],
  ...(signal === undefined ? {} : { signal }),
})
const collect = async (adapter: LlmAdapter, signal?: AbortSignal, into: Chunk[] = []): Promise<Chunk[]> => {
  for await (const chunk of adapter.stream(ask(signal))) into.push(chunk)
  return into
}
const textOf = (chunks: readonly Chunk[]) => chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.text : '')).join('')
const event = (content: string) => new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)

const streaming = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void) => {
  const cancelled = gate()
  const body = new ReadableStream<Uint8Array>({ start, cancel: () => cancelled.open() })
  return { cancelled: cancelled.opened, adapter: openaiChat({ baseUrl: 'https://v.example/v1', fetch: async () => new Response(body) }) }
}

test('W2 a case with CRLF, comments and cut characters is read byte by byte', async () => {
  const { adapter } = streaming((controller) => {
    for (const byte of new TextEncoder().encode(caseA07)) controller.enqueue(Uint8Array.of(byte))
    controller.close()
  })
  const chunks = await collect(adapter)
  expect(textOf(chunks)).toBe('Grüße 👋 – 你好')
  expect(chunks.at(-1)).toEqual({ type: 'finish', reason: { kind: 'stop' }, rawReason: 'stop' })
})

test('L20 an abort in the middle of a stream ends it at once and gives the connection up', async () => {
  const { adapter, cancelled } = streaming((controller) => controller.enqueue(event('par')))
  const controller = new AbortController()
  const stream = adapter.stream(ask(controller.signal))[Symbol.asyncIterator]()
  await stream.next()
  expect((await stream.next()).value).toEqual({ type: 'text-delta', index: 0, text: 'par' })
  const next = stream.next()
  controller.abort(new Error('stopped by hand'))
  await expect(next).rejects.toThrow('stopped by hand')
  await cancelled
})

test('W4 a connection that breaks in the middle is a transport failure, what had come is kept', async () => {
  let fail = () => {}
  const { adapter } = streaming((controller) => {
    controller.enqueue(event('kept'))
    fail = () => controller.error(new TypeError('network error'))
  })
  const seen: Chunk[] = []
  const read = (async () => {
    for await (const chunk of adapter.stream(ask())) {
      seen.push(chunk)
      if (chunk.type === 'text-delta') fail()
    }
  })()
  await expect(read).rejects.toMatchObject({ failure: { class: 'transport', code: 'connection-lost', transient: true } })
  expect(textOf(seen)).toBe('kept')
})

test('W10 the browser’s own opaque failure for an address where nothing listens is explained', async () => {
  const adapter = openaiChat({ baseUrl: 'http://127.0.0.1:9/v1', key: 'KEY-TEST', surroundings: () => ({ origin: location.origin }) })
  await expect(collect(adapter)).rejects.toMatchObject({
    failure: { class: 'transport', code: 'local-unreachable' },
    message: expect.stringContaining(`OLLAMA_ORIGINS=${location.origin}`),
  })
})

test('K1 the scripted model plays in the browser', async () => {
  const here = gate()
  const model = scriptedModel([text('ok', { chunks: ['o', here, 'k'] })])
  const all = collect(model)
  await here.reached
  here.open()
  expect(textOf(await all)).toBe('ok')
})

httpAdapterSuite({
  vendor: 'openai-chat',
  adapter: (origin) => openaiChat({ baseUrl: `${origin}/v1`, key: 'KEY-TEST' }),
  model: 'm',
  reasoning: reasoning('First, read. '),
  replayed: (body) => (body as { messages: readonly { reasoning_content?: unknown }[] }).messages[1]?.reasoning_content,
  replay: 'First, read. ',
})
