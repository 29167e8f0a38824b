// The readers of Anthropic and Responses, chunk by chunk: numbers of blocks, what goes with reasoning, ids of the session. The cases judge the rest.
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import { anthropicReader } from '../../../src/worker/llm/wire/anthropic/read-reply.ts'
import { responsesReader } from '../../../src/worker/llm/wire/openai-responses/read-reply.ts'
import type { ReaderContext, ReplyReader } from '../../../src/worker/llm/wire/reply-reader.ts'
import { anthropicStream } from '../../kit/anthropic-stream.ts'
import { type Part, reasoning, text, toolCall, usage } from '../../kit/replies.ts'
import { responsesStream } from '../../kit/responses-stream.ts'

type MakeReader = (context: ReaderContext, emit: (chunk: Chunk) => void) => ReplyReader
const read = (make: MakeReader, steps: Iterable<unknown>, context: Partial<ReaderContext> = {}): readonly Chunk[] => {
  const chunks: Chunk[] = []
  let made = 0
  const reader = make({ newId: () => `made-${++made}`, ...context }, (chunk) => chunks.push(chunk))
  reader.push(new TextEncoder().encode([...steps].join('')))
  reader.end()
  return chunks
}
const parts = (replay: { readonly [key: string]: string }): readonly Part[] => [
  reasoning('Hm. ', { chunks: ['Hm', '. '], replay }),
  text('So.'),
  toolCall('read', { path: 'a' }, 'c1', { chunks: ['{"path"', ':"a"}'] }),
  usage(7, 3),
]
const chunksWith = (replay: object, rawReason: string, cacheRead: object): readonly object[] => [
  { type: 'block-start', index: 0, blockType: 'reasoning' },
  { type: 'reasoning-delta', index: 0, text: 'Hm' },
  { type: 'reasoning-delta', index: 0, text: '. ' },
  { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'Hm. ', replay } },
  { type: 'block-start', index: 1, blockType: 'text' },
  { type: 'text-delta', index: 1, text: 'So.' },
  { type: 'block-end', index: 1, block: { type: 'text', text: 'So.' } },
  { type: 'block-start', index: 2, blockType: 'tool-call' },
  { type: 'tool-call-delta', index: 2, id: 'c1', name: 'read', argumentsDelta: '' },
  { type: 'tool-call-delta', index: 2, id: 'c1', argumentsDelta: '{"path"' },
  { type: 'tool-call-delta', index: 2, id: 'c1', argumentsDelta: ':"a"}' },
  { type: 'block-end', index: 2, block: { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a"}' } },
  { type: 'usage', usage: { inputTokens: 7, outputTokens: 3, ...cacheRead } },
  { type: 'finish', reason: { kind: 'tool-calls' }, rawReason },
]

describe('chunk by chunk', () => {
  test('W1 W5 Anthropic: the signature is kept beside the text, the usage comes once', () => {
    const replay = { type: 'thinking', signature: 'c2ln' }
    expect(read(anthropicReader, anthropicStream(parts(replay)))).toEqual(
      chunksWith(replay, 'tool_use', { cacheReadTokens: 0, cacheWriteTokens: 0 }),
    )
  })

  test('W1 W5 Responses: the encrypted content is kept beside the text, nothing is told twice', () => {
    const replay = { item: 'rs_9', form: 'summary', encrypted_content: 'ENC==' }
    expect(read(responsesReader, responsesStream(parts(replay)))).toEqual(
      chunksWith(replay, 'completed', { cacheReadTokens: 0, reasoningTokens: 0 }),
    )
  })

  test('W3 an id that the session has already is replaced by one of ours, the vendor’s kept beside it', () => {
    for (const [make, write] of [
      [anthropicReader, anthropicStream],
      [responsesReader, responsesStream],
    ] as const) {
      const ends = read(make, write([toolCall('read', {}, 'c1')]), { takenIds: new Set(['c1']) }).filter(({ type }) => type === 'block-end')
      expect(ends).toEqual([
        { type: 'block-end', index: 0, block: { type: 'tool-call', id: 'made-1', name: 'read', arguments: '{}', vendorId: 'c1' } },
      ])
    }
  })

  test('W6 what stops a reply before its first word is shown; of one that had begun, nothing is added', () => {
    const shown = (make: MakeReader, ...steps: readonly string[]) =>
      read(make, steps).flatMap((chunk) => (chunk.type === 'block-end' && chunk.block.type === 'text' ? [chunk.block.text] : []))
    const refused = 'data: {"type":"message_delta","delta":{"stop_reason":"refusal"}}\n\n'
    const filtered = 'data: {"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}\n\n'
    expect(shown(anthropicReader, refused)).toEqual([expect.stringContaining('refused to answer')])
    expect(shown(responsesReader, filtered)).toEqual([expect.stringContaining('filter')])
    const word = 'data: {"type":"response.output_text.delta","delta":"Once"}\n\n'
    expect(shown(responsesReader, word, filtered)).toEqual(['Once'])
  })

  test('W4 a filter and a refusal cut a call as a limit does: it never becomes a block', () => {
    const ended = (make: MakeReader, ...steps: readonly string[]) => read(make, steps).filter(({ type }) => type === 'block-end')
    const [start] = anthropicStream([])
    const call = { type: 'tool_use', id: 'c1', name: 'write', input: {} }
    const events = [
      { type: 'content_block_start', index: 0, content_block: call },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"text":"half' } },
      { type: 'message_delta', delta: { stop_reason: 'refusal' } },
      { type: 'message_stop' },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
    expect(ended(anthropicReader, String(start), ...events)).toMatchObject([{ block: { type: 'text' } }])
    const item = { type: 'function_call', call_id: 'c1', name: 'write', arguments: '{"text":"half' }
    const filtered = [
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'content_filter' } } },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
    expect(ended(responsesReader, ...filtered)).toMatchObject([{ block: { type: 'text' } }])
  })

  test('W1 what arrives after the end is ignored, and the connection may be dropped', () => {
    const chunks: Chunk[] = []
    const reader = anthropicReader({ newId: () => 'x' }, (chunk) => chunks.push(chunk))
    reader.push(new TextEncoder().encode([...anthropicStream([text('a')])].join('')))
    expect(reader.finished).toBe(true)
    const before = chunks.length
    reader.push(new TextEncoder().encode([...anthropicStream([text('b')])].join('')))
    reader.end()
    expect(chunks).toHaveLength(before)
  })
})
