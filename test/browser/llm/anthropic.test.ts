// The Anthropic adapter in a real browser over real HTTP: preflight, streams, aborts and failures are the browser's own.
import { anthropic } from '../../../src/worker/llm/adapters/anthropic.ts'
import { httpAdapterSuite } from '../../contract/http-adapter.ts'
import { reasoning } from '../../kit/replies.ts'

httpAdapterSuite({
  vendor: 'anthropic-messages',
  adapter: (origin) => anthropic({ baseUrl: origin, key: 'KEY-TEST' }),
  model: 'claude-sonnet-4-5',
  reasoning: reasoning('First, read. ', { replay: { type: 'thinking', signature: 'EqABCw==' } }),
  replayed: (body) => (body as { messages: readonly { content: unknown }[] }).messages[1]?.content,
  replay: [
    { type: 'thinking', thinking: 'First, read. ', signature: 'EqABCw==' },
    { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
  ],
})
