// The reader of Gemini replies: bytes of an event stream, or of a JSON list or object, → chunks. Pure; see reply-reader.ts.
import type { Chunk } from '../../../../storage/log/model-call.ts'
import { classifyFailure, tellsFailure } from '../../failures.ts'
import { exactArguments } from '../exact-arguments.ts'
import { type Fields, fieldsOf, isFields, textOf } from '../fields.ts'
import { readJsonList } from '../json-list.ts'
import { replyBody } from '../reply-body.ts'
import type { ReaderContext, ReplyReader } from '../reply-reader.ts'
import { replyWriter } from '../reply-writer.ts'
import { unreadableReply } from '../stream-failures.ts'
import { mergeUsage } from '../token-counts.ts'
import { finishKind } from './finish-reason.ts'
import { type PartialArguments, partialArguments } from './partial-arguments.ts'
import { readUsage } from './read-usage.ts'
import { type SignedPart, signed } from './signatures.ts'

/**
 * Gemini has no end marker: the finish is held until the connection closes, because parts and usage may follow the reason. A
 * prompt that was blocked ends as `content-filter` with the block's reason; a call that the model wrote wrongly is a failure.
 */
export const geminiReader = (context: ReaderContext, emit: (chunk: Chunk) => void): ReplyReader => {
  let usage: Fields | undefined
  let rawReason: string | undefined
  let said = ''
  let candidate: unknown
  let building: { readonly id: string; readonly name: string; readonly args: PartialArguments } | undefined

  const reply = replyWriter(context, emit, { usage: () => (usage === undefined ? undefined : readUsage(usage)) })
  const { blocks } = reply

  /** A block that is nothing but a signature, for the part that comes next. */
  const sign = (part: SignedPart, signature: string) => {
    if (signature === '') return
    blocks.close()
    blocks.replay(() => signed(part, signature))
    blocks.close()
  }
  const built = (ending: 'whole' | 'cut') => {
    if (building === undefined) return
    const { id, name, args } = building
    building = undefined
    reply.call({ ...(id === '' ? {} : { id }), name, arguments: args.text(ending), whole: true })
  }

  const takeCall = (call: Fields, signature: string, position: number, data: string) => {
    const { id, name, args, partialArgs, willContinue } = call
    if (textOf(name) !== '') {
      built('whole')
      sign('call', signature)
      if (willContinue === true || Array.isArray(partialArgs)) {
        building = { id: textOf(id), name: textOf(name), args: partialArguments(args) }
      } else {
        const text = typeof args === 'string' ? args : exactArguments(args ?? {}, position, data, 'args')
        return reply.call({ ...(textOf(id) === '' ? {} : { id: textOf(id) }), name: textOf(name), arguments: text, whole: true })
      }
    }
    for (const piece of Array.isArray(partialArgs) ? partialArgs : []) if (isFields(piece)) building?.args.add(piece)
    if (willContinue !== true) built('whole')
  }

  const takeText = (text: string, thought: boolean, signature: string) => {
    if (thought) {
      if (signature !== '') blocks.close()
      if (text !== '') blocks.reasoning(text)
      if (signature === '') return
      blocks.replay(() => signed('thought', signature))
      return blocks.close()
    }
    sign(text === '' ? 'empty' : 'text', signature)
    if (text === '') return
    reply.text(text)
    if (signature !== '') blocks.close()
  }

  const takeParts = (parts: readonly unknown[], data: string) => {
    let calls = 0
    for (const part of parts) {
      if (!isFields(part)) continue
      const signature = textOf(part.thoughtSignature ?? part.thought_signature)
      const call = part.functionCall ?? part.function_call
      if (isFields(call)) {
        takeCall(call, signature, calls, data)
        calls += 1
      } else takeText(textOf(part.text), part.thought === true, signature)
    }
  }

  const take = (chunk: Fields, data: string, name: string) => {
    if (reply.finished) return
    for (const entry of Array.isArray(chunk.candidates) ? chunk.candidates : []) {
      if (!isFields(entry)) continue
      // More than one answer was not asked for; of several, the first is the reply.
      candidate ??= entry.index ?? 0
      if ((entry.index ?? candidate) !== candidate) continue
      const { parts } = fieldsOf(entry.content)
      if (Array.isArray(parts)) takeParts(parts, data)
      const reason = textOf(entry.finishReason)
      if (reason !== '' && reason !== 'FINISH_REASON_UNSPECIFIED') rawReason = reason
      said = textOf(entry.finishMessage) || said
    }
    const { promptFeedback: blocked } = chunk
    if (isFields(blocked)) {
      rawReason ??= textOf(blocked.blockReason) || undefined
      said = textOf(blocked.blockReasonMessage) || said
    }
    if (isFields(chunk.usageMetadata)) usage = mergeUsage(usage, chunk.usageMetadata)
    if (tellsFailure(chunk, name)) {
      built('cut')
      reply.fail(classifyFailure({ body: chunk }), rawReason)
    }
  }

  return replyBody(reply, {
    event: take,
    list(text) {
      const read = readJsonList(text, (fields, data) => take(fields, data, ''))
      if (reply.finished) return
      if (read === 'unreadable') reply.fail(unreadableReply(text))
      else if (candidate === undefined && rawReason === undefined) reply.fail(classifyFailure({ status: 200, body: text }))
    },
    end(how) {
      if (rawReason === undefined && how === 'closed') return built('cut')
      const kind = rawReason === undefined ? 'stop' : finishKind(rawReason, candidate === undefined)
      built(kind === 'stop' ? 'whole' : 'cut')
      if (kind !== 'error') return reply.end(kind, rawReason)
      // The model's own words in it must not decide what kind of failure this is.
      const message = `The reply ended with "${rawReason}". Try again. ${said.slice(0, 400)}`.trim()
      reply.fail({ class: 'provider', code: rawReason ?? '', transient: true, message }, rawReason)
    },
  })
}
