// Whatever a server sends (W1, W4): no reader throws, each says one end, and says the same however the bytes were cut.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { Vendor } from '../../cases/vendors/vendor.ts'
import { VENDORS } from '../../cases/vendors.ts'

/** Names and words of all wires, so that made-up events look like real ones. */
const KEYS = [
  ...['type', 'index', 'delta', 'content_block', 'message', 'usage', 'error', 'id', 'name', 'input', 'text', 'partial_json', 'thinking'],
  ...[
    'signature',
    'stop_reason',
    'stop_details',
    'content',
    'output_index',
    'item',
    'item_id',
    'call_id',
    'arguments',
    'response',
    'output',
  ],
  ...['status', 'summary', 'summary_index', 'content_index', 'encrypted_content', 'refusal', 'incomplete_details', 'choices', 'tool_calls'],
  ...[
    'function',
    'finish_reason',
    'candidates',
    'parts',
    'functionCall',
    'args',
    'finishReason',
    'thought',
    'done',
    'done_reason',
    '__proto__',
  ],
]
const WORDS = [
  ...[
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
    'error',
    'message',
  ],
  ...[
    'text',
    'thinking',
    'redacted_thinking',
    'tool_use',
    'text_delta',
    'thinking_delta',
    'signature_delta',
    'input_json_delta',
    'end_turn',
  ],
  ...[
    'response.created',
    'response.output_item.added',
    'response.output_item.done',
    'response.output_text.delta',
    'response.output_text.done',
  ],
  ...['response.reasoning_summary_text.delta', 'response.function_call_arguments.delta', 'response.function_call_arguments.done'],
  ...[
    'response.refusal.delta',
    'response.completed',
    'response.incomplete',
    'response.failed',
    'function_call',
    'custom_tool_call',
    'reasoning',
  ],
  ...['stop', 'STOP', 'max_tokens', 'refusal', 'read', 'c1', '', '{"a":1}', '{"a":', '你'],
]
const leaf = fc.oneof(fc.constantFrom(...WORDS), fc.integer({ min: -1, max: 3 }), fc.boolean(), fc.constant(null))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
}))
const fields = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 6 })
const typed = fc.tuple(fc.constantFrom(...WORDS), fields).map(([type, rest]) => ({ ...rest, type }))
const line = fc.oneof(
  { weight: 8, arbitrary: fc.oneof(typed, fields).map((event) => `data: ${JSON.stringify(event)}\n\n`) },
  { weight: 3, arbitrary: typed.map((event) => `${JSON.stringify(event)}\n`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(': ping\n\n', 'event: error\n', 'data: [DONE]\n\n', 'data: {"type"\n\n', '\ufeff', '<html>', '['),
  },
)

const readWith = ({ reader }: Vendor, pieces: readonly Uint8Array[]): readonly Chunk[] => {
  const chunks: Chunk[] = []
  let made = 0
  const reading = reader({ newId: () => `made-${++made}`, takenIds: new Set(['c1']) }, (chunk) => chunks.push(chunk))
  for (const piece of pieces) reading.push(piece)
  reading.end()
  return chunks
}

describe.each(VENDORS.map((vendor) => [vendor.api, vendor] as const))('anything at all, as a reply of %s', (_, vendor) => {
  test('W4 it is read without a fault to one end, the same at every cut, and its calls have ids of their own', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(fc.nat(2000), { maxLength: 12 }), (lines, cuts) => {
        const bytes = new TextEncoder().encode(lines.join(''))
        const whole = readWith(vendor, [bytes])
        expect(whole.filter(({ type }) => type === 'finish')).toHaveLength(1)
        expect(whole.at(-1)?.type).toBe('finish')
        const ids = whole.flatMap((chunk) => (chunk.type === 'block-end' && chunk.block.type === 'tool-call' ? [chunk.block.id] : []))
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids).not.toContain('c1')
        const edges = [...new Set([0, ...cuts.filter((at) => at < bytes.length), bytes.length])].sort((a, b) => a - b)
        const again = readWith(
          vendor,
          edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge)),
        )
        expect(JSON.stringify(again)).toBe(JSON.stringify(whole))
      }),
      { numRuns: 200 },
    )
  })
})
