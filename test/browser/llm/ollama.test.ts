// The Ollama adapter in a real browser over real HTTP: preflight, streams, aborts and failures are the browser's own.
import { ollama } from '../../../src/worker/llm/adapters/ollama.ts'
import { httpAdapterSuite } from '../../contract/http-adapter.ts'
import { reasoning } from '../../kit/replies.ts'

httpAdapterSuite({
  vendor: 'ollama-chat',
  adapter: (origin) => ollama({ baseUrl: origin }),
  model: 'qwen3:8b',
  reasoning: reasoning('First, read. '),
  replayed: (body) => (body as { messages: readonly unknown[] }).messages[1],
  replay: {
    role: 'assistant',
    content: '',
    thinking: 'First, read. ',
    tool_calls: [{ id: 'c1', function: { name: 'read', arguments: { path: 'a' } } }],
  },
})
