// Any derived messages whatever, for the property tests of the history writers: cut anywhere, half-written, out of order.
import fc from 'fast-check'
import type { ContentBlock, Json, Message } from '../../../src/storage/log/content.ts'
import type { ModelInfo } from '../../../src/worker/hooks/llm.ts'

const words = fc.oneof(
  fc.constantFrom('', ' ', '\n', 'a', 'b  ', '\ud800', '{"a":1}', 'Error'),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const id = fc.constantFrom('c1', 'c2', 'c3', 'call 4', 'ü', '')
const part: fc.Arbitrary<ContentBlock> = fc.oneof(
  words.map((text): ContentBlock => ({ type: 'text', text })),
  fc.constantFrom('b1', 'gone').map((blob): ContentBlock => ({ type: 'image', blob, mediaType: 'image/png' })),
)
const toolResult: fc.Arbitrary<ContentBlock> = fc
  .record({ toolCallId: id, content: fc.array(part, { maxLength: 3 }), isError: fc.boolean() })
  .map((fields) => ({ type: 'tool-result', ...fields }))

/** `replays`: the vendor data that reasoning blocks may carry. The models that spoke are `m` and `n` of provider `p`. */
export const anyMessages = (replays: readonly Json[]): fc.Arbitrary<readonly Message[]> => {
  const reply: fc.Arbitrary<ContentBlock> = fc.oneof(
    words.map((text): ContentBlock => ({ type: 'text', text })),
    fc.record({ text: words, replay: fc.constantFrom(...replays) }).map((fields): ContentBlock => ({ type: 'reasoning', ...fields })),
    fc.tuple(id, words, words).map(([callId, name, args]): ContentBlock => ({ type: 'tool-call', id: callId, name, arguments: args })),
  )
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.array(fc.oneof(part, toolResult), { maxLength: 3 }).map((content): Message => ({ role: 'user', content })),
    fc
      .tuple(fc.array(reply, { maxLength: 4 }), fc.constantFrom('m', 'n'))
      .map(([content, model]): Message => ({ role: 'assistant', content, provenance: { provider: 'p', model } })),
  )
  return fc.array(message, { maxLength: 8 })
}

export const anyInfo: fc.Arbitrary<ModelInfo> = fc.record({ images: fc.boolean(), tools: fc.boolean() }, { requiredKeys: [] })
/** The pictures of `anyMessages`: one is stored, one is not any more. */
export const anyPicture = ({ blob }: { readonly blob: string }): string | undefined =>
  blob === 'gone' ? undefined : 'data:image/png;base64,eA=='
