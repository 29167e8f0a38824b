// Turns the parts of a scripted reply into the events of an OpenAI Responses stream.
import type { Usage } from '../../src/storage/log/model-call.ts'
import type { StreamStep } from './chat-stream.ts'
import type { Part } from './replies.ts'

/**
 * As OpenAI sends it: every word comes in a delta, in a `done` event, in the finished item and in the finished response. A reasoning
 * part with `{item, form, encrypted_content}` as its replay is a summary of that item.
 */
export function* responsesStream(parts: readonly Part[], model = 'scripted-1'): Generator<StreamStep, void, undefined> {
  let sequence = 0
  const event = (type: string, fields: object = {}) => {
    sequence += 1
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`
  }
  const output: object[] = []
  let usage: Usage | undefined = { inputTokens: 10, outputTokens: 5 }
  let ending: { readonly status: 'completed' | 'incomplete'; readonly reason?: string } = { status: 'completed' }
  const response = (status: string, more: object = {}) => ({
    response: { id: 'resp_scripted', object: 'response', status, model, output, ...more },
  })
  yield event('response.created', response('in_progress'))
  yield event('response.in_progress', response('in_progress'))
  for (const part of parts) {
    const index = output.length
    switch (part.part) {
      case 'block': {
        const { block } = part
        const isText = block.type === 'text'
        const replay: { readonly item?: unknown; readonly encrypted_content?: unknown } = objectOf(
          block.type === 'reasoning' ? block.replay : undefined,
        )
        const id = isText ? `msg_${index}` : String(replay.item ?? `rs_${index}`)
        const at = { item_id: id, output_index: index, ...(isText ? { content_index: 0 } : { summary_index: 0 }) }
        const kind = isText ? 'response.output_text' : 'response.reasoning_summary_text'
        const item = isText ? { id, type: 'message', role: 'assistant', content: [] } : { id, type: 'reasoning', summary: [] }
        yield event('response.output_item.added', { output_index: index, item })
        for (const piece of part.pieces) yield typeof piece === 'string' ? event(`${kind}.delta`, { ...at, delta: piece }) : piece
        yield event(`${kind}.done`, { ...at, text: block.text })
        const done = isText
          ? { ...item, content: [{ type: 'output_text', text: block.text, annotations: [] }] }
          : { ...item, summary: [{ type: 'summary_text', text: block.text }], encrypted_content: replay.encrypted_content ?? null }
        output.push(done)
        yield event('response.output_item.done', { output_index: index, item: done })
        break
      }
      case 'tool-call': {
        const id = `fc_${index}`
        const call = { id, type: 'function_call', call_id: part.id ?? `call_scripted_${index}`, name: part.name }
        const at = { item_id: id, output_index: index }
        yield event('response.output_item.added', { output_index: index, item: { ...call, arguments: '' } })
        for (const piece of part.pieces) {
          yield typeof piece === 'string' ? event('response.function_call_arguments.delta', { ...at, delta: piece }) : piece
        }
        output.push({ ...call, arguments: part.arguments })
        if (part.cut === 'cut') ending = { status: 'incomplete', reason: 'max_output_tokens' }
        else {
          yield event('response.function_call_arguments.done', { ...at, arguments: part.arguments })
          yield event('response.output_item.done', { output_index: index, item: output.at(-1) })
        }
        break
      }
      case 'usage':
        usage = part.usage
        break
      case 'finish': {
        if (part.reason.kind === 'error') {
          const { message, failure } = part.reason
          const code = failure?.class === 'rate_limit' ? 'rate_limit_exceeded' : 'server_error'
          yield event('response.failed', response('failed', { error: { code, message } }))
          return
        }
        if (part.reason.kind === 'max-tokens') ending = { status: 'incomplete', reason: 'max_output_tokens' }
        if (part.reason.kind === 'content-filter') ending = { status: 'incomplete', reason: 'content_filter' }
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
  const { status, reason } = ending
  const details = reason === undefined ? null : { reason }
  yield event(
    `response.${status}`,
    response(status, { incomplete_details: details, usage: usage === undefined ? null : vendorUsage(usage) }),
  )
}

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})

const vendorUsage = (usage: Usage) => {
  const input = usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens ?? 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + usage.outputTokens,
  }
}
