// The reader of OpenAI Responses: bytes of an event stream, or of one whole response, → chunks. Pure; see reply-reader.ts.
import type { Json } from '../../../../storage/log/content.ts'
import type { Chunk } from '../../../../storage/log/model-call.ts'
import { classifyFailure } from '../../failures.ts'
import { exactArguments } from '../exact-arguments.ts'
import { type Fields, fieldsOf, isFields, textOf } from '../fields.ts'
import { readUsage } from '../openai-usage.ts'
import { replyBody } from '../reply-body.ts'
import type { ReaderContext, ReplyReader } from '../reply-reader.ts'
import { replyWriter } from '../reply-writer.ts'
import { mergeUsage } from '../token-counts.ts'
import { type Item, kindOf, outputItems, restOf } from './items.ts'

/** What a block of reasoning keeps: its item, and the item's encrypted content beside the last of its blocks. */
export type ReasoningReplay = { readonly item: string; readonly form: 'summary' | 'content'; readonly encrypted_content?: string }

/**
 * The finish comes with the event that ends the response, its usage right before. Words and arguments are taken from whatever event
 * brings them first: deltas, `done` events, the finished item, the finished response. A stream without its end is `stream-stopped`.
 */
export const responsesReader = (context: ReaderContext, emit: (chunk: Chunk) => void): ReplyReader => {
  let usage: Fields | undefined
  const reply = replyWriter(context, emit, { usage: () => (usage === undefined ? undefined : readUsage(usage)) })
  const { blocks } = reply
  const items = outputItems(blocks.close)

  type Write = (piece: string, part: unknown) => void
  const grow = (item: Item, part: unknown, piece: string, write: Write) => {
    if (piece === '') return
    item.written += piece
    item.parts.set(part, (item.parts.get(part) ?? '') + piece)
    write(piece, part)
  }
  const fill = (item: Item, part: unknown, whole: string, write: Write) =>
    grow(item, part, restOf(item.parts.get(part) ?? '', whole), write)
  /** Of a finished item: part by part if nothing of it is written, else what is missing at its end. */
  const fillAll = (item: Item, wholes: readonly string[], write: Write) => {
    if (item.written === '') for (const [part, whole] of wholes.entries()) grow(item, part, whole, write)
    else grow(item, wholes.length - 1, restOf(item.written, wholes.join('')), write)
  }

  // Each part of a summary is a block of its own, so that all can go back as they came.
  const thinking =
    (item: Item, form: ReasoningReplay['form']): Write =>
    (piece, part) => {
      if (item.parts.get(part) === piece) blocks.close()
      blocks.reasoning(piece)
      blocks.replay((held) => ({ ...replayOf(held), item: item.id, form }))
    }
  const callPiece =
    (item: Item): Write =>
    (piece) => {
      if (item.named) reply.call({ index: item.place, arguments: piece })
    }
  /** What of the arguments came before the name follows it. */
  const nameCall = (item: Item, { call_id: callId, id, name }: Fields) => {
    const first = !item.named
    const before = item.callId
    item.callId ||= textOf(callId) || textOf(id)
    item.named = true
    if (!first && item.callId === before) return
    const given = item.callId === '' ? {} : { id: item.callId }
    reply.call({ ...given, index: item.place, ...(first ? { name: textOf(name), arguments: item.written } : {}) })
  }

  const argumentText = (value: unknown, data: string, position: number) =>
    isFields(value) ? exactArguments(value, position, data) : textOf(value)

  /** `position`: of the item's arguments among those in `data`. */
  const finishItem = (item: Item, fields: Fields, data: string, position: number) => {
    // The first id stays: blocks that are written have it already.
    item.id ||= textOf(fields.id)
    const listed = (list: unknown): readonly Fields[] => (Array.isArray(list) ? list.map(fieldsOf) : [])
    switch (item.kind) {
      case 'message': {
        const content = listed(fields.content)
        const refusals = content.map(({ refusal }) => textOf(refusal))
        fillAll(
          item,
          content.map(({ text }) => textOf(text)),
          reply.text,
        )
        fill(item, 'refusal', refusals.join(''), reply.refusal)
        break
      }
      case 'reasoning': {
        const summary = listed(fields.summary).map(({ text }) => textOf(text))
        const content = listed(fields.content).map(({ text }) => textOf(text))
        if (summary.length > 0) fillAll(item, summary, thinking(item, 'summary'))
        else fillAll(item, content, thinking(item, 'content'))
        const { encrypted_content: encrypted } = fields
        if (typeof encrypted === 'string' && encrypted !== '' && !item.done) {
          blocks.replay((held) => ({ form: 'summary', ...replayOf(held), item: item.id, encrypted_content: encrypted }))
        }
        blocks.close()
        break
      }
      case 'function_call':
        nameCall(item, fields)
        fill(item, 'arguments', argumentText(fields.arguments, data, position), callPiece(item))
        break
      case 'custom_tool_call':
        nameCall(item, fields)
        // Free text instead of arguments: tools here take an object.
        if (!item.done) reply.call({ index: item.place, arguments: JSON.stringify({ input: textOf(fields.input) }) })
    }
    item.done = true
  }

  const ended = (response: Fields, word: string) => {
    if (isFields(response.usage)) usage = mergeUsage(usage, response.usage)
    for (const item of items.all) {
      if (item.kind !== 'function_call') continue
      if (!item.named) nameCall(item, {})
      fillAll(item, [item.early], callPiece(item))
    }
    const status = ['incomplete', 'failed', 'cancelled'].find((one) => one === response.status) ?? word
    const reason = textOf(fieldsOf(response.incomplete_details).reason)
    if (isFields(response.error)) reply.fail(classifyFailure({ body: { error: response.error } }), status)
    else if (status === 'failed' || status === 'cancelled') {
      reply.fail(classifyFailure({ body: { message: `The response was ${status}.`, type: status } }), status)
    } else if (status === 'incomplete') reply.end(/filter|safety/.test(reason) ? 'content-filter' : 'max-tokens', reason || status)
    else reply.end('stop', status)
  }
  /** The finished response, which may hold what no event told. */
  const finished = (response: Fields, word: string, data: string) => {
    const output: readonly unknown[] = Array.isArray(response.output) ? response.output : []
    let position = 0
    for (const entry of output.map(fieldsOf)) {
      const kind = kindOf(entry.type)
      if (kind !== 'other') finishItem(items.claim(entry, kind), entry, data, position)
      if (isFields(entry.arguments)) position += 1
    }
    ended(response, word)
  }

  const onItem = (fields: Fields, type: string, data: string) => {
    const entry = fieldsOf(fields.item)
    const kind = kindOf(entry.type)
    const about = { output_index: fields.output_index, item_id: entry.id ?? fields.item_id }
    if (type === 'response.output_item.done') return finishItem(items.of(about, kind), entry, data, 0)
    const item = items.of(about, kind, 'starts')
    if (kind !== 'function_call' && kind !== 'custom_tool_call') return
    nameCall(item, entry)
    item.early = argumentText(entry.arguments, data, 0)
  }

  return replyBody(reply, {
    event(fields, data, name) {
      const type = textOf(fields.type) || name
      const { delta } = fields
      switch (type) {
        case 'response.output_item.added':
        case 'response.output_item.done':
          return onItem(fields, type, data)
        case 'response.output_text.delta':
          return grow(items.of(fields, 'message'), fields.content_index, textOf(delta), reply.text)
        case 'response.output_text.done':
          return fill(items.of(fields, 'message'), fields.content_index, textOf(fields.text), reply.text)
        case 'response.content_part.done': {
          const { type: form, text, refusal } = fieldsOf(fields.part)
          if (form === 'refusal') return fill(items.of(fields, 'message'), 'refusal', textOf(refusal), reply.refusal)
          if (form !== 'reasoning_text') return fill(items.of(fields, 'message'), fields.content_index, textOf(text), reply.text)
          return fill(items.of(fields, 'reasoning'), fields.content_index, textOf(text), thinking(items.of(fields, 'reasoning'), 'content'))
        }
        case 'response.refusal.delta':
          return grow(items.of(fields, 'message'), 'refusal', textOf(delta), reply.refusal)
        case 'response.refusal.done':
          return fill(items.of(fields, 'message'), 'refusal', textOf(fields.refusal), reply.refusal)
        case 'response.function_call_arguments.delta': {
          const item = items.of(fields, 'function_call')
          return grow(item, 'arguments', isFields(delta) ? JSON.stringify(delta) : textOf(delta), callPiece(item))
        }
        case 'response.function_call_arguments.done': {
          const item = items.of(fields, 'function_call')
          return fill(item, 'arguments', argumentText(fields.arguments, data, 0), callPiece(item))
        }
      }
      // `reasoning_summary_text` from OpenAI, `reasoning_text` and `reasoning` from servers of open models.
      const thought = /^response\.reasoning(_summary)?(?:_text)?\.(delta|done)$/.exec(type)
      if (thought !== null) {
        const [, summary, step] = thought
        const item = items.of(fields, 'reasoning')
        const write = thinking(item, summary === undefined ? 'content' : 'summary')
        const part = fields.summary_index ?? fields.content_index
        return step === 'done' ? fill(item, part, textOf(fields.text), write) : grow(item, part, textOf(delta), write)
      }
      const ending = /^response\.(completed|incomplete|failed|cancelled|done)$/.exec(type)?.[1]
      if (ending !== undefined) finished(fieldsOf(fields.response), ending === 'done' ? 'completed' : ending, data)
      else if (name === 'error' || type === 'error' || (fields.error ?? '') !== '') reply.fail(classifyFailure({ body: fields }))
    },
    whole(response, data) {
      if (Array.isArray(response.output)) finished(response, 'completed', data)
      else reply.fail(classifyFailure({ ...((response.error ?? '') === '' ? { status: 200 } : {}), body: response }))
    },
    end(how) {
      if (how === 'marked') reply.end('stop', undefined)
    },
  })
}

const replayOf = (held: Json | undefined): { readonly [key: string]: Json } =>
  isFields(held) ? (held as { readonly [key: string]: Json }) : {}
