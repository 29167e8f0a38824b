// The adapter over llama.cpp itself: what a session gets from a model in the tab.
import { expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { wllama } from '../../../src/worker/capabilities/local-models/wllama/wllama.ts'
import type { LlmRequest } from '../../../src/worker/hooks/llm.ts'
import { localModel } from '../../../src/worker/llm/adapters/local-model.ts'
import { type TinyModel, tinyGguf } from '../../kit/tiny-gguf.ts'

const never = new AbortController().signal

/** As Qwen and Hermes models are told of tools, and write calls. */
const CALLS_TEMPLATE = `{% if tools %}<|tool|>Tools in <tools></tools>, calls as <tool_call>
{"name": "NAME", "arguments": {}}
</tool_call>: <tools>{% for t in tools %}{{ t | tojson }}
{% endfor %}</tools><|end|>{% endif %}{% for m in messages %}{% if m.role == 'assistant' %}<|assistant|>{{ m.content or '' }}{% if m.tool_calls %}{% for c in m.tool_calls %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}{% endif %}{% elif m.role == 'tool' %}<|user|><tool_response>
{{ m.content }}
</tool_response>{% else %}<|user|>{{ m.content or '' }}{% endif %}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

const over = async (model: TinyModel, contextWindow = 2048) => {
  const loaded = await wllama().load([{ name: 'tiny.gguf', blob: new Blob([tinyGguf(model)]) }], { contextWindow }, never)
  return { loaded, adapter: localModel({ use: (_id, run) => run(loaded), newId: () => 'made-up' }) }
}
const request = (more: Partial<LlmRequest> = {}): LlmRequest => ({
  provider: 'local',
  model: 'tiny',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  ...more,
})
const TOOL = { name: 'list_files', description: 'Lists.', parameters: { type: 'object', properties: { folder: { type: 'string' } } } }

test('W15 text streams, with its usage and a finish', async () => {
  const { adapter, loaded } = await over({ reply: ['Hello', ' there', '.'] })
  const chunks: Chunk[] = []
  for await (const chunk of adapter.stream(request({ system: 'Be brief.' }))) chunks.push(chunk)
  expect(chunks.filter(({ type }) => type === 'text-delta')).toHaveLength(3)
  expect(chunks.find(({ type }) => type === 'usage')).toMatchObject({ usage: { outputTokens: 4 } })
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'stop' } })
  loaded.unload()
})

test('W15 calls of tools are read by the engine, as the model’s own template writes them', async () => {
  const reply = ['<tool_call>\n{"name": "list', '_files", "arguments": ', '{"folder": "', 'docs"}}\n</tool_call>']
  const { adapter, loaded } = await over({ reply, chatTemplate: CALLS_TEMPLATE })
  const chunks: Chunk[] = []
  for await (const chunk of adapter.stream(request({ tools: [TOOL] }))) chunks.push(chunk)
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'tool-calls' } })
  const text = JSON.stringify(chunks)
  expect(text).toContain('list_files')
  expect(text).not.toContain('tool_call>')
  loaded.unload()
})

test('W10 a conversation beyond the window is an overflow, which compaction can mend', async () => {
  const { adapter, loaded } = await over({ reply: ['Hello'] }, 512)
  const chunks: Chunk[] = []
  const long = request({ messages: [{ role: 'user', content: [{ type: 'text', text: 'word '.repeat(2000) }] }] })
  for await (const chunk of adapter.stream(long)) chunks.push(chunk)
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'error', failure: { class: 'context_overflow' } } })
  loaded.unload()
})

test('L20 an abort in the middle ends it at once with its reason, and the model answers again', async () => {
  const { adapter, loaded } = await over({ reply: [' on', ' and'], endless: true })
  const stop = new AbortController()
  const stream = adapter.stream(request({ signal: stop.signal }))
  const read = (async () => {
    for await (const chunk of stream) if (chunk.type === 'text-delta') stop.abort(new Error('stopped by hand'))
  })()
  await expect(read).rejects.toThrow('stopped by hand')
  for await (const chunk of adapter.stream(request())) if (chunk.type === 'text-delta') break
  expect(loaded.isAlive).toBe(true)
  loaded.unload()
})
