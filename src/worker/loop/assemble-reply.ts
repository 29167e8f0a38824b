// Puts the chunks of one reply together to content blocks. Tolerant: servers leave out starts and ends.
import type { ContentBlock, Json } from '../../storage/log/content.ts'
import type { Chunk, FinishReason, Usage } from '../../storage/log/model-call.ts'
import { isContent } from './read-input.ts'

type OpenBlock = {
  readonly type: 'text' | 'reasoning' | 'tool-call'
  text: string
  id: string
  name: string
  ended: ContentBlock | undefined
}

export interface ReplyAssembler {
  take(chunk: Chunk): void
  /** In the order first seen, without empty ones. */
  content(): readonly ContentBlock[]
  readonly usage: Usage | undefined
  /** Undefined when the stream just stopped. */
  readonly finish: FinishReason | undefined
  readonly replayState: Json | undefined
}

const close = (block: OpenBlock): ContentBlock => {
  if (block.ended !== undefined) return block.ended
  if (block.type === 'tool-call') return { type: 'tool-call', id: block.id, name: block.name, arguments: block.text }
  return { type: block.type, text: block.text }
}

const hasContent = (block: ContentBlock): boolean =>
  block.type === 'text' ? block.text !== '' : block.type === 'reasoning' ? block.text !== '' || block.replay !== undefined : true

export const createReplyAssembler = (): ReplyAssembler => {
  const blocks = new Map<number, OpenBlock>()
  let usage: Usage | undefined
  let finish: FinishReason | undefined
  let replayState: Json | undefined

  /** The block at this index if it still takes deltas; made when its start was left out. */
  const open = (index: number, type: OpenBlock['type']): OpenBlock | undefined => {
    let block = blocks.get(index)
    if (block === undefined) {
      block = { type, text: '', id: '', name: '', ended: undefined }
      blocks.set(index, block)
    }
    return block.ended === undefined && block.type === type ? block : undefined
  }

  return {
    take(chunk) {
      switch (chunk.type) {
        case 'text-delta': {
          const block = open(chunk.index, 'text')
          if (block) block.text += chunk.text
          return
        }
        case 'reasoning-delta': {
          const block = open(chunk.index, 'reasoning')
          if (block) block.text += chunk.text
          return
        }
        case 'tool-call-delta': {
          const block = open(chunk.index, 'tool-call')
          if (!block) return
          block.text += chunk.argumentsDelta
          block.id ||= chunk.id
          block.name ||= chunk.name ?? ''
          return
        }
        case 'block-start':
          open(chunk.index, chunk.blockType)
          return
        case 'block-end': {
          const { block } = chunk
          if (!isContent([block])) return // the deltas before it stand
          if (block.type !== 'text' && block.type !== 'reasoning' && block.type !== 'tool-call') return
          const started = open(chunk.index, block.type)
          if (started) started.ended = block
          return
        }
        case 'usage':
          usage = chunk.usage
          return
        case 'finish':
          finish ??= chunk.reason
          replayState ??= chunk.replayState
          return
      }
    },
    content: () => [...blocks.values()].map(close).filter(hasContent),
    get usage() {
      return usage
    },
    get finish() {
      return finish
    },
    get replayState() {
      return replayState
    },
  }
}
