// The adapter over transformers.js itself: what a session gets from an ONNX model in the tab, whose calls of tools come as text.
import { expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { transformers } from '../../../src/worker/capabilities/local-models/transformers/transformers.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { localModel } from '../../../src/worker/llm/adapters/local-model.ts'
import { type TinyOnnxModel, tinyOnnx } from '../../kit/tiny-onnx.ts'

const never = new AbortController().signal
const TOOL = { name: 'list_files', description: 'Lists.', parameters: { type: 'object', properties: { folder: { type: 'string' } } } }

const streamed = async (model: TinyOnnxModel, more: Partial<LlmRequest>): Promise<Chunk[]> => {
  const loaded = await transformers().load(tinyOnnx(model), { contextWindow: 2048 }, never)
  const adapter = localModel({ use: (_id, run) => run(loaded), info: () => ({ textCalls: true }), newId: () => 'made-up' })
  const request = {
    provider: 'local',
    model: 'tiny',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    ...more,
  } as const
  const chunks: Chunk[] = []
  for await (const chunk of adapter.stream(request)) chunks.push(chunk)
  loaded.unload()
  return chunks
}

test('W15 text streams, with its usage and a finish', async () => {
  const chunks = await streamed({ reply: ['Hello', ' there', '.'] }, { system: 'Be brief.' })
  expect(chunks.filter(({ type }) => type === 'text-delta')).toHaveLength(3)
  expect(chunks.find(({ type }) => type === 'usage')).toMatchObject({ usage: { outputTokens: 4 } })
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'stop' } })
})

test('W9 a call that the model writes as its template taught it is a call, and no text', async () => {
  const replyWithTools = ['<tool_call>', '\n{"name": "list', '_files", "arguments": ', '{"folder": "docs"}}\n', '</tool_call>']
  const chunks = await streamed({ reply: ['Hello'], replyWithTools }, { tools: [TOOL] })
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'tool-calls' } })
  const text = JSON.stringify(chunks)
  expect(text).toContain('list_files')
  expect(text).not.toContain('tool_call>')
})

test('W10 a conversation beyond the window is an overflow, which compaction can mend', async () => {
  const long = [{ role: 'user', content: [{ type: 'text', text: 'word '.repeat(2000) }] }] as const
  const chunks = await streamed({ reply: ['Hello'] }, { messages: long })
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'error', failure: { class: 'context_overflow' } } })
})
