// The reader of OpenAI Responses: bytes of an event stream, or of one whole response, → chunks. Pure; see reply-reader.ts.
import type { Json } from '../../../../storage/log/content.ts'
import type { Chunk } from '../../../../storage/log/model-call.ts'
import { classifyFailure, tellsFailure } from '../../failures.ts'
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
 * About an item, about a part of one, or about all. `reasoning_summary_text` comes from OpenAI, `reasoning_text` and `reasoning` from
 * servers of open models.
 */
const EVENT =
  /^response\.(?:(output_item|output_text|refusal|function_call_arguments|content_part|reasoning\w*)\.(added|delta|done)|(completed|incomplete|failed|cancelled|done))$/

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
  /** What of the arguments came before the name follows it. `anyway`: no name will come. */
  const nameCall = (item: Item, { call_id: callId, id, name }: Fields, anyway = false) => {
    item.callId ||= textOf(callId) || textOf(id)
    if (item.named || !(anyway || textOf(name) !== '')) return
    item.named = true
    const given = item.callId === '' ? {} : { id: item.callId }
    reply.call({ ...given, index: item.place, name: textOf(name), arguments: item.written })
  }

  /** `position`: of the item's arguments among those in `data`. */
  const finishItem = (item: Item, fields: Fields, data: string, position: number) => {
    // The first id stays: blocks that are written have it already.
    item.id ||= textOf(fields.id)
    if (item.kind === 'message') {
      fillAll(item, texts(fields.content, 'text'), reply.text)
      fill(item, 'refusal', texts(fields.content, 'refusal').join(''), reply.refusal)
    } else if (item.kind === 'function_call') {
      nameCall(item, fields)
      fill(item, 0, argumentsIn(fields, data, position), callPiece(item))
    } else if (item.kind === 'reasoning') {
      const summary = texts(fields.summary, 'text')
      if (summary.length > 0) fillAll(item, summary, thinking(item, 'summary'))
      else fillAll(item, texts(fields.content, 'text'), thinking(item, 'content'))
      const encrypted = textOf(fields.encrypted_content)
      if (encrypted !== '' && !item.done) {
        blocks.replay((held) => ({ form: 'summary', ...replayOf(held), item: item.id, encrypted_content: encrypted }))
      }
      blocks.close()
    }
    item.done = true
  }

  /** `response` is the finished one, which may hold what no event told. */
  const finish = (response: Fields, word: string, data: string) => {
    const output: readonly unknown[] = Array.isArray(response.output) ? response.output : []
    let position = 0
    for (const entry of output.map(fieldsOf)) {
      const kind = kindOf(entry.type)
      if (kind !== 'other') finishItem(items.claim(entry, kind), entry, data, position)
      if (isFields(entry.arguments)) position += 1
    }
    for (const item of items.all) {
      const { kind, done, early } = item
      if (!done && kind !== 'reasoning') finishItem(item, early, '', 0)
      if (kind === 'function_call') nameCall(item, {}, true)
    }
    if (isFields(response.usage)) usage = mergeUsage(usage, response.usage)
    const status = ['incomplete', 'failed', 'cancelled'].find((one) => one === response.status) ?? word
    const reason = textOf(fieldsOf(response.incomplete_details).reason)
    const error = response.error ?? { message: `The response was ${status}.`, type: status }
    if (isFields(response.error) || status === 'failed' || status === 'cancelled') {
      reply.fail(classifyFailure({ body: { error } }), status)
    } else if (status === 'incomplete') reply.end(/filter|safety/.test(reason) ? 'content-filter' : 'max-tokens', reason || status)
    else reply.end('stop', status)
  }

  const onItem = (fields: Fields, step: string | undefined, data: string) => {
    const entry = fieldsOf(fields.item)
    const kind = kindOf(entry.type)
    const about = { output_index: fields.output_index, item_id: entry.id ?? fields.item_id, call_id: entry.call_id }
    const item = items.of(about, kind, step === 'added')
    if (step === 'done') return finishItem(item, entry, data, 0)
    if (kind === 'function_call') nameCall(item, entry)
    item.early = { ...entry, arguments: argumentsIn(entry, data, 0) }
  }

  /** A piece (`delta`) or all (`done`) of one part of an item. `what`: `output_text`, `refusal`, … as the events call it. */
  const onPart = (what: string, step: string | undefined, about: Fields, said: string) => {
    const put = step === 'done' ? fill : grow
    const part = about.summary_index ?? about.content_index ?? 0
    if (what === 'function_call_arguments') {
      const item = items.of(about, 'function_call')
      put(item, part, said, callPiece(item))
    } else if (what.startsWith('reasoning')) {
      const item = items.of(about, 'reasoning')
      put(item, part, said, thinking(item, what.startsWith('reasoning_summary') ? 'summary' : 'content'))
    } else if (what === 'refusal') put(items.of(about, 'message'), what, said, reply.refusal)
    else put(items.of(about, 'message'), part, said, reply.text)
  }

  return replyBody(reply, {
    event(fields, data, name) {
      const type = textOf(fields.type) || name
      const [, what, step, ending] = EVENT.exec(type) ?? []
      if (what === 'output_item') onItem(fields, step, data)
      else if (what !== undefined) {
        const said = isFields(fields.part) ? fields.part : fields
        const words = said.delta ?? said.text ?? said.refusal ?? said.arguments
        onPart(what === 'content_part' ? textOf(said.type) : what, step, fields, argumentsIn({ arguments: words }, data, 0))
      } else if (ending !== undefined) finish(fieldsOf(fields.response), ending, data)
      else if (tellsFailure(fields, name)) reply.fail(classifyFailure({ body: fields }))
    },
    whole(response, data) {
      if (Array.isArray(response.output)) finish(response, 'completed', data)
      else reply.fail(classifyFailure({ ...(tellsFailure(response) ? {} : { status: 200 }), body: response }))
    },
    end(how) {
      if (how === 'marked') reply.end('stop', undefined)
    },
  })
}

const texts = (parts: unknown, field: 'text' | 'refusal'): readonly string[] =>
  Array.isArray(parts) ? parts.map((part) => textOf(fieldsOf(part)[field])) : []

/** Of a custom tool the free text: tools here take an object. */
const argumentsIn = ({ arguments: given, input }: Fields, data: string, position: number): string => {
  if (isFields(given)) return exactArguments(given, position, data)
  return typeof input === 'string' && input !== '' ? JSON.stringify({ input }) : textOf(given)
}

const replayOf = (held: Json | undefined): { readonly [key: string]: Json } =>
  isFields(held) ? (held as { readonly [key: string]: Json }) : {}
