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
  const events = eventParser((data, name) => {
    if (reply.finished || data.trim() === '') return
    if (data.trim() === '[DONE]') return end('marked')
    const fields = firstOf(parsedJson(data))
    if (isFields(fields)) return on.event(fields, data, name)
    // What does not even begin like JSON is a keep-alive, or words that explain a stream which stops.
    if (!/^\s*(\{|\[\s*\{)/.test(data)) noise = data.slice(0, 200)
    else if (!closing) reply.fail(unreadableReply(data))
  })
  const body = splitByForm(events, (text) => {
    if (/^\s*</.test(text)) return reply.fail(classifyFailure({ status: 200, body: text }))
    if ('list' in on) {
      on.list(text)
      return end('closed')
    }
    const fields = firstOf(parsedJson(text))
    if (!isFields(fields)) return reply.fail(unreadableReply(text))
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

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
