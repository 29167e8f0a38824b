// Asks an adapter something and collects what comes back, for the tests of adapters.
import { expect } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest } from '../../../src/worker/hooks/llm.ts'
import type { OpenaiChatOptions } from '../../../src/worker/llm/adapters/openai-chat.ts'

export const ask = (more: Partial<LlmRequest> = {}): LlmRequest => ({
  provider: 'p',
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  ...more,
})
export const collect = async (adapter: LlmAdapter, request: LlmRequest = ask(), into: Chunk[] = []): Promise<Chunk[]> => {
  for await (const chunk of adapter.stream(request)) into.push(chunk)
  return into
}
export const failureOf = (adapter: LlmAdapter, request = ask()) =>
  collect(adapter, request).then(
    () => expect.unreachable('it must fail'),
    (error: unknown) => error,
  )
export const textOf = (chunks: readonly Chunk[]) => chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.text : '')).join('')
export const fetchOf =
  (answer: (url: string, init: RequestInit) => Response | Promise<Response>): NonNullable<OpenaiChatOptions['fetch']> =>
  async (url, init) =>
    answer(url, init as RequestInit)
