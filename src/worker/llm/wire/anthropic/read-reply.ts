// The reader of Anthropic replies: bytes of an event stream, or of one whole message, → chunks. Pure; see reply-reader.ts.
import type { Json } from '../../../../storage/log/content.ts'
import type { Chunk } from '../../../../storage/log/model-call.ts'
import { classifyFailure, tellsFailure } from '../../failures.ts'
import { exactArguments } from '../exact-arguments.ts'
import { type Fields, fieldsOf, isFields, textOf } from '../fields.ts'
import { replyBody } from '../reply-body.ts'
import type { ReaderContext, ReplyReader } from '../reply-reader.ts'
import { replyWriter } from '../reply-writer.ts'
import { mergeUsage } from '../token-counts.ts'
import { readUsage } from './read-usage.ts'
import { endKind } from './stop-reason.ts'

/** How a block of thinking is kept beside its text, so that it goes back byte for byte. */
export type ThinkingReplay =
  | { readonly type: 'thinking'; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

type Slot = {
  readonly kind: unknown
  /** Of its call among the calls of the reply: indices that a server repeats do not mix them up. */
  readonly call: number
  /** Arguments that came with the start of a call; pieces that follow are the same once more, or nothing. */
  early: string
}

/**
 * The finish comes with `message_stop`, with the usage of start and end right before it. A body that ends after its reason is
 * whole; one that just stops ends in `error` with the code `stream-stopped`. Blocks of the vendor's own tools are passed over.
 */
export const anthropicReader = (context: ReaderContext, emit: (chunk: Chunk) => void): ReplyReader => {
  const slots = new Map<unknown, Slot>()
  let current: Slot | undefined
  let calls = 0
  let usage: Fields | undefined
  let rawReason: string | undefined

  const reply = replyWriter(context, emit, { usage: () => (usage === undefined ? undefined : readUsage(usage)) })
  const { blocks } = reply

  const text = (piece: string) => {
    if (piece !== '') reply.text(piece)
  }
  const reasoning = (piece: string) => {
    if (piece !== '') blocks.reasoning(piece)
  }
  const sign = (signature: string) => {
    // Some gateways sign the text, too: nobody would take that back.
    if (signature !== '' && (current === undefined || current.kind === 'thinking'))
      blocks.replay((held) => ({ type: 'thinking', signature: signatureIn(held) + signature }))
  }
  const open = (index: unknown, kind: unknown): Slot => {
    current = { kind, call: calls, early: '' }
    slots.set(index, current)
    if (kind === 'tool_use') calls += 1
    return current
  }

  /** `position`: of the call among those that `data` holds. */
  const start = (index: unknown, block: Fields, data: string, position: number) => {
    stop(index)
    const slot = open(index, block.type)
    if (block.type === 'text') {
      blocks.close()
      text(textOf(block.text))
    } else if (block.type === 'thinking') {
      blocks.close()
      blocks.replay(() => ({ type: 'thinking', signature: '' }))
      reasoning(textOf(block.thinking))
      sign(textOf(block.signature))
    } else if (block.type === 'redacted_thinking') {
      blocks.close()
      blocks.replay(() => ({ type: 'redacted_thinking', data: textOf(block.data) }))
      blocks.close()
    } else if (block.type === 'tool_use') {
      const { id, name, input } = block
      reply.call({ ...(typeof id === 'string' && id !== '' ? { id } : {}), index: slot.call, name: textOf(name) })
      if (isFields(input) && Object.keys(input).length > 0) slot.early = exactArguments(input, position, data, 'input')
      else slot.early = textOf(input)
    }
  }
  const stop = (index: unknown) => {
    const slot = slots.get(index)
    if (slot === undefined) return
    if (slot.early !== '') reply.call({ index: slot.call, arguments: slot.early })
    slot.early = ''
  }

  const deltaOf = (index: unknown, delta: Fields) => {
    switch (delta.type) {
      case 'text_delta':
        return text(textOf(delta.text))
      case 'thinking_delta':
        return reasoning(textOf(delta.thinking))
      case 'signature_delta':
        return sign(textOf(delta.signature))
      case 'input_json_delta': {
        // A wrong index means the block that was opened last.
        const slot = [slots.get(index), current].find(takesJson) ?? open(index, 'tool_use')
        const { partial_json: piece } = delta
        const json = isFields(piece) ? JSON.stringify(piece) : textOf(piece)
        // Not of a block that is no call of ours, such as a search that the vendor runs itself.
        if (slot.kind !== 'tool_use' || json === '' || (slot.early !== '' && json === '{}')) return
        slot.early = ''
        return reply.call({ index: slot.call, arguments: json })
      }
    }
  }

  /** Of `message_delta`, and of a whole message. */
  const ending = ({ stop_reason: reason, stop_details: details }: Fields) => {
    if (typeof reason === 'string' && reason !== '') rawReason = reason
    // Why the vendor refused: without it there may be no word at all.
    const why = textOf(fieldsOf(details).explanation)
    if (rawReason === 'refusal' && why.trim() !== '') reply.refusal(why)
  }
  const counted = (fields: unknown) => {
    if (isFields(fields)) usage = mergeUsage(usage, fields)
  }
  const whole = (message: Fields, data: string) => {
    const { content: said } = message
    const content: readonly unknown[] = Array.isArray(said) ? said : [{ type: 'text', text: said }]
    const withInput = content.filter((block) => isFields(fieldsOf(block).input))
    content.forEach((block, index) => {
      start(index, fieldsOf(block), data, withInput.indexOf(block))
      stop(index)
    })
    ending(message)
  }
  const end = (how: 'marked' | 'closed') => {
    if (rawReason === undefined && how === 'closed') return
    for (const index of slots.keys()) stop(index)
    reply.end(rawReason === undefined ? 'stop' : endKind(rawReason), rawReason)
  }
  return replyBody(reply, {
    event(fields, data, name) {
      const type = textOf(fields.type) || name
      counted(fields.usage ?? fieldsOf(fields.message).usage)
      if (tellsFailure(fields, name)) reply.fail(classifyFailure({ body: fields }), rawReason)
      else if (type === 'content_block_start') start(fields.index, fieldsOf(fields.content_block), data, 0)
      else if (type === 'content_block_delta') deltaOf(fields.index, fieldsOf(fields.delta))
      else if (type === 'content_block_stop') stop(fields.index)
      else if (type === 'message_delta') ending(fieldsOf(fields.delta))
      else if (type === 'message_stop') end('marked')
      // A gateway that does not stream may put the whole message into one event.
      else if (type === 'message' && slots.size === 0) whole(fields, data)
    },
    whole(message, data) {
      if (tellsFailure(message)) return reply.fail(classifyFailure({ body: message }))
      if (message.content === undefined) return reply.fail(classifyFailure({ status: 200, body: message }))
      counted(message.usage)
      whole(message, data)
    },
    end,
  })
}

/** Calls of ours and those that the vendor runs itself. */
const takesJson = (slot: Slot | undefined): boolean => String(slot?.kind).endsWith('tool_use')

const signatureIn = (held: Json | undefined): string => (isFields(held) && held.type === 'thinking' ? textOf(held.signature) : '')
