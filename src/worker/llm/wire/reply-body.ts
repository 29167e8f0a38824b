// The other half that vendors share: the bytes of a body → its parsed events, or the one JSON document that came in place of a stream.
import { classifyFailure } from '../failures.ts'
import { splitByForm } from './body-form.ts'
import { type Fields, isFields, parsedJson } from './fields.ts'
import { eventParser } from './framing.ts'
import type { ReplyReader } from './reply-reader.ts'
import type { ReplyWriter } from './reply-writer.ts'
import { stoppedStream, unreadableReply } from './stream-failures.ts'

export type BodyEvents = {
  /** `data`: the text that it was parsed from; `name`: of the event, '' without one. */
  event(fields: Fields, data: string, name: string): void
  /** The end marker came (`[DONE]`), or the connection closed. To return without ending the reply means: it just stopped. */
  end(how: 'marked' | 'closed'): void
} & (
  | {
      /** One JSON document. What is still not finished afterwards is ended as `marked`. */
      whole(fields: Fields, text: string): void
    }
  | {
      /** For a vendor that streams a JSON list to whoever asks for no events: such a body, also one that was cut. */
      list(text: string): void
    }
)

/** What cannot be read, a page, and a stream that just stops end the reply as failures here. */
export const replyBody = (reply: ReplyWriter, on: BodyEvents): ReplyReader => {
  let noise = ''
  let closing = false

  const end = (how: 'marked' | 'closed') => {
    if (!reply.finished) on.end(how)
    if (!reply.finished) reply.fail(stoppedStream(reply.blocks.count, noise))
  }
  const take = (data: string, name: string) => {
    if (reply.finished || data.trim() === '') return
    if (isMark(data)) return end('marked')
    const fields = objectIn(data)
    if (fields !== undefined) return on.event(fields, data, name)
    // Some servers forget the blank line between two events.
    const lines = data.split('\n').filter((line) => isMark(line) || objectIn(line) !== undefined)
    if (lines.length > 0) for (const line of lines) take(line, name)
    else if (name === 'error') reply.fail(classifyFailure({ body: data }))
    // What does not even begin like JSON is a keep-alive, or words that explain a stream which stops.
    else if (!/^\s*(\{|\[\s*\{)/.test(data)) noise = data.slice(0, 200)
    else if (!closing) reply.fail(unreadableReply(data))
  }
  const events = eventParser(take)
  const body = splitByForm(events, (text) => {
    if (/^\s*</.test(text)) return reply.fail(classifyFailure({ status: 200, body: text }))
    if ('list' in on) {
      on.list(text)
      return end('closed')
    }
    const fields = objectIn(text)
    if (fields === undefined) return reply.fail(unreadableReply(text))
    on.whole(fields, text)
    end('marked')
  })

  return {
    push(bytes) {
      if (!reply.finished) body.push(bytes)
    },
    end() {
      if (reply.finished) return
      closing = true
      body.end()
      end('closed')
    },
    get finished() {
      return reply.finished
    },
  }
}

const isMark = (data: string): boolean => data.trim() === '[DONE]'

const objectIn = (text: string): Fields | undefined => {
  const value = parsedJson(text)
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isFields(first) ? first : undefined
}
