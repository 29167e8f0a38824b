// Which blobs an event names: what a copy of a session must take along, and what an import must find.
import type { BlobId, ContentBlock, Message } from './content.ts'
import { assertNever } from './errors.ts'
import { isKnownEventType, type SessionEvent } from './events.ts'

const ofContent = (content: readonly ContentBlock[]): readonly BlobId[] =>
  content.flatMap((block) => {
    if (block.type === 'image') return [block.blob]
    return block.type === 'tool-result' ? ofContent(block.content) : []
  })

const ofMessages = (messages: readonly Message[] = []): readonly BlobId[] => messages.flatMap(({ content }) => ofContent(content))

/** A tree names blobs in turn: see `file-tree.ts`. Optional events of an unknown type name none. */
export const blobsOf = (event: SessionEvent): readonly BlobId[] => {
  if (!isKnownEventType(event.type)) return []
  switch (event.type) {
    case 'user/message':
    case 'prompt/blocked':
    case 'context/message':
    case 'steering/message':
    case 'assistant/message':
    case 'tool/result':
      return ofContent(event.data.content)
    case 'task/started':
      return ofContent(event.data.prompt)
    case 'request/header':
      return ofMessages(event.data.header.messagePrefix)
    case 'assistant/chunk':
      return event.data.chunk.type === 'block-end' ? ofContent([event.data.chunk.block]) : []
    case 'artifact/saved':
      return [event.data.blob]
    case 'files/snapshot':
      return [event.data.tree]
    case 'turn/start':
    case 'turn/end':
    case 'step/start':
    case 'step/end':
    case 'tool/call':
    case 'tool/late':
    case 'model/retry':
    case 'question/asked':
    case 'question/answered':
    case 'approval/asked':
    case 'approval/decided':
    case 'todo/write':
    case 'task/noted':
    case 'task/ended':
    case 'compaction/start':
    case 'compaction/end':
    case 'session/title':
    case 'plugin/noted':
      return []
    default:
      return assertNever(event)
  }
}
