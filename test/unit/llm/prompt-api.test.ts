// The built-in model without a browser: what is written for it, how calls as text go, how it fails, is dropped and offered anew.
import { describe, expect, test } from 'vitest'
import type { Message } from '../../../src/storage/log/content.ts'
import { offerBuiltInModel } from '../../../src/worker/client/offer-built-in-model.ts'
import { servePromptApi } from '../../../src/worker/client/prompt-api.ts'
import type { Health } from '../../../src/worker/client/worker-link.ts'
import { createBuiltIn, portModel } from '../../../src/worker/host/models/built-in-model.ts'
import { type PromptApiOptions, promptApi } from '../../../src/worker/llm/adapters/prompt-api.ts'
import { writePrompts } from '../../../src/worker/llm/wire/prompt-api/write-prompts.ts'
import { type FakeReply, fakeLanguageModel } from '../../kit/fake-language-model.ts'
import { gate } from '../../kit/gate.ts'
import { testRuntime } from '../../kit/test-runtime.ts'
import { ask, collect, failureOf, textOf } from './ask-model.ts'
import { blocks, finishOf, usageOf } from './chat-events.ts'

const over = (replies: readonly FakeReply[], options: Partial<PromptApiOptions> = {}, window?: number) => {
  const api = fakeLanguageModel(replies, window)
  const { port1, port2 } = new MessageChannel()
  const stop = servePromptApi(port1, api)
  const model = portModel(port2)
  return { api, model, stop, adapter: promptApi({ model: () => model, newId: () => 'made-up', ...options }) }
}
const TOOL = { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { path: { type: 'string' } } } }
const history: readonly Message[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'go' },
      { type: 'image', blob: 'b', mediaType: 'image/png' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Reading.' },
      { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a"}' },
    ],
    provenance: { provider: 'p', model: 'm' },
  },
  { role: 'user', content: [{ type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: 'alpha' }], isError: false }] },
]

describe('W7 what the built-in model is given', () => {
  test('W13 words only: calls, results and pictures are told, tools are not', () => {
    expect(writePrompts(ask({ messages: history, system: 'Be brief.', tools: [TOOL] }), false)).toEqual({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'go\n(A picture was withheld. This model cannot see pictures.)' },
        { role: 'assistant', content: 'Reading.\n\n[Called read with {"path":"a"}]' },
        { role: 'user', content: '[Result of read]\nalpha' },
      ],
    })
  })

  test('T15 with calls as text it is told the tools, and sees its own calls in the form in which it writes them', () => {
    const { system, messages } = writePrompts(ask({ messages: history, tools: [TOOL] }), true)
    expect(system).toContain('"name":"read"')
    expect(messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Reading.\n\n<tool_call>\n{"name": "read", "arguments": {"path":"a"}}\n</tool_call>' },
      { role: 'user', content: '<tool_response>\nalpha\n</tool_response>' },
    ])
  })

  test('W7 the last word is the person’s', () => {
    const [first, second] = history
    expect(writePrompts(ask({ messages: [first!, second!].slice(0, 1) }), false).messages).toHaveLength(1)
    expect(writePrompts(ask({ messages: [] }), false)).toEqual({ messages: [{ role: 'user', content: '(empty message)' }] })
    const said: Message = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], provenance: { provider: 'p', model: 'm' } }
    expect(writePrompts(ask({ messages: [first!, said] }), false).messages.at(-1)).toEqual({ role: 'user', content: 'Go on.' })
  })
})

describe('the built-in model over a port', () => {
  test('W1 its pieces stream, its tokens are counted, its window is known afterwards', async () => {
    const { api, adapter } = over([{ chunks: ['Hello ', 'there'] }])
    const chunks = await collect(adapter, ask({ system: 'Be brief.', temperature: 9 }))
    expect(textOf(chunks)).toBe('Hello there')
    expect(usageOf(chunks)).toEqual({ inputTokens: 3, outputTokens: 2 })
    expect(finishOf(chunks)).toEqual({ type: 'finish', reason: { kind: 'stop' }, inferred: true })
    expect(api.asked[0]).toMatchObject({ initial: [{ role: 'system', content: 'Be brief.' }], temperature: 2 })
    expect(adapter.info?.('p', 'm')).toMatchObject({ tools: false, images: false, contextWindow: 1000 })
  })

  test('P-x03 the old cumulative form is chosen by name', async () => {
    expect(textOf(await collect(over([{ chunks: ['on', 'one', 'one two'] }], { chunks: 'cumulative' }).adapter))).toBe('one two')
  })

  test('W9 a call that it writes as text runs, if it may write calls', async () => {
    const reply = { chunks: ['Let me <tool_', 'call>{"name":"read","arguments":{"path":"a"}}</tool_call>'] }
    const calls = await collect(over([reply], { textCalls: true }).adapter, ask({ tools: [TOOL] }))
    expect(blocks(calls)).toEqual([
      { type: 'text', text: 'Let me ' },
      { type: 'tool-call', id: 'made-up', name: 'read', arguments: '{"path":"a"}' },
    ])
    expect(finishOf(calls)?.reason).toEqual({ kind: 'tool-calls' })
    expect(blocks(await collect(over([reply]).adapter, ask({ tools: [TOOL] })))).toHaveLength(1)
  })

  test.each<[string, FakeReply, string, boolean]>([
    ['QuotaExceededError', { chunks: [new DOMException('too large', 'QuotaExceededError')] }, 'context_overflow', false],
    ['NotAllowedError', { chunks: [], refuses: new DOMException('gesture', 'NotAllowedError') }, 'provider', false],
    ['NotSupportedError', { chunks: [], refuses: new DOMException('no', 'NotSupportedError') }, 'provider', false],
    ['NetworkError', { chunks: [], refuses: new DOMException('offline', 'NetworkError') }, 'transport', true],
    ['InvalidStateError', { chunks: ['par', new DOMException('destroyed', 'InvalidStateError')] }, 'transport', true],
    ['OperationError', { chunks: [new DOMException('odd', 'OperationError')] }, 'provider', true],
  ])('W10 %s is told by its class', async (code, reply, failureClass, transient) => {
    const chunks = await collect(over([reply]).adapter)
    expect(finishOf(chunks)?.reason).toMatchObject({ kind: 'error', failure: { class: failureClass, transient, code } })
  })

  test('W10 a page that offered nothing, and an effort that it does not have, are refused before anything is asked', async () => {
    expect(await failureOf(promptApi({ model: () => undefined }))).toMatchObject({ failure: { class: 'provider', transient: false } })
    const { adapter, api } = over([])
    expect(await failureOf(adapter, ask({ effort: 'high' }))).toMatchObject({ message: expect.stringContaining('no effort level') })
    expect(api.asked).toEqual([])
  })

  test('L20 an abort ends it at once, and whoever stops listening ends it too', async () => {
    const here = gate()
    const { adapter, api } = over([{ chunks: ['par', here] }, { chunks: ['par', here] }])
    const controller = new AbortController()
    const stopped = collect(adapter, ask({ signal: controller.signal }))
    await here.reached
    controller.abort(new Error('stopped by hand'))
    await expect(stopped).rejects.toThrow('stopped by hand')
    for await (const chunk of adapter.stream(ask())) if (chunk.type === 'text-delta') break
    await expect.poll(() => api.alive).toBe(0)
  })

  test('H9 availability decides whether it is listed', async () => {
    const { adapter, api } = over([])
    const signal = AbortSignal.timeout(5000)
    expect(await adapter.models?.('p', signal)).toEqual([{ id: 'built-in', name: expect.any(String) }])
    api.availabilityIs('unavailable')
    expect(await adapter.models?.('p', signal)).toEqual([])
  })

  test('H9 a later port takes the place of an earlier one, whose call fails and may be tried again', async () => {
    const { runtime } = testRuntime([])
    const builtIn = createBuiltIn(runtime.llm)
    expect(builtIn.choices()).toEqual([])
    const here = gate()
    const offer = (replies: readonly FakeReply[]) => {
      const { port1, port2 } = new MessageChannel()
      servePromptApi(port1, fakeLanguageModel(replies))
      builtIn.offer(port2)
    }
    offer([{ chunks: ['par', here] }])
    const request = { ...ask(), provider: 'built-in', model: 'built-in' }
    const first = collect({ stream: (asked) => runtime.llm.stream(asked) }, request)
    await here.reached
    offer([{ chunks: ['whole'] }])
    expect(finishOf(await first)?.reason).toMatchObject({ failure: { class: 'transport', transient: true } })
    expect(textOf(await collect({ stream: (asked) => runtime.llm.stream(asked) }, request))).toBe('whole')
    expect(builtIn.choices()).toMatchObject([{ provider: 'built-in', model: 'built-in' }])
  })

  test('H5 a worker that was started anew is offered the model again, until it is taken back', async () => {
    const ports: MessagePort[] = []
    const listeners = new Set<(health: Health) => void>()
    const client: Parameters<typeof offerBuiltInModel>[0] = {
      host: { bridges: { promptApi: async ({ port }: { readonly port: MessagePort }) => void ports.push(port) } },
      health: {
        state: { kind: 'ready' } as Health,
        subscribe(listener: (health: Health) => void) {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
      },
    }
    const takeBack = await offerBuiltInModel(client, fakeLanguageModel([]))
    for (const listener of listeners) listener({ kind: 'restarting', message: '' })
    expect(ports).toHaveLength(1)
    for (const listener of listeners) listener({ kind: 'ready' })
    expect(ports).toHaveLength(2)
    takeBack?.()
    expect(listeners.size).toBe(0)
  })
})
