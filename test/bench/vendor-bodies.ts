// A long reply of nothing but words as each vendor streams it, for the benchmarks of the readers.

type Words = readonly string[]
const lines = (events: readonly object[], name?: (event: object) => string): string =>
  events.map((event) => `${name === undefined ? '' : `event: ${name(event)}\n`}data: ${JSON.stringify(event)}\n\n`).join('')

const typeOf = (event: object): string => ('type' in event ? String(event.type) : '')

const BODIES = {
  'openai-chat': (words: Words) => {
    const event = (delta: object, reason: string | null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
    return `${lines([...words.map((content) => event({ content }, null)), event({}, 'stop')])}data: [DONE]\n\n`
  },
  'openai-responses': (words: Words) =>
    lines(
      [
        { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: { id: 'i', type: 'message', role: 'assistant', content: [] } },
        { type: 'response.content_part.added', item_id: 'i', output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } },
        ...words.map((delta) => ({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta })),
        {
          type: 'response.completed',
          response: { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } },
        },
      ],
      typeOf,
    ),
  anthropic: (words: Words) =>
    lines(
      [
        { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ...words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
      ],
      typeOf,
    ),
  gemini: (words: Words) => {
    const event = (text: string, more: object = {}) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'm',
    })
    return lines([...words.map((text) => event(text)), event('', { finishReason: 'STOP' })])
  },
  'ollama-chat': (words: Words) => {
    const line = (content: string, more: object) =>
      JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content }, ...more })
    return [...words.map((content) => line(content, { done: false })), line('', { done: true, done_reason: 'stop' }), ''].join('\n')
  },
} satisfies Readonly<Record<string, (words: Words) => string>>

export type BenchVendor = keyof typeof BODIES
export const BENCH_VENDORS = Object.keys(BODIES) as readonly BenchVendor[]

export const bodyOf = (vendor: BenchVendor, events: number): Uint8Array =>
  new TextEncoder().encode(BODIES[vendor](Array.from({ length: events }, (_, index) => `word${index} `)))

export const cut = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
