// The adapters for Anthropic and Responses over real HTTP: addresses, headers, lists of models, what is refused before it is sent, failures.
import { afterEach, describe, expect, test } from 'vitest'
import type { LlmAdapter } from '../../../src/worker/hooks/llm.ts'
import { anthropic } from '../../../src/worker/llm/adapters/anthropic.ts'
import { openaiResponses } from '../../../src/worker/llm/adapters/openai-responses.ts'
import { anthropicStream } from '../../kit/anthropic-stream.ts'
import { disconnect, type Part, text, toolCall, usage } from '../../kit/replies.ts'
import { responsesStream } from '../../kit/responses-stream.ts'
import { type Behaviour, type ScriptedServer, startScriptedServer } from '../../kit/scripted-server.ts'
import * as server from '../../kit/server-replies.ts'
import { ask, collect, failureOf, fetchOf, textOf } from './ask-model.ts'

const servers: ScriptedServer[] = []
const start = async (...behaviours: readonly Behaviour[]): Promise<ScriptedServer> => {
  const started = await startScriptedServer(behaviours)
  servers.push(started)
  return started
}
afterEach(async () => {
  for (const started of servers.splice(0)) await started.close()
})

const PLATFORM = ['host', 'connection', 'content-length', 'accept', 'accept-language', 'accept-encoding', 'user-agent', 'sec-fetch-mode']
const ownHeaders = (headers: Readonly<Record<string, string>> | undefined) =>
  Object.keys(headers ?? {})
    .filter((name) => ![...PLATFORM, 'pragma', 'cache-control'].includes(name))
    .sort()

type Make = (options: { readonly baseUrl: string; readonly key?: string }) => LlmAdapter
const VENDORS: readonly [string, { make: Make; write: server.WriteStream; path: string; headers: readonly string[] }][] = [
  [
    'Anthropic',
    {
      make: anthropic,
      write: anthropicStream,
      path: '/v1/messages',
      headers: ['anthropic-dangerous-direct-browser-access', 'anthropic-version', 'content-type', 'x-api-key'],
    },
  ],
  ['Responses', { make: openaiResponses, write: responsesStream, path: '/v1/responses', headers: ['authorization', 'content-type'] }],
]

describe.each(VENDORS)('the adapter for %s over HTTP', (_, { make, write, path, headers }) => {
  const streams = (...parts: readonly Part[]) => server.streamsAs(write, ...parts)

  test('W1 streams a reply, with the vendor’s own headers and nothing else', async () => {
    const { baseUrl, requests } = await start(
      streams(text('ok', { chunks: ['o', 'k'] }), toolCall('read', { path: 'a' }, 'c1'), usage(7, 3, { cacheReadTokens: 2 })),
    )
    const chunks = await collect(make({ baseUrl: `${baseUrl}/`, key: ' KEY-TEST\n' }))
    expect(textOf(chunks)).toBe('ok')
    expect(chunks.slice(-2)).toMatchObject([
      { usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2 } },
      { reason: { kind: 'tool-calls' } },
    ])
    expect([requests[0]?.path, ownHeaders(requests[0]?.headers)]).toEqual([path, headers])
    expect(JSON.stringify(requests[0]?.headers)).toContain('KEY-TEST')
  })

  test('W1 the address may name the endpoint; a server without a key gets no header for it', async () => {
    const { baseUrl, requests } = await start(streams(text('ok')))
    await collect(make({ baseUrl: baseUrl.replace('/v1', path) }))
    expect(requests[0]?.path).toBe(path)
    expect(ownHeaders(requests[0]?.headers)).toEqual(headers.filter((name) => name !== 'x-api-key' && name !== 'authorization'))
  })

  test('W4 a connection that breaks is a transport failure, a wrong key one of auth; neither tells the key', async () => {
    const { baseUrl } = await start(
      streams(text('par'), disconnect()),
      server.failsWith(401, { error: { message: 'invalid x-api-key KEY-TEST' } }),
    )
    const adapter = make({ baseUrl, key: 'KEY-TEST' })
    expect(await failureOf(adapter)).toMatchObject({ failure: { class: 'transport', code: 'connection-lost' } })
    const refused = await failureOf(adapter)
    expect(refused).toMatchObject({ failure: { class: 'auth', transient: false } })
    expect(String(refused)).not.toContain('KEY-TEST')
  })

  test('W12 the list of models is the server’s, with the vendor’s headers', async () => {
    const started = await start()
    started.answerModels(server.failsWith(200, { data: [{ id: 'a', display_name: 'Model A' }, { id: 'b' }] }))
    const models = await make({ baseUrl: started.baseUrl, key: 'k' }).models?.('p', new AbortController().signal)
    expect(models).toEqual([{ id: 'a', name: 'Model A' }, { id: 'b' }])
    expect([started.modelRequests[0]?.path, ownHeaders(started.modelRequests[0]?.headers)]).toEqual([
      '/v1/models',
      headers.filter((name) => name !== 'content-type'),
    ])
  })
})

describe('what is refused before it is sent', () => {
  const asked: string[] = []
  const fetch = fetchOf((url) => {
    asked.push(url)
    return new Response('')
  })

  test('W13 an effort that cannot be mapped is refused, with the levels there are', async () => {
    for (const [model, effort, words] of [
      ['claude-sonnet-4-5', 'extreme', 'It has: none, low, medium, high.'],
      ['claude-opus-4-1', 'extreme', 'It has: none, minimal, low, medium, high, xhigh, max.'],
      ['claude-3-5-haiku-latest', 'low', 'It has none: leave it out.'],
      ['claude-opus-4-6', 'xhigh', 'It has: low, medium, high, max.'],
    ] as const) {
      expect(await failureOf(anthropic({ fetch }), ask({ model, effort }))).toMatchObject({ message: expect.stringContaining(words) })
    }
    expect(await failureOf(openaiResponses({ fetch }), ask({ model: 'gpt-5', effort: 'extreme' }))).toMatchObject({
      message: expect.stringContaining('minimal'),
    })
    expect(asked).toEqual([])
  })

  test('W13 stop sequences, which Responses does not have, are refused', async () => {
    const error = await failureOf(openaiResponses({ fetch }), ask({ stop: ['x'] }))
    expect(error).toMatchObject({ failure: { class: 'provider', transient: false }, message: expect.stringContaining('no stop sequences') })
    expect(asked).toEqual([])
  })

  test('W1 without a base URL the vendor’s own address is asked', async () => {
    await collect(anthropic({ fetch }))
    await collect(openaiResponses({ fetch }))
    expect(asked).toEqual(['https://api.anthropic.com/v1/messages', 'https://api.openai.com/v1/responses'])
  })
})

test('W12 Claude is known by its dated name and through a gateway; its prices have their date', () => {
  const { info } = anthropic()
  expect(info?.('p', 'claude-sonnet-4-5-20250929')).toMatchObject({ contextWindow: 200_000, prices: { input: 3, cacheWrite: 3.75 } })
  expect(info?.('p', 'anthropic/claude-opus-4.6')).toMatchObject({ contextWindow: 1_000_000 })
  expect(info?.('p', 'anthropic/claude-opus-4.6')).not.toHaveProperty('prices')
})
