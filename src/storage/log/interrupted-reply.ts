// The part of a broken-off reply that the person saw: what repair commits as an interrupted `assistant/message`.
import type { ContentBlock } from './content.ts'
import type { EventOf } from './events.ts'
import type { Chunk, Usage } from './model-call.ts'

type Block = { readonly type: 'text' | 'reasoning'; readonly pieces: string[]; ended: ContentBlock | undefined }

export type InterruptedReply = {
  readonly content: readonly ContentBlock[]
  readonly usage: Usage | undefined
  /** The seqs of the attempt's chunks. */
  readonly sources: readonly number[]
}

const take = (blocks: Map<number, Block>, chunk: Chunk): void => {
  const open = (index: number, type: Block['type']): Block | undefined => {
    const block = blocks.get(index) ?? { type, pieces: [], ended: undefined }
    blocks.set(index, block)
    return block.type === type && block.ended === undefined ? block : undefined
  }
  if (chunk.type === 'text-delta') open(chunk.index, 'text')?.pieces.push(chunk.text)
  else if (chunk.type === 'reasoning-delta') open(chunk.index, 'reasoning')?.pieces.push(chunk.text)
  else if (chunk.type === 'block-start' && chunk.blockType !== 'tool-call') open(chunk.index, chunk.blockType)
  else if (chunk.type === 'block-end' && (chunk.block.type === 'text' || chunk.block.type === 'reasoning')) {
    const block = open(chunk.index, chunk.block.type)
    if (block !== undefined) block.ended = chunk.block
  }
}

const close = (block: Block): ContentBlock => block.ended ?? { type: block.type, text: block.pieces.join('') }

const isVisible = (block: ContentBlock): boolean => (block.type === 'text' || block.type === 'reasoning') && block.text.trim() !== ''

/**
 * Text and reasoning, without calls; undefined if there was nothing to see, or if the model call had failed by itself (then its
 * chunks belong to nobody, as in a live turn).
 */
export const interruptedReply = (attempt: readonly EventOf<'assistant/chunk'>[]): InterruptedReply | undefined => {
  const blocks = new Map<number, Block>()
  let usage: Usage | undefined
  for (const { data } of attempt) {
    take(blocks, data.chunk)
    if (data.chunk.type === 'usage') usage = data.chunk.usage
    if (data.chunk.type === 'finish' && data.chunk.reason.kind === 'error') return undefined
  }
  const content = [...blocks.values()].map(close).filter(isVisible)
  return content.length === 0 ? undefined : { content, usage, sources: attempt.map((event) => event.seq) }
}
