// How one surface event becomes the message that the model sees, in exact shapes.
import type { ContentBlock, Message, Source } from './content.ts'
import { assertNever } from './errors.ts'
import type { SurfaceEvent } from './events.ts'
import { freezeJson } from './lossless-json.ts'

/** Told apart from the person's own words by a tag that names who speaks. */
const wrap = (tag: 'context' | 'steering', source: Source, content: readonly ContentBlock[]): readonly ContentBlock[] => [
  { type: 'text', text: `<${tag} source="${source.kind}">` },
  ...content,
  { type: 'text', text: `</${tag}>` },
]

const derive = (event: SurfaceEvent): Message | undefined => {
  switch (event.type) {
    case 'user/message':
      return { role: 'user', content: event.data.content }
    case 'assistant/message':
      return event.data.content.length === 0
        ? undefined
        : { role: 'assistant', content: event.data.content, provenance: event.data.provenance }
    case 'tool/result': {
      const { callId, content, isError } = event.data
      return { role: 'user', content: [{ type: 'tool-result', toolCallId: callId, content, isError }] }
    }
    case 'context/message': {
      const { content, source, envelope } = event.data
      if (content.length === 0) return undefined
      return { role: 'user', content: envelope === 'raw' ? content : wrap('context', source, content) }
    }
    case 'steering/message':
      return { role: 'user', content: wrap('steering', event.data.source, event.data.content) }
    default:
      return assertNever(event)
  }
}

/** Undefined for what contributes nothing: an empty assistant message, an empty context. Frozen. */
export const deriveMessage = (event: SurfaceEvent): Message | undefined => {
  const message = derive(event)
  return message === undefined ? undefined : freezeJson(message)
}
