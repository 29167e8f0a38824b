// The settings of models over memory stores, with a network of the test: what a page may ask of them, without a page.
import type { Json } from '../../../src/storage/log/content.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import type { Catalogue } from '../../../src/worker/host/models/model-facts.ts'
import { mountModelSettings } from '../../../src/worker/host/models/model-settings.ts'
import type { Surroundings } from '../../../src/worker/host/models/surroundings.ts'
import { createNews } from '../../../src/worker/host/news.ts'
import { sharedSettings } from '../../../src/worker/host/shared-settings.ts'
import type { Channels } from '../../../src/worker/host/tabs/channels.ts'
import type { ProviderApi, ProviderDraft } from '../../../src/worker/protocol/providers.ts'
import { testRuntime } from '../../kit/test-runtime.ts'

export type Asked = { readonly url: string; readonly init: RequestInit }
/** `undefined`: no answer that the browser lets through, as fetch fails. */
export type Answer = (asked: Asked) => Response | undefined | Promise<Response | undefined>

export const PAGE = 'https://app.example'
export const TODAY = Date.UTC(2026, 10, 30)

type Given = Partial<Omit<Surroundings, 'fetch'>> & {
  readonly answer?: Answer
  readonly stores?: Stores
  readonly stored?: Json
  readonly catalogue?: Catalogue
  readonly channels?: Channels
}

export const modelsWorld = async ({
  answer = () => undefined,
  stores = openMemoryStorage(),
  stored,
  catalogue,
  channels,
  ...more
}: Given = {}) => {
  const asked: Asked[] = []
  if (stored !== undefined) await stores.settings.set('providers', stored)
  const { runtime } = testRuntime([])
  const surroundings: Surroundings = {
    async fetch(url, init) {
      asked.push({ url, init })
      init.signal?.throwIfAborted()
      const response = await answer({ url, init })
      if (response === undefined) throw new TypeError('Failed to fetch')
      return response
    },
    online: () => true,
    origin: PAGE,
    now: () => TODAY,
    localAccess: async () => 'unknown',
    isBlocked: () => false,
    ...more,
  }
  const settings = sharedSettings(stores.settings, createNews(channels))
  const { models } = await mountModelSettings({
    ...{ llm: runtime.llm, stores, settings, served: [], now: () => TODAY },
    catalogue,
    surroundings,
  })
  return { models, stores, asked, llm: runtime.llm }
}

export const draft = (change: Partial<ProviderDraft> = {}): ProviderDraft => ({
  id: 'p',
  label: 'P',
  api: 'openai-chat',
  baseUrl: 'https://v.example/v1',
  models: ['m'],
  ...change,
})

export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

export const html = (status: number): Response =>
  new Response('<!doctype html><title>Welcome to nginx!</title><p>It works.', { status, headers: { 'content-type': 'text/html' } })

/** A reply of one word, as each protocol streams it. */
export const oneWord: { readonly [A in ProviderApi]: string } = {
  'openai-chat': 'data: {"choices":[{"delta":{"content":"ready"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  'openai-responses': [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i', content: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'i', delta: 'ready' },
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(''),
  anthropic: [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ready' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(''),
  gemini: `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'ready' }] }, finishReason: 'STOP' }] })}\n\n`,
  ollama: `${JSON.stringify({ message: { role: 'assistant', content: 'ready' }, done: true, done_reason: 'stop' })}\n`,
}
