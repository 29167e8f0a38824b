// The reader of OpenAI-chat replies: bytes of an event stream, or of one whole JSON completion, → chunks. Pure; see reply-reader.ts.
import type { Json } from '../../../../storage/log/content.ts'
import type { Chunk, FinishReason, ModelFailure } from '../../../../storage/log/model-call.ts'
import { classifyFailure } from '../../failures.ts'
import { blockWriter } from '../block-writer.ts'
import { splitByForm } from '../body-form.ts'
import { callCollector } from '../call-collector.ts'
import { eventParser } from '../framing.ts'
import type { ReaderContext, ReplyReader } from '../reply-reader.ts'
import { taggedThinking } from '../tagged-thinking.ts'
import { finishKind } from './finish-reason.ts'
import { type DeltaSink, type Fields, isFields, type ReasoningField, readDelta } from './read-delta.ts'
import { mergeUsage, readUsage } from './read-usage.ts'
import { mergeDetails } from './reasoning-details.ts'
import { stoppedStream, unreadableReply } from './stream-failures.ts'

/**
 * Usage comes once, right before the finish. The finish is held until the end marker or the end of the body, because usage and
 * even calls may follow the reason. A body that just stops ends in `error` of class `transport` with the code `stream-stopped`;
 * an error object in the stream ends in `error` with what it says. What was readable until then is in the chunks.
 */
export const openaiChatReader = (context: ReaderContext, emit: (chunk: Chunk) => void): ReplyReader => {
  const blocks = blockWriter(emit)
  const calls = callCollector(context, blocks, emit)
  let reasoningFrom: ReasoningField | 'tags' | undefined
  let usage: Fields | undefined
  let rawReason: string | undefined
  let choice: unknown
  let refused = false
  let streamed = false
  let finished = false
  let closing = false
  let noise = ''

  // Text goes by way of what may hide in it.
  const reasoning = (piece: string, from: ReasoningField | 'tags') => {
    if (reasoningFrom !== from) blocks.close()
    reasoningFrom = from
    blocks.reasoning(piece)
    if (from !== 'reasoning_details') blocks.replay(() => ({ field: from }))
  }
  const toCalls = context.textCalls?.(context, { text: blocks.text, call: calls.add })
  const afterThinking = toCalls?.push ?? blocks.text
  const toThinking = context.taggedThinking && taggedThinking({ text: afterThinking, reasoning: (piece) => reasoning(piece, 'tags') })
  const sink: DeltaSink = {
    text: toThinking?.push ?? afterThinking,
    reasoning,
    details(entries) {
      if (reasoningFrom !== 'reasoning_details') blocks.close()
      reasoningFrom = 'reasoning_details'
      blocks.replay((held) => ({ field: 'reasoning_details', details: mergeDetails(detailsIn(held), entries) as Json }))
    },
    refusal(piece) {
      if (!refused) blocks.close()
      refused = true
      blocks.text(piece)
    },
    call: calls.add,
  }

  const close = (ending: 'whole' | 'cut') => {
    toThinking?.end()
    toCalls?.end(ending)
    blocks.close()
    return calls.close(ending)
  }
  const finish = (reason: FinishReason, inferred?: true) => {
    const counted = usage === undefined ? undefined : readUsage(usage)
    if (counted !== undefined) emit({ type: 'usage', usage: counted })
    emit({ type: 'finish', reason, ...(rawReason === undefined ? {} : { rawReason }), ...(inferred === undefined ? {} : { inferred }) })
    finished = true
  }
  const fail = (failure: ModelFailure) => {
    close('cut')
    finish({ kind: 'error', message: failure.message, ...(failure.code === undefined ? {} : { code: failure.code }), failure })
  }
  const complete = (end: 'marked' | 'closed') => {
    if (finished) return
    if (rawReason === undefined && end === 'closed') return fail(stoppedStream(blocks.count, noise))
    const kind = rawReason === undefined ? 'stop' : finishKind(rawReason)
    if (kind === 'error') return fail(classifyFailure({ body: { message: `The reply ended with "${rawReason}".`, type: rawReason } }))
    const calls = close(kind === 'max-tokens' ? 'cut' : 'whole')
    finish({ kind: decide(kind, calls, refused) }, rawReason === undefined ? true : undefined)
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
      const again = whole && streamed
      streamed ||= !whole
      if (isFields(delta) && !again) readDelta(delta, whole ? 'message' : form, data, sink)
      else if (typeof entry.text === 'string' && entry.text !== '') sink.text(entry.text)
      if (typeof entry.finish_reason === 'string' && entry.finish_reason !== '') rawReason = entry.finish_reason
      if (isFields(entry.usage)) usage = mergeUsage(usage, entry.usage)
    }
    const counted = chunk.usage ?? (isFields(chunk.x_groq) ? chunk.x_groq.usage : undefined)
    if (isFields(counted)) usage = mergeUsage(usage, counted)
    if (isError(chunk, event)) fail(classifyFailure({ body: chunk }))
  }

  const onEvent = (data: string, event: string) => {
    if (finished || data.trim() === '') return
    if (data.trim() === '[DONE]') return complete('marked')
    const chunk = firstOf(parsed(data))
    if (isFields(chunk)) return take(chunk, 'delta', data, event)
    // What does not even begin like JSON is a keep-alive, or words that explain a stream which stops.
    if (!/^\s*(\{|\[\s*\{)/.test(data)) noise = data.slice(0, 200)
    else if (!closing) fail(unreadableReply(data))
  }
  const events = eventParser(onEvent)

  const onWhole = (body: string) => {
    const completion = firstOf(parsed(body))
    if (!isFields(completion)) return fail(/^\s*</.test(body) ? classifyFailure({ status: 200, body }) : unreadableReply(body))
    take(completion, 'message', body, '')
    if (!finished && !Array.isArray(completion.choices)) return fail(classifyFailure({ status: 200, body: completion }))
    complete('marked')
  }

  const body = splitByForm(events, onWhole)
  return {
    push(bytes) {
      if (!finished) body.push(bytes)
    },
    end() {
      if (finished) return
      closing = true
      body.end()
      complete('closed')
    },
    get finished() {
      return finished
    },
  }
}

/** Whole calls decide, not the reason; and a reason alone runs nothing. */
const decide = (
  kind: ReturnType<typeof finishKind>,
  { ended, readable }: { readonly ended: number; readonly readable: number },
  refused: boolean,
): Exclude<ReturnType<typeof finishKind>, 'error'> => {
  if (readable > 0 && (kind === 'stop' || kind.startsWith('x-'))) return 'tool-calls'
  const plain = kind === 'error' || (kind === 'tool-calls' && ended === 0) ? 'stop' : kind
  return refused && plain === 'stop' ? 'refusal' : plain
}

const isError = (chunk: Fields, event: string): boolean => {
  const { error } = chunk
  if (event === 'error' || (error !== undefined && error !== null && error !== '' && error !== false)) return true
  return !Array.isArray(chunk.choices) && (chunk.object === 'error' || chunk.type === 'error' || typeof chunk.detail === 'string')
}

const detailsIn = (held: Json | undefined): readonly unknown[] => (isFields(held) && Array.isArray(held.details) ? held.details : [])
const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller says what that means
  }
}
