// The reader of Ollama's native chat: bytes with a JSON object on each line → chunks. Pure; see reply-reader.ts.
import type { Chunk, Usage } from '../../../../storage/log/model-call.ts'
import { classifyFailure, tellsFailure } from '../../failures.ts'
import { exactArguments } from '../exact-arguments.ts'
import { type Fields, fieldsOf, isFields, parsedJson, textOf } from '../fields.ts'
import { lineParser } from '../json-lines.ts'
import { readJsonList } from '../json-list.ts'
import type { ReaderContext, ReplyReader } from '../reply-reader.ts'
import { type EndKind, replyWriter } from '../reply-writer.ts'
import { stoppedStream, unreadableReply } from '../stream-failures.ts'
import { count, mergeUsage } from '../token-counts.ts'

/** `load` and `unload`: the server was only asked to have the model ready. */
const WORDS: Readonly<Record<string, EndKind>> = { stop: 'stop', length: 'max-tokens', load: 'stop', unload: 'stop' }

/**
 * `done` is the end marker. A line that is no JSON ends the reply as a failure, unless it is the last one, which a lost connection
 * may have cut. Calls come whole, as objects, mostly without ids.
 */
export const ollamaChatReader = (context: ReaderContext, emit: (chunk: Chunk) => void): ReplyReader => {
  let usage: Fields | undefined
  let noise = ''
  // An answer that was written over several lines, as by a proxy or a page: read at the end.
  let spread: string[] | undefined
  const reply = replyWriter(context, emit, { usage: () => readUsage(usage) })
  const { blocks } = reply

  const takeMessage = ({ content, thinking, tool_calls: calls }: Fields, data: string) => {
    if (textOf(thinking) !== '') {
      blocks.reasoning(textOf(thinking))
      blocks.replay(() => ({ field: 'thinking' }))
    }
    if (textOf(content) !== '') reply.text(textOf(content))
    const listed: readonly unknown[] = Array.isArray(calls) ? calls : []
    listed.forEach((call, position) => {
      if (!isFields(call)) return
      const { name, arguments: args = {}, ...called } = fieldsOf(call.function ?? call)
      const id = textOf(call.id ?? called.id)
      reply.call({
        ...(id === '' ? {} : { id }),
        name: textOf(name),
        arguments: typeof args === 'string' ? args : exactArguments(args ?? {}, position, data),
        whole: true,
      })
    })
  }

  const take = (fields: Fields, data: string) => {
    if (reply.finished) return
    const { message, done } = fields
    if (isFields(message)) takeMessage(message, data)
    else if (textOf(fields.response) !== '') reply.text(textOf(fields.response))
    if (readUsage(fields) !== undefined)
      usage = mergeUsage(usage, { prompt_eval_count: fields.prompt_eval_count, eval_count: fields.eval_count })
    if (tellsFailure(fields)) return reply.fail(classifyFailure({ body: fields }))
    if (done !== true) return
    const reason = textOf(fields.done_reason)
    reply.end(Object.hasOwn(WORDS, reason) ? WORDS[reason]! : reason === '' ? 'stop' : `x-${reason}`, reason === '' ? undefined : reason)
  }

  const lines = lineParser((line, last) => {
    if (reply.finished) return
    if (spread !== undefined) return void spread.push(line)
    const data = line.replace(/^data:\s*/, '')
    const fields = parsedJson(data)
    if (isFields(fields)) return take(fields, data)
    if (/^(<|[{[]$)/.test(data)) spread = [line]
    else if (!/^(\{|\[\s*\{)/.test(data)) noise = line.slice(0, 200)
    else {
      // Objects that a proxy has put on one line; or one that was cut, which only the last may be.
      const read = readJsonList(data, take)
      if (!reply.finished && (read === 'unreadable' || (read === 'cut' && !last))) reply.fail(unreadableReply(line))
    }
  })

  return {
    push(bytes) {
      if (!reply.finished) lines.push(bytes)
    },
    end() {
      if (reply.finished) return
      lines.end()
      const text = spread?.join('\n') ?? ''
      if (text.startsWith('<')) return reply.fail(classifyFailure({ status: 200, body: text }))
      if (readJsonList(text, take) === 'unreadable' && !reply.finished) reply.fail(unreadableReply(text))
      if (!reply.finished) reply.fail(stoppedStream(blocks.count, noise))
    },
    get finished() {
      return reply.finished
    },
  }
}

/** What was read from the cache is not counted by the server at all. */
const readUsage = (fields: Fields | undefined): Usage | undefined => {
  const read = count(fields, 'prompt_eval_count')
  const written = count(fields, 'eval_count')
  if (read === undefined && written === undefined) return undefined
  return { inputTokens: read ?? 0, outputTokens: written ?? 0 }
}
