// The OpenAI-chat adapter over real HTTP against the scripted server.
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { openaiChat } from '../../../src/worker/llm/adapters/openai-chat.ts'
import { gate } from '../../kit/gate.ts'
import { disconnect, hang, text, toolCall, usage } from '../../kit/replies.ts'
import { type Behaviour, type ScriptedServer, startScriptedServer } from '../../kit/scripted-server.ts'
import * as server from '../../kit/server-replies.ts'
import { ask, collect, failureOf, textOf } from './ask-model.ts'

const servers: ScriptedServer[] = []
const start = async (...behaviours: readonly Behaviour[]): Promise<ScriptedServer> => {
  const started = await startScriptedServer(behaviours)
  servers.push(started)
  return started
}
afterEach(async () => {
  for (const started of servers.splice(0)) await started.close()
})

const wireCase = (name: string) => fileURLToPath(new URL(`../../cases/wire/${name}`, import.meta.url))

describe('the adapter over HTTP', () => {
  test('W1 streams a reply, with the vendor’s own headers and nothing else', async () => {
    const { baseUrl, requests } = await start(
      server.streams(text('ok', { chunks: ['o', 'k'] }), toolCall('read', { path: 'a' }, 'c1'), usage(7, 3)),
    )
    const chunks = await collect(openaiChat({ baseUrl: `${baseUrl}/`, key: ' KEY-TEST\n' }))
    expect(chunks.map((chunk) => chunk.type)).toEqual([
      ...['block-start', 'text-delta', 'text-delta', 'block-end', 'block-start', 'tool-call-delta', 'tool-call-delta', 'block-end'],
      ...['usage', 'finish'],
    ])
    expect(chunks.at(-2)).toEqual({ type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } })
    const [request] = requests
    expect(request?.headers.authorization).toBe('Bearer KEY-TEST')
    expect(request?.body).toMatchObject({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] })
    const platform = [
      'host',
      'connection',
      'content-length',
      'accept',
      'accept-language',
      'accept-encoding',
      'user-agent',
      'sec-fetch-mode',
      'pragma',
      'cache-control',
    ]
    expect(
      Object.keys(request?.headers ?? {})
        .filter((name) => !platform.includes(name))
        .sort(),
    ).toEqual(['authorization', 'content-type'])
  })

  test('W1 a local server without a key gets no authorization header; the address may name the endpoint', async () => {
    const { baseUrl, requests } = await start(server.streams(text('ok')), server.streams(text('ok')))
    await collect(openaiChat({ baseUrl: `${baseUrl}/chat/completions` }))
    await collect(openaiChat({ baseUrl, key: async () => undefined }))
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
  })

  test.each(['P-a01', 'P-a05', 'P-a07', 'P-a09'])('W2 %s arrives the same in one piece and byte by byte', async (name) => {
    const file = wireCase(`${name}.sse`)
    const { baseUrl } = await start(server.sendsFile(file), server.sendsFile(file, { cuts: 'every-byte' }))
    const adapter = openaiChat({ baseUrl, newId: () => 'made-up' })
    const whole = await collect(adapter)
    expect(whole.at(-1)?.type).toBe('finish')
    expect(await collect(adapter)).toEqual(whole)
  })

  test('W1 chunks come while the stream is still open', async () => {
    const here = gate()
    const { baseUrl } = await start(server.streams(text('ab', { chunks: ['a', here, 'b'] })))
    const stream = openaiChat({ baseUrl }).stream(ask())[Symbol.asyncIterator]()
    await stream.next()
    expect((await stream.next()).value).toEqual({ type: 'text-delta', index: 0, text: 'a' })
    expect(here.isOpen).toBe(false)
    here.open()
    expect((await stream.next()).value).toEqual({ type: 'text-delta', index: 0, text: 'b' })
  })

  test('W1 a whole completion instead of a stream is read as one', async () => {
    const { baseUrl } = await start(server.answersWhole(text('all of it')))
    const chunks = await collect(openaiChat({ baseUrl }))
    expect([textOf(chunks), chunks.at(-1)]).toEqual(['all of it', { type: 'finish', reason: { kind: 'stop' }, rawReason: 'stop' }])
  })

  test('L20 an abort ends the call at once with the reason, and the server sees it', async () => {
    for (const behaviour of [server.streams(text('par'), hang()), server.after(gate(), server.streams(text('never')))]) {
      const { baseUrl, request } = await start(behaviour)
      const controller = new AbortController()
      const seen: Chunk[] = []
      const call = collect(openaiChat({ baseUrl }), ask({ signal: controller.signal }), seen)
      const recorded = await request(1)
      controller.abort(new Error('stopped by hand'))
      await expect(call).rejects.toThrow('stopped by hand')
      expect(await recorded.closed).toBe('abandoned')
    }
  })

  test('L20 a call that is aborted before it starts asks nobody', async () => {
    const { baseUrl, requests } = await start()
    await expect(collect(openaiChat({ baseUrl }), ask({ signal: AbortSignal.abort(new Error('early')) }))).rejects.toThrow('early')
    expect(requests).toHaveLength(0)
  })

  test('L20 a reader that leaves early ends the connection', async () => {
    const { baseUrl, request } = await start(server.streams(text('abc', { chunks: ['a', 'b', 'c'] }), hang()))
    for await (const chunk of openaiChat({ baseUrl }).stream(ask())) if (chunk.type === 'text-delta') break
    expect(await (await request(1)).closed).toBe('abandoned')
  })

  test.each<[string, Behaviour, object]>([
    ['a wrong key', server.wrongKey(), { class: 'auth', transient: false, status: 401 }],
    ['a limit', server.rateLimited(7), { class: 'rate_limit', transient: true, retryAfterMs: 7000 }],
    ['a used-up quota', server.outOfQuota(), { class: 'quota', transient: false }],
    ['an overloaded server', server.overloaded(), { class: 'overloaded', transient: true }],
    ['a fault of the server', server.serverError(502), { class: 'provider', transient: true, status: 502 }],
    ['an overflow', server.overflow(), { class: 'context_overflow', transient: false }],
    ['a history that was refused', server.badHistory(), { class: 'invalid_history', transient: false }],
    ['a page with a status', server.answersHtml(404), { class: 'provider', transient: false, status: 404 }],
    ['a connection dropped at once', server.dropsAtOnce(), { class: 'transport' }],
    [
      'a connection dropped in the middle',
      server.streams(text('par'), disconnect()),
      { class: 'transport', code: 'connection-lost', transient: true },
    ],
  ])('W10 %s is thrown as a failure with its facts', async (_, behaviour, facts) => {
    const { baseUrl } = await start(behaviour)
    const error = await failureOf(openaiChat({ baseUrl, key: 'KEY-TEST' }))
    expect(error).toMatchObject({ name: 'SideloopError', code: 'model/failed', failure: facts })
    expect(String(error)).not.toContain('KEY-TEST')
  })

  test('W4 what had come before a lost connection is kept', async () => {
    const { baseUrl } = await start(server.streams(text('kept'), disconnect()))
    const seen: Chunk[] = []
    await expect(collect(openaiChat({ baseUrl }), ask(), seen)).rejects.toMatchObject({ failure: { class: 'transport' } })
    expect(textOf(seen)).toBe('kept')
  })

  test.each<[string, Behaviour, object]>([
    ['a page instead of a stream', server.answersHtml(), { class: 'protocol' }],
    ['garbage', server.sendsGarbage(), { class: 'protocol' }],
    [
      'a stream that stops',
      server.sendsBytes('data: {"choices":[{"delta":{"content":"a"}}]}\n\n'),
      { class: 'transport', code: 'stream-stopped' },
    ],
    ['nothing', server.sendsBytes(''), { class: 'transport' }],
  ])('W4 %s is a finish of kind error', async (_, behaviour, facts) => {
    const { baseUrl } = await start(behaviour)
    expect((await collect(openaiChat({ baseUrl }))).at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'error', failure: facts } })
  })

  test('W10 nothing that listens is told as such', async () => {
    const { baseUrl, close } = await startScriptedServer()
    await close()
    expect(await failureOf(openaiChat({ baseUrl }))).toMatchObject({
      failure: { class: 'transport', code: 'ECONNREFUSED', transient: false },
    })
  })

  test('W10 a redirect is not followed: the conversation goes to the chosen host only', async () => {
    const { baseUrl, requests } = await start((exchange) => {
      exchange.head(307, { location: `${baseUrl}/elsewhere/chat/completions` })
      exchange.end()
    })
    expect(await failureOf(openaiChat({ baseUrl }))).toMatchObject({ failure: { class: 'transport' } })
    expect(requests).toHaveLength(1)
  })
})

describe('the list of models', () => {
  test('W12 the server’s own models are listed, with the key', async () => {
    const { baseUrl, modelRequests } = await start()
    const adapter = openaiChat({ baseUrl, key: 'k' })
    expect(await adapter.models?.('p', new AbortController().signal)).toEqual([{ id: 'scripted-1' }])
    expect(modelRequests[0]?.headers.authorization).toBe('Bearer k')
  })

  test('W12 other forms of the list are read, something else is an error that says what to do', async () => {
    const started = await start()
    const list = () => openaiChat({ baseUrl: started.baseUrl }).models?.('p', new AbortController().signal)
    started.answerModels(server.failsWith(200, { models: [{ name: 'a' }, 'b', { id: 'c', name: 'C' }, 7, {}] }))
    expect(await list()).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c', name: 'C' }])
    started.answerModels(server.answersHtml())
    await expect(list()).rejects.toMatchObject({ failure: { class: 'protocol' } })
    started.answerModels(server.wrongKey())
    await expect(list()).rejects.toMatchObject({ failure: { class: 'auth' } })
    const controller = new AbortController()
    const here = gate()
    started.answerModels(server.after(here, server.failsWith(200, [])))
    const waiting = openaiChat({ baseUrl: started.baseUrl }).models?.('p', controller.signal)
    await here.reached
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})
