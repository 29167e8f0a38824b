// Turns the parts of a scripted reply into the lines of an OpenAI-chat event stream, or into one whole completion.
import type { FinishReason, Usage } from '../../src/storage/log/model-call.ts'
import type { Gate } from './gate.ts'
import type { Part } from './replies.ts'

/** What the server does next: send this, wait at this gate, wait for the client to leave, drop the connection. */
export type StreamStep = string | Gate | 'hang' | 'disconnect'

const REASONS: Partial<Record<FinishReason['kind'], string>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  'max-tokens': 'length',
  'content-filter': 'content_filter',
  refusal: 'stop',
}

/** A reply without usage and finish of its own gets a usage of 10 in and 5 out, its reason, and the end marker. */
export function* chatStream(parts: readonly Part[], model = 'scripted-1'): Generator<StreamStep, void, undefined> {
  const event = (choices: unknown, more: object = {}) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`
  const delta = (value: object, reason: string | null = null) => event([{ index: 0, delta: value, finish_reason: reason }])
  let calls = 0
  let usage: Usage | undefined = { inputTokens: 10, outputTokens: 5 }
  let reason: string | undefined
  yield delta({ role: 'assistant', content: '' })
  for (const part of parts) {
    switch (part.part) {
      case 'block': {
        const field = part.block.type === 'text' ? 'content' : 'reasoning_content'
        for (const piece of part.pieces) yield typeof piece === 'string' ? delta({ [field]: piece }) : piece
        break
      }
      case 'tool-call': {
        const index = calls
        calls += 1
        const opening = { index, id: part.id ?? `call_scripted_${index}`, type: 'function', function: { name: part.name, arguments: '' } }
        yield delta({ tool_calls: [opening] })
        for (const piece of part.pieces) {
          yield typeof piece === 'string' ? delta({ tool_calls: [{ index, function: { arguments: piece } }] }) : piece
        }
        if (part.cut === 'cut') reason = 'length'
        break
      }
      case 'usage':
        usage = part.usage
        break
      case 'finish': {
        if (part.reason.kind === 'error') {
          const { message, failure } = part.reason
          yield event([], { error: { message, code: failure?.status ?? 500, type: failure?.class ?? 'server_error' } })
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
  yield delta({}, reason ?? (calls > 0 ? 'tool_calls' : 'stop'))
  if (usage !== undefined) yield event([], { usage: vendorUsage(usage) })
  yield 'data: [DONE]\n\n'
}

/** The same reply as one JSON completion, as servers answer that do not stream. Gates are passed over. */
export const wholeCompletion = (parts: readonly Part[], model = 'scripted-1'): string => {
  const words = (type: 'text' | 'reasoning') =>
    parts.flatMap((part) => (part.part === 'block' && part.block.type === type ? [part.block.text] : [])).join('')
  const calls = parts.flatMap((part, index) =>
    part.part === 'tool-call'
      ? [{ id: part.id ?? `call_scripted_${index}`, type: 'function', function: { name: part.name, arguments: part.arguments } }]
      : [],
  )
  const reasoning = words('reasoning')
  const message = {
    role: 'assistant',
    content: words('text'),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const choice = { index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }
  const usage = vendorUsage({ inputTokens: 10, outputTokens: 5 })
  return JSON.stringify({ id: 'chatcmpl-scripted', object: 'chat.completion', created: 1, model, choices: [choice], usage })
}

const vendorUsage = (usage: Usage) => {
  const prompt = usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    ...(usage.cacheReadTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cacheReadTokens } }),
    ...(usage.reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }),
  }
}
