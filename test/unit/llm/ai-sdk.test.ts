// The bridge to AI SDK models: a hand-made model of each version of the specification, and one of the SDK's own over the scripted server.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, type LanguageModelV2, type LanguageModelV3, type LanguageModelV4 } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { ContentBlock, Json, Message } from '../../../src/storage/log/content.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { AiSdkModel, SpecificationVersion } from '../../../src/worker/llm/adapters/ai-sdk/language-model.ts'
import { writeCallOptions } from '../../../src/worker/llm/adapters/ai-sdk/write-prompt.ts'
import { type AiSdkOptions, aiSdk } from '../../../src/worker/llm/adapters/ai-sdk.ts'
import { gate } from '../../kit/gate.ts'
import { reasoning, text, toolCall, usage } from '../../kit/replies.ts'
import { startScriptedServer } from '../../kit/scripted-server.ts'
import { failsWith, streams } from '../../kit/server-replies.ts'
import { anyInfo, anyMessages, anyPicture } from './any-messages.ts'
import { ask, collect, failureOf, textOf } from './ask-model.ts'
import { blocks, finishOf, reasoningOf, usageOf } from './chat-events.ts'

type Part = { readonly type: string; readonly [key: string]: unknown }
const VERSIONS: readonly SpecificationVersion[] = ['v2', 'v3', 'v4']

/** `parts`: an error among them breaks the stream there. */
const model = (
  specificationVersion: SpecificationVersion,
  parts: readonly (Part | Error)[],
  asked: Record<string, unknown>[] = [],
): AiSdkModel => ({
  specificationVersion,
  provider: 'hand-made',
  modelId: 'm',
  async doStream(options: Record<string, unknown>) {
    asked.push(options)
    const left = [...parts]
    const stream = new ReadableStream<unknown>({
      pull(controller) {
        const next = left.shift()
        if (next === undefined) controller.close()
        else if (next instanceof Error) controller.error(next)
        else controller.enqueue(next)
      },
    })
    return { stream }
  },
})
const read = (version: SpecificationVersion, parts: readonly (Part | Error)[], options: Partial<AiSdkOptions> = {}): Promise<Chunk[]> =>
  collect(aiSdk({ model: model(version, parts), ...options }))

const said = (id: string, ...deltas: readonly string[]): Part[] => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
]
const called = (toolCallId: string, input: string, more: object = {}): Part => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'read',
  input,
  ...more,
})
const USED = {
  v2: { inputTokens: 30, outputTokens: 9, totalTokens: 39, reasoningTokens: 4, cachedInputTokens: 20 },
  v3: { inputTokens: { total: 30, noCache: 10, cacheRead: 20 }, outputTokens: { total: 9, text: 5, reasoning: 4 } },
}
const done = (version: SpecificationVersion, reason = 'stop', raw = 'raw-word'): Part => ({
  type: 'finish',
  finishReason: version === 'v2' ? reason : { unified: reason, raw },
  usage: version === 'v2' ? USED.v2 : USED.v3,
})

describe('what is taken', () => {
  test('W1 a model object of each version is one, for the compiler too', () => {
    expectTypeOf<LanguageModelV2>().toExtend<AiSdkModel>()
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkModel>()
    expectTypeOf<LanguageModelV4>().toExtend<AiSdkModel>()
  })

  test('W10 another version, and an effort that cannot be said, are refused before anything is asked', async () => {
    const asked: Record<string, unknown>[] = []
    const odd = { ...model('v2', [], asked), specificationVersion: 'v9' as 'v2' }
    expect(await failureOf(aiSdk({ model: odd }))).toMatchObject({ message: expect.stringContaining('specification v9') })
    expect(await failureOf(aiSdk({ model: model('v3', [], asked) }), ask({ effort: 'low' }))).toMatchObject({
      message: expect.stringContaining('providerOptions'),
    })
    expect(asked).toEqual([])
    await collect(aiSdk({ model: model('v4', [done('v4')], asked) }), ask({ effort: 'low' }))
    const providerOptions = ({ effort }: { readonly effort?: string }) => ({ openai: { reasoningEffort: effort } })
    await collect(aiSdk({ model: model('v2', [done('v2')], asked), providerOptions }), ask({ effort: 'low' }))
    expect(asked).toMatchObject([{ reasoning: 'low' }, { providerOptions: { openai: { reasoningEffort: 'low' } } }])
  })

  test('W1 the model may be found by its name', async () => {
    const named = (name: string) => model('v4', [...said('1', name), done('v4')])
    expect(textOf(await collect(aiSdk({ model: named }), ask({ model: 'other' })))).toBe('other')
  })
})

describe.each(VERSIONS)('stream parts of version %s', (version) => {
  test('W4 words, thoughts, calls, counts and reason become chunks', async () => {
    const chunks = await read(version, [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r', modelId: 'm' },
      { type: 'reasoning-start', id: 'r1' },
      { type: 'reasoning-delta', id: 'r1', delta: 'Let me ' },
      { type: 'reasoning-delta', id: 'r1', delta: 'see.' },
      { type: 'reasoning-end', id: 'r1', providerMetadata: { hand: { signature: 'c2ln' } } },
      ...said('1', 'Grüße ', '👋'),
      { type: 'tool-input-start', id: 'c1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"pa' },
      { type: 'tool-input-delta', id: 'c1', delta: 'th":"a"}' },
      { type: 'tool-input-end', id: 'c1' },
      called('c1', '{"path":"a"}'),
      called('c2', '', { providerMetadata: { hand: { signature: 'bmV4dA==' } } }),
      { type: 'source', sourceType: 'url', id: 's', url: 'https://x.example' },
      { type: 'raw', rawValue: {} },
      done(version, 'tool-calls'),
    ])
    expect(blocks(chunks.toSorted((a, b) => ('index' in a && 'index' in b ? a.index - b.index : 0)))).toEqual([
      { type: 'reasoning', text: 'Let me see.', replay: { part: 'own', providerMetadata: { hand: { signature: 'c2ln' } } } },
      { type: 'text', text: 'Grüße 👋' },
      { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'reasoning', text: '', replay: { part: 'next', providerMetadata: { hand: { signature: 'bmV4dA==' } } } },
      { type: 'tool-call', id: 'c2', name: 'read', arguments: '' },
    ])
    expect(chunks.filter((chunk) => chunk.type === 'tool-call-delta' && chunk.id === 'c1').length).toBeGreaterThan(1)
    expect(usageOf(chunks)).toEqual({ inputTokens: 10, outputTokens: 9, cacheReadTokens: 20, reasoningTokens: 4 })
    expect(finishOf(chunks)).toEqual({
      type: 'finish',
      reason: { kind: 'tool-calls' },
      rawReason: version === 'v2' ? 'tool-calls' : 'raw-word',
    })
  })

  test('W4 complete calls decide, a call that the limit cut never runs, two texts stay two', async () => {
    expect(finishOf(await read(version, [called('c1', '{}'), done(version, 'stop')]))?.reason.kind).toBe('tool-calls')
    expect(finishOf(await read(version, [called('c1', '{}'), done(version, 'other')]))?.reason.kind).toBe('tool-calls')
    const cut = await read(version, [
      ...said('1', 'a'),
      ...said('2', 'b'),
      { type: 'tool-input-start', id: 'c1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"path":"/imp' },
      done(version, 'length'),
    ])
    expect(blocks(cut)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
    expect(finishOf(cut)?.reason.kind).toBe('max-tokens')
  })

  test('W4 what a tool of the provider did is none of our calls; a call that is told twice runs once', async () => {
    const chunks = await read(version, [
      called('p1', '{}', { providerExecuted: true }),
      { type: 'tool-input-start', id: 'p1', toolName: 'web', providerExecuted: true },
      called('c1', '{}'),
      called('c1', '{}'),
      done(version),
    ])
    expect(blocks(chunks)).toMatchObject([{ id: 'c1' }])
  })

  test('W4 an error part and a stream that just stops are failures; what had come is kept', async () => {
    const body = JSON.stringify({ error: { message: 'Overloaded', type: 'overloaded_error' } })
    const error = new APICallError({ message: 'x', url: 'u', requestBodyValues: {}, statusCode: 529, responseBody: body })
    const failed = await read(version, [...said('1', 'kept'), { type: 'error', error }])
    expect([textOf(failed), finishOf(failed)?.reason]).toMatchObject([
      'kept',
      { failure: { class: 'overloaded', status: 529, transient: true } },
    ])
    const stopped = await read(version, said('1', 'kept'))
    expect(finishOf(stopped)?.reason).toMatchObject({ failure: { class: 'transport', code: 'stream-stopped' } })
    await expect(read(version, [...said('1', 'kept'), new TypeError('network error')])).rejects.toMatchObject({
      failure: { transient: true },
    })
  })
})

test('W10 a refused call is told by status, body and headers', async () => {
  const refusing = (error: unknown) => aiSdk({ model: { ...model('v4', []), doStream: () => Promise.reject(error) } })
  const limited = new APICallError({
    message: 'x',
    url: 'u',
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { 'retry-after': '7' },
    responseBody: '{"error":{"message":"slow down"}}',
  })
  const failure = { class: 'rate_limit', transient: true, retryAfterMs: 7000, status: 429 }
  expect(await failureOf(refusing(limited))).toMatchObject({ failure })
  expect(await failureOf(refusing(Object.assign(new Error('Failed after 3 attempts.'), { lastError: limited })))).toMatchObject({ failure })
  const offline = new APICallError({ message: 'Cannot connect to API', url: 'u', requestBodyValues: {}, isRetryable: true })
  expect(await failureOf(refusing(offline))).toMatchObject({ failure: { class: 'transport', transient: true } })
  expect(await failureOf(refusing('odd'))).toMatchObject({ failure: { class: 'provider' } })
})

test('L20 an abort ends a call that does not listen to it', async () => {
  const here = gate()
  const cancelled = gate()
  const controller = new AbortController()
  const deaf: AiSdkModel = {
    ...model('v4', []),
    doStream: async () => ({
      stream: new ReadableStream<unknown>({
        start: (stream) => {
          for (const part of said('1', 'par')) stream.enqueue(part)
          here.arrive()
        },
        cancel: () => cancelled.open(),
      }),
    }),
  }
  const call = collect(aiSdk({ model: deaf }), ask({ signal: controller.signal }))
  await here.reached
  controller.abort(new Error('stopped by hand'))
  await expect(call).rejects.toThrow('stopped by hand')
  await cancelled.opened
})

describe('W7 the prompt', () => {
  const write = (messages: readonly Message[], version: SpecificationVersion = 'v4', more: Parameters<typeof ask>[0] = {}) =>
    writeCallOptions(ask({ messages, ...more }), {}, anyPicture, version)
  const image: ContentBlock = { type: 'image', blob: 'b1', mediaType: 'image/png' }
  const own = { provider: 'p', model: 'm' }
  const history = (provenance = own): readonly Message[] => [
    { role: 'user', content: [{ type: 'text', text: 'go' }, image] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', replay: { part: 'own', providerMetadata: { hand: { s: 1 } } } },
        { type: 'text', text: 'Reading.' },
        { type: 'reasoning', text: '', replay: { part: 'next', providerMetadata: { hand: { s: 2 } } } },
        { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a"}' },
        { type: 'tool-call', id: 'c2', name: 'read', arguments: 'no json' },
      ],
      provenance,
    },
    {
      role: 'user',
      content: [{ type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: 'alpha' }, image], isError: false }],
    },
    { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
  ]

  test('W5 what the provider said of a part goes back with it, in the place where it was', () => {
    expect(write(history(), 'v4', { system: 'Be brief.', maxTokens: 9, stop: ['x'], temperature: 0 })).toEqual({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'go' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'eA==' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm', providerOptions: { hand: { s: 1 } } },
            { type: 'text', text: 'Reading.' },
            { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' }, providerOptions: { hand: { s: 2 } } },
            { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: { unreadable_arguments: 'no json' } },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              toolName: 'read',
              output: { type: 'text', value: 'alpha\n(A picture of this result follows in the next user message.)' },
            },
            {
              type: 'tool-result',
              toolCallId: 'c2',
              toolName: 'read',
              output: { type: 'error-text', value: expect.stringContaining('interrupted') },
            },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Picture from the result of call c1 (read):' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'eA==' } },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
      temperature: 0,
      maxOutputTokens: 9,
      stopSequences: ['x'],
    })
    expect(JSON.stringify(write(history(), 'v3'))).toContain('"data":"eA=="')
  })

  test('W5 nobody else sees it', () => {
    for (const other of [
      { provider: 'q', model: 'm' },
      { provider: 'p', model: 'n' },
    ]) {
      const written = JSON.stringify(write(history(other)))
      expect([written.includes('hand'), written.includes('hm')]).toEqual([false, false])
    }
  })

  test('W7 any history is in the order and the shapes of the specification', () => {
    const replays: readonly Json[] = [
      { part: 'own', providerMetadata: {} },
      { part: 'next', providerMetadata: {} },
      { field: 'content' },
      null,
    ]
    fc.assert(
      fc.property(anyMessages(replays), anyInfo, fc.constantFrom(...VERSIONS), (messages, info, version) => {
        const prompt = writeCallOptions(ask({ messages }), info, anyPicture, version).prompt as readonly Prompted[]
        let owed: readonly string[] = []
        for (const [index, { role, content }] of prompt.entries()) {
          expect(content.length).toBeGreaterThan(0)
          expect(role).not.toBe(role === 'tool' ? '' : prompt[index - 1]?.role)
          for (const part of content) if (part.type === 'text') expect(part.text?.trim()).not.toBe('')
          if (role === 'tool') expect(content.map(({ toolCallId }) => toolCallId)).toEqual(owed)
          else expect(owed).toEqual([])
          owed = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId ?? ''] : []))
        }
        expect(owed).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
  type Prompted = {
    readonly role: string
    readonly content: readonly { readonly type: string; readonly text?: string; readonly toolCallId?: string }[]
  }
})

describe('a provider of the SDK over the scripted server', () => {
  test('W1 its stream is read, and a second turn is written for it', async () => {
    const server = await startScriptedServer([
      streams(reasoning('Let me see.'), text('Reading.'), toolCall('read', { path: 'a' }, 'c1'), usage(7, 3)),
      streams(text('Done.')),
      failsWith(401, { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } }),
    ])
    try {
      const adapter = aiSdk({ model: createOpenAICompatible({ name: 'scripted', baseURL: server.baseUrl, includeUsage: true })('m') })
      const tools = [{ name: 'read', description: '', parameters: { type: 'object', properties: { path: { type: 'string' } } } }]
      const first = await collect(adapter, ask({ tools }))
      expect([reasoningOf(first), textOf(first), usageOf(first)]).toMatchObject([
        'Let me see.',
        'Reading.',
        { inputTokens: 7, outputTokens: 3 },
      ])
      expect(blocks(first)).toContainEqual({ type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a"}' })
      const messages: readonly Message[] = [
        ...ask().messages,
        { role: 'assistant', content: blocks(first), provenance: { provider: 'p', model: 'm' } },
        { role: 'user', content: [{ type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: 'alpha' }], isError: false }] },
      ]
      expect(textOf(await collect(adapter, ask({ messages, tools })))).toBe('Done.')
      expect(JSON.stringify(server.requests[1]?.body)).toContain('"tool_call_id":"c1","content":"alpha"')
      expect(await failureOf(adapter)).toMatchObject({ failure: { class: 'auth', status: 401 } })
    } finally {
      await server.close()
    }
  })
})
