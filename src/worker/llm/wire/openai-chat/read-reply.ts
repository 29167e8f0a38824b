// The reader of OpenAI-chat replies: bytes of an event stream, or of one whole JSON completion, → chunks. Pure; see reply-reader.ts.
import type { Json } from '../../../../storage/log/content.ts'
import type { Chunk } from '../../../../storage/log/model-call.ts'
import { classifyFailure, tellsFailure } from '../../failures.ts'
import { type Fields, fieldsOf, isFields, textOf } from '../fields.ts'
import { readUsage } from '../openai-usage.ts'
import { replyBody } from '../reply-body.ts'
import type { ReaderContext, ReplyReader } from '../reply-reader.ts'
import { replyWriter } from '../reply-writer.ts'
import { mergeUsage } from '../token-counts.ts'
import { finishKind } from './finish-reason.ts'
import { type DeltaSink, type ReasoningSource, readDelta } from './read-delta.ts'
import { mergeDetails } from './reasoning-details.ts'

/**
 * Usage comes once, right before the finish. The finish is held until the end marker or the end of the body, because usage and
 * even calls may follow the reason. A body that just stops ends in `error` of class `transport` with the code `stream-stopped`;
 * an error object in the stream ends in `error` with what it says. What was readable until then is in the chunks.
 */
export const openaiChatReader = (context: ReaderContext, emit: (chunk: Chunk) => void): ReplyReader => {
  let reasoningFrom: ReasoningSource | undefined
  let usage: Fields | undefined
  let rawReason: string | undefined
  let choice: unknown
  let streamed = false

  const reasoning = (piece: string, from: ReasoningSource) => {
    if (reasoningFrom !== from) blocks.close()
    reasoningFrom = from
    blocks.reasoning(piece)
    if (from !== 'reasoning_details' && from !== 'thinking_blocks') blocks.replay(() => ({ field: from }))
  }
  const reply = replyWriter(context, emit, {
    usage: () => (usage === undefined ? undefined : readUsage(usage)),
    taggedReasoning: (piece) => reasoning(piece, 'tags'),
  })
  const { blocks } = reply
  const sink: DeltaSink = {
    text: reply.text,
    reasoning,
    details(entries, field) {
      if (reasoningFrom !== field) blocks.close()
      reasoningFrom = field
      blocks.replay((held) => ({ field, details: mergeDetails(detailsIn(held), entries) as Json }))
    },
    refusal: reply.refusal,
    call(piece, signature) {
      if (signature !== undefined) {
        blocks.close()
        blocks.replay(() => signature)
      }
      reply.call(piece)
    },
  }

  const take = (chunk: Fields, form: 'delta' | 'message', data: string, event: string) => {
    const entries = Array.isArray(chunk.choices) ? chunk.choices.filter(isFields) : []
    for (const entry of entries) {
      // More than one answer was not asked for; of several, the first is the reply.
      choice ??= entry.index ?? 0
      if ((entry.index ?? choice) !== choice) continue
      const whole = isFields(entry.message) && !isFields(entry.delta)
      const delta = whole ? entry.message : entry.delta
      // Some servers close with the whole message once more.
      if (isFields(delta) && !(whole && streamed)) readDelta(delta, whole ? 'message' : form, data, sink)
      else if (typeof entry.text === 'string' && entry.text !== '') sink.text(entry.text)
      streamed ||= !whole && blocks.count > 0
      // A gateway that closes with a stop of its own does not know the reason that came before.
      const reason = textOf(entry.finish_reason)
      if (reason !== '' && (rawReason === undefined || finishKind(reason) !== 'stop')) rawReason = reason
      if (isFields(entry.usage)) usage = mergeUsage(usage, entry.usage)
    }
    const groq = fieldsOf(chunk.x_groq)
    const counted = chunk.usage ?? groq.usage
    if (isFields(counted)) usage = mergeUsage(usage, counted)
    const failed = [groq, ...entries].find((inner) => tellsFailure(inner)) ?? (tellsFailure(chunk, event) ? chunk : undefined)
    if (failed !== undefined) reply.fail(classifyFailure({ body: failed }), rawReason)
  }

  return replyBody(reply, {
    event: (chunk, data, name) => take(chunk, 'delta', data, name),
    whole(completion, text) {
      take(completion, 'message', text, '')
      if (!reply.finished && !Array.isArray(completion.choices)) reply.fail(classifyFailure({ status: 200, body: completion }))
    },
    end(how) {
      if (rawReason === undefined && how === 'closed') return
      const kind = rawReason === undefined ? 'stop' : finishKind(rawReason)
      if (kind !== 'error') return reply.end(kind, rawReason)
      reply.fail(classifyFailure({ body: { message: `The reply ended with "${rawReason}".`, type: rawReason } }), rawReason)
    },
  })
}

const detailsIn = (held: Json | undefined): readonly unknown[] => (isFields(held) && Array.isArray(held.details) ? held.details : [])
