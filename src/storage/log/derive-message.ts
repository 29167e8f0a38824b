// How one surface event becomes the message that the model sees, in exact shapes.
import type { ContentBlock, Message, Source } from './content.ts'
import { assertNever } from './errors.ts'
import type { SurfaceEvent } from './events.ts'

const tag = (text: string): ContentBlock => Object.freeze({ type: 'text', text })

/** Told apart from the person's own words by a tag that names who speaks. */
const wrap = (name: 'context' | 'steering', source: Source, content: readonly ContentBlock[]): readonly ContentBlock[] =>
  Object.freeze([tag(`<${name} source="${source.kind}">`), ...content, tag(`</${name}>`)])

const user = (content: readonly ContentBlock[]): Message => Object.freeze({ role: 'user', content })

/** Undefined for what contributes nothing: an empty assistant message, an empty context. Frozen, for everything in an event is. */
export const deriveMessage = (event: SurfaceEvent): Message | undefined => {
  switch (event.type) {
    case 'user/message':
      return user(event.data.content)
    case 'assistant/message': {
      const { content, provenance } = event.data
      return content.length === 0 ? undefined : Object.freeze({ role: 'assistant', content, provenance })
    }
    case 'tool/result': {
      const { callId, content, isError } = event.data
      return user(Object.freeze([Object.freeze({ type: 'tool-result', toolCallId: callId, content, isError })]))
    }
    case 'context/message': {
      const { content, source, envelope } = event.data
      if (content.length === 0) return undefined
      return user(envelope === 'raw' ? content : wrap('context', source, content))
    }
    case 'steering/message':
      return user(wrap('steering', event.data.source, event.data.content))
    default:
      return assertNever(event)
  }
}
