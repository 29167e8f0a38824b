// The Responses adapter in a real browser over real HTTP: preflight, streams, aborts and failures are the browser's own.
import { openaiResponses } from '../../../src/worker/llm/adapters/openai-responses.ts'
import { httpAdapterSuite } from '../../contract/http-adapter.ts'
import { reasoning } from '../../kit/replies.ts'

httpAdapterSuite({
  vendor: 'openai-responses',
  adapter: (origin) => openaiResponses({ baseUrl: `${origin}/v1`, key: 'KEY-TEST' }),
  model: 'gpt-5-mini',
  reasoning: reasoning('First, read. ', { replay: { item: 'rs_9', form: 'summary', encrypted_content: 'ENC-1==' } }),
  replayed: (body) => (body as { input: readonly unknown[] }).input.slice(1, 3),
  replay: [
    { type: 'reasoning', id: 'rs_9', summary: [{ type: 'summary_text', text: 'First, read. ' }], encrypted_content: 'ENC-1==' },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
  ],
})
