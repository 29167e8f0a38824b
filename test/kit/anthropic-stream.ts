// Turns the parts of a scripted reply into the events of an Anthropic stream.
import type { FinishReason, Usage } from '../../src/storage/log/model-call.ts'
import type { StreamStep } from './chat-stream.ts'
import type { Part } from './replies.ts'

const REASONS: Partial<Record<FinishReason['kind'], string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  'max-tokens': 'max_tokens',
  refusal: 'refusal',
}

/**
 * As Anthropic sends it: blocks one after another, the input counted at the start and the output at the end. A reasoning part with
 * `{type: 'thinking', signature}` as its replay is signed, one with `{type: 'redacted_thinking', data}` is redacted.
 */
export function* anthropicStream(parts: readonly Part[], model = 'scripted-1'): Generator<StreamStep, void, undefined> {
  const event = (type: string, fields: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const delta = (index: number, value: object) => event('content_block_delta', { index, delta: value })
  const counted = parts.find((part) => part.part === 'usage')
  const usage: Usage | undefined = counted === undefined ? { inputTokens: 10, outputTokens: 5 } : counted.usage
  let blocks = 0
  let calls = 0
  let reason: string | undefined
  const message = { id: 'msg_scripted', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null }
  yield event('message_start', {
    message: { ...message, ...(usage === undefined ? {} : { usage: { ...inputOf(usage), output_tokens: 1 } }) },
  })
  yield event('ping')
  for (const part of parts) {
    switch (part.part) {
      case 'block': {
        const index = blocks
        blocks += 1
        const isText = part.block.type === 'text'
        const replay = part.block.type === 'reasoning' ? part.block.replay : undefined
        if (isRedacted(replay)) {
          yield event('content_block_start', { index, content_block: replay })
        } else {
          yield event('content_block_start', {
            index,
            content_block: isText ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' },
          })
          for (const piece of part.pieces) {
            if (typeof piece !== 'string') yield piece
            else yield delta(index, isText ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece })
          }
          const signature = signatureOf(replay)
          if (signature !== undefined) yield delta(index, { type: 'signature_delta', signature })
        }
        yield event('content_block_stop', { index })
        break
      }
      case 'tool-call': {
        const index = blocks
        blocks += 1
        calls += 1
        const id = part.id ?? `toolu_scripted_${calls}`
        yield event('content_block_start', { index, content_block: { type: 'tool_use', id, name: part.name, input: {} } })
        for (const piece of part.pieces)
          yield typeof piece === 'string' ? delta(index, { type: 'input_json_delta', partial_json: piece }) : piece
        if (part.cut === 'cut') reason = 'max_tokens'
        else yield event('content_block_stop', { index })
        break
      }
      case 'usage':
        break
      case 'finish': {
        if (part.reason.kind === 'error') {
          const { message: words, failure } = part.reason
          const type =
            failure?.class === 'overloaded' ? 'overloaded_error' : failure?.class === 'rate_limit' ? 'rate_limit_error' : 'api_error'
          yield event('error', { error: { type, message: words } })
          return
        }
        reason = part.rawReason ?? REASONS[part.reason.kind] ?? part.reason.kind
        break
      }
      case 'hold':
        yield part.gate
        break
      case 'hang':
        yield 'hang'
        return
      case 'disconnect':
        yield 'disconnect'
        return
      case 'chunks':
      case 'throw':
        throw new Error(`A scripted server cannot send the part "${part.part}": it is for the scripted model.`)
    }
  }
  yield event('message_delta', {
    delta: { stop_reason: reason ?? (calls > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null },
    ...(usage === undefined ? {} : { usage: { output_tokens: usage.outputTokens } }),
  })
  yield event('message_stop')
}

const inputOf = (usage: Usage) => ({
  input_tokens: usage.inputTokens,
  cache_read_input_tokens: usage.cacheReadTokens ?? 0,
  cache_creation_input_tokens: usage.cacheWriteTokens ?? 0,
})

const isRedacted = (replay: unknown): replay is { readonly type: 'redacted_thinking' } =>
  typeof replay === 'object' && replay !== null && 'type' in replay && replay.type === 'redacted_thinking'

const signatureOf = (replay: unknown): string | undefined =>
  typeof replay === 'object' && replay !== null && 'signature' in replay && typeof replay.signature === 'string'
    ? replay.signature
    : undefined
