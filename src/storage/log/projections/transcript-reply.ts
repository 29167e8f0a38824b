// One reply in the transcript: grown chunk by chunk, then completed by its `assistant/message` as the same item.
import type { ContentBlock } from '../content.ts'
import type { EventOf } from '../events.ts'
import type { Chunk } from '../model-call.ts'
import type { ProseBlock, ReplyBlock, ReplyItem, ToolCard, TranscriptItem } from './transcript-items.ts'

type Items = readonly TranscriptItem[]

/** Applies one chunk to the streaming reply, or begins a reply with it. */
export const growReply = (items: Items, event: EventOf<'assistant/chunk'>): Items => {
  const { chunk, turn, step } = event.data
  if (chunk.type === 'usage') return items
  const position = streamingAt(items)
  const reply = items[position] as ReplyItem | undefined
  if (reply === undefined) return [...items, withChunk(begin(event.seq, turn, step), chunk)]
  // A request that was made again streams from the start: what the first attempt said stays, marked as failed.
  if (reply.finished || (chunk.type === 'block-start' && reply.blocks.some((block) => block.index === chunk.index)))
    return [...replaceAt(items, position, failed(reply)), withChunk(begin(event.seq, turn, step), chunk)]
  const grown = withChunk(reply, chunk)
  return grown === reply ? items : replaceAt(items, position, grown)
}

/** The final state of a reply. Blocks that say what was streamed keep their identity, so that nothing is drawn again. */
export const completeReply = (items: Items, event: EventOf<'assistant/message'>): Items => {
  const { turn, step, content, provenance, usage, interrupted } = event.data
  const position = streamingAt(items)
  const live = (items[position] as ReplyItem | undefined) ?? begin(event.seq, turn, step)
  const blocks: ReplyBlock[] = []
  for (const block of content) {
    const shown = finalBlock(live, block, blocks.length)
    if (shown !== undefined) blocks.push(shown)
  }
  // Calls that were streamed and then dropped (a stop, the output limit) stay visible: they never ran.
  const kept = new Set(blocks.map((block) => (block.kind === 'tool' ? block.callId : '')))
  for (const block of live.blocks) {
    if (block.kind === 'tool' && !kept.has(block.callId)) blocks.push({ ...block, state: { kind: 'aborted', content: [] } })
  }
  const reply: ReplyItem = {
    ...live,
    blocks,
    finished: true,
    state: { kind: interrupted ? 'interrupted' : 'done' },
    provenance,
    ...(usage === undefined ? {} : { usage }),
  }
  return position < 0 ? [...items, reply] : replaceAt(items, position, reply)
}

/** Marks a reply that is still streaming as failed; one that said nothing leaves no trace. */
export const failReply = (items: Items, message?: string): Items => {
  const position = streamingAt(items)
  if (position < 0) return items
  const reply = items[position] as ReplyItem
  return reply.blocks.length === 0 ? items.toSpliced(position, 1) : replaceAt(items, position, failed(reply, message))
}

/** Only the newest reply can stream, and only tool cards and notes can follow it. */
const streamingAt = (items: Items): number => items.findLastIndex((item) => item.kind === 'reply' && item.state.kind === 'streaming')

export const replaceAt = <T>(list: readonly T[], position: number, value: T): readonly T[] => {
  const copy = list.slice()
  copy[position] = value
  return copy
}

const begin = (seq: number, turn: number, step: number): ReplyItem => ({
  kind: 'reply',
  key: `e${seq}`,
  seq,
  turn,
  step,
  state: { kind: 'streaming' },
  blocks: [],
  finished: false,
})

const failed = (reply: ReplyItem, message?: string): ReplyItem => ({
  ...reply,
  finished: true,
  state: { kind: 'failed', ...(message === undefined ? {} : { message }) },
  blocks: reply.blocks.map((block) => {
    if (block.kind === 'tool') return { ...block, state: { kind: 'aborted', content: [] } }
    return block.open ? { ...block, open: false } : block
  }),
})

const withChunk = (reply: ReplyItem, chunk: Chunk): ReplyItem => {
  switch (chunk.type) {
    case 'block-start':
      return chunk.blockType === 'tool-call' ? reply : withProse(reply, chunk.index, chunk.blockType, '')
    case 'text-delta':
      return withProse(reply, chunk.index, 'text', chunk.text)
    case 'reasoning-delta':
      return withProse(reply, chunk.index, 'reasoning', chunk.text)
    case 'tool-call-delta':
      return withCall(reply, chunk.index, chunk.id, chunk.name, chunk.argumentsDelta)
    case 'block-end':
      return withEnd(reply, chunk.index, chunk.block)
    case 'finish':
      return { ...reply, finished: true }
    case 'usage':
      return reply
  }
}

const positionOf = (reply: ReplyItem, index: number): number => reply.blocks.findLastIndex((block) => block.index === index)

const keyOf = (reply: ReplyItem, position: number): string => `${reply.key}.${position}`

const withBlock = (reply: ReplyItem, position: number, block: ReplyBlock): ReplyItem => ({
  ...reply,
  blocks: position < 0 ? [...reply.blocks, block] : replaceAt(reply.blocks, position, block),
})

const withProse = (reply: ReplyItem, index: number, kind: ProseBlock['kind'], delta: string): ReplyItem => {
  const position = positionOf(reply, index)
  const block = reply.blocks[position]
  if (block === undefined) return withBlock(reply, -1, { kind, key: keyOf(reply, reply.blocks.length), index, text: delta, open: true })
  // After its end a block takes nothing more; `text + delta` is a rope in every engine, flattened only when it is read.
  if (block.kind !== kind || !block.open || delta === '') return reply
  return withBlock(reply, position, { ...block, text: block.text + delta })
}

const withCall = (reply: ReplyItem, index: number, callId: string, name: string | undefined, delta: string): ReplyItem => {
  const position = positionOf(reply, index)
  const block = reply.blocks[position]
  if (block === undefined) {
    const key = keyOf(reply, reply.blocks.length)
    return withBlock(reply, -1, { kind: 'tool', key, index, callId, name: name ?? '', arguments: delta, state: { kind: 'preparing' } })
  }
  if (block.kind !== 'tool' || block.state.kind !== 'preparing') return reply
  return withBlock(reply, position, { ...block, callId, name: name ?? block.name, arguments: block.arguments + delta })
}

const withEnd = (reply: ReplyItem, index: number, end: ContentBlock): ReplyItem => {
  const position = positionOf(reply, index)
  const block = reply.blocks[position]
  const over = block?.kind === 'tool' ? block.state.kind !== 'preparing' : block?.open === false
  if (over) return reply // the first end wins
  const shown = settled(block, end, index, block?.key ?? keyOf(reply, reply.blocks.length))
  return shown === undefined ? reply : withBlock(reply, position, shown)
}

/** The block at this place of the finished message, as the one that was streamed if that one says the same. */
const finalBlock = (live: ReplyItem, block: ContentBlock, position: number): ReplyBlock | undefined => {
  if (block.type !== 'tool-call') return settled(live.blocks[position], block, -1, keyOf(live, position))
  const streamed = live.blocks.find((candidate): candidate is ToolCard => candidate.kind === 'tool' && candidate.callId === block.id)
  return settled(streamed, block, -1, streamed?.key ?? keyOf(live, position))
}

const settled = (streamed: ReplyBlock | undefined, block: ContentBlock, index: number, key: string): ReplyBlock | undefined => {
  switch (block.type) {
    case 'text':
    case 'reasoning': {
      if (streamed?.kind === block.type && streamed.text === block.text) return streamed.open ? { ...streamed, open: false } : streamed
      // An empty block would be an empty paragraph on the page.
      return block.text === '' && streamed?.kind !== block.type
        ? undefined
        : { kind: block.type, key, index: streamed?.index ?? index, text: block.text, open: false }
    }
    case 'tool-call':
      return {
        kind: 'tool',
        key,
        index: streamed?.index ?? index,
        callId: block.id,
        name: block.name,
        arguments: block.arguments,
        state: { kind: 'asked' },
      }
    case 'image':
    case 'tool-result':
      return undefined
  }
}
