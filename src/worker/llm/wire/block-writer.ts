// Numbers the blocks of a reply and writes their chunks: one text or reasoning block is open at a time, calls stay open beside it.
import type { Json } from '../../../storage/log/content.ts'
import type { Chunk } from '../../../storage/log/model-call.ts'

export interface BlockWriter {
  text(piece: string): void
  reasoning(piece: string): void
  /**
   * Vendor data for the reasoning block that is open, or for a new one, made from what that block has already. A block with nothing
   * but such data has an end and no start: there is nothing to show.
   */
  replay(from: (held: Json | undefined) => Json): void
  /** Ends the open text or reasoning block. */
  close(): void
  /** The number of a new tool call; ends the open block. */
  startCall(): number
  /** How many blocks there were. */
  readonly count: number
}

type OpenBlock = { readonly type: 'text' | 'reasoning'; readonly index: number; started: boolean; text: string; replay?: Json }

export const blockWriter = (emit: (chunk: Chunk) => void): BlockWriter => {
  let count = 0
  let open: OpenBlock | undefined

  const close = () => {
    if (open === undefined) return
    const { type, index, text, replay } = open
    open = undefined
    emit({ type: 'block-end', index, block: { type, text, ...(replay === undefined ? {} : { replay }) } })
  }
  const ensure = (type: OpenBlock['type']): OpenBlock => {
    if (open?.type === type) return open
    close()
    open = { type, index: count, started: false, text: '' }
    count += 1
    return open
  }
  const grow = (type: OpenBlock['type'], piece: string): number => {
    const block = ensure(type)
    if (!block.started) emit({ type: 'block-start', index: block.index, blockType: type })
    block.started = true
    block.text += piece
    return block.index
  }

  return {
    text(piece) {
      emit({ type: 'text-delta', index: grow('text', piece), text: piece })
    },
    reasoning(piece) {
      emit({ type: 'reasoning-delta', index: grow('reasoning', piece), text: piece })
    },
    replay(from) {
      const block = ensure('reasoning')
      block.replay = from(block.replay)
    },
    close,
    startCall() {
      close()
      emit({ type: 'block-start', index: count, blockType: 'tool-call' })
      count += 1
      return count - 1
    },
    get count() {
      return count
    },
  }
}
