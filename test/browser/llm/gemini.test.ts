// The Gemini adapter in a real browser over real HTTP: preflight, streams, aborts and failures are the browser's own.
import { gemini } from '../../../src/worker/llm/adapters/gemini.ts'
import { httpAdapterSuite } from '../../contract/http-adapter.ts'
import { reasoning } from '../../kit/replies.ts'

httpAdapterSuite({
  vendor: 'gemini',
  adapter: (origin) => gemini({ baseUrl: origin, key: 'KEY-TEST' }),
  model: 'gemini-3-pro-preview',
  reasoning: reasoning('First, read. ', { replay: { part: 'thought', thoughtSignature: 'c2lnbmF0dXJl' } }),
  replayed: (body) => (body as { contents: readonly { parts: unknown }[] }).contents[1]?.parts,
  replay: [
    { text: 'First, read. ', thought: true, thoughtSignature: 'c2lnbmF0dXJl' },
    // The server signed the thought only: a call of Gemini 3 goes with Google's own word for that.
    { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } }, thoughtSignature: 'skip_thought_signature_validator' },
  ],
})
