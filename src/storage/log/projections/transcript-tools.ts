// Tool cards in the transcript: asked for by a reply, started by `tool/call`, finished by `tool/result`.
import type { EventOf } from '../events.ts'
import type { ReplyItem, ToolCard, ToolState, TranscriptItem } from './transcript-items.ts'
import { replaceAt } from './transcript-reply.ts'

type Items = readonly TranscriptItem[]

export const callTool = (items: Items, event: EventOf<'tool/call'>): Items => {
  const { callId, name } = event.data
  const running: ToolState = { kind: 'running', since: event.time }
  const changed = changeCard(items, callId, (card) => ({ ...card, name, arguments: event.data.arguments, state: running }))
  if (changed !== undefined) return changed
  const key = `e${event.seq}`
  return [...items, { kind: 'tool', seq: event.seq, key, index: -1, callId, name, arguments: event.data.arguments, state: running }]
}

export const finishTool = (items: Items, event: EventOf<'tool/result'>): Items =>
  changeCard(items, event.data.callId, (card) => ({ ...card, state: outcomeOf(card, event) })) ?? items

const outcomeOf = (card: ToolCard, event: EventOf<'tool/result'>): ToolState => {
  const { content, isError, error, meta } = event.data
  const common = {
    content,
    ...(meta === undefined ? {} : { meta }),
    ...(card.state.kind === 'running' ? { ms: Math.max(0, event.time - card.state.since) } : {}),
  }
  if (!isError) return { kind: 'done', ...common }
  return { kind: failureKind(error?.code), ...common, ...(error === undefined ? {} : { error }) }
}

/** Told apart by the code: something that failed can be repaired, something that was stopped cannot be blamed on the tool. */
const failureKind = (code: string | undefined): 'failed' | 'denied' | 'aborted' => {
  switch (code) {
    case 'DENIED':
      return 'denied'
    case 'ABORTED':
    case 'ABORTED_BEFORE_DISPATCH':
    case 'TOOL_NOT_STARTED':
    case 'TOOL_OUTCOME_UNKNOWN':
      return 'aborted'
    default:
      return 'failed'
  }
}

const isUnfinished = (card: ToolCard): boolean =>
  card.state.kind === 'preparing' || card.state.kind === 'asked' || card.state.kind === 'running'

/** Changes the unfinished card with this id, wherever it is; undefined when there is none. */
const changeCard = (items: Items, callId: string, change: (card: ToolCard) => ToolCard): Items | undefined => {
  for (let position = items.length - 1; position >= 0; position--) {
    const item = items[position]
    if (item?.kind === 'tool' && item.callId === callId && isUnfinished(item))
      return replaceAt<TranscriptItem>(items, position, { ...item, ...change(item), seq: item.seq })
    if (item?.kind !== 'reply') continue
    const reply = changeInReply(item, callId, change)
    if (reply !== undefined) return replaceAt<TranscriptItem>(items, position, reply)
  }
  return undefined
}

const changeInReply = (reply: ReplyItem, callId: string, change: (card: ToolCard) => ToolCard): ReplyItem | undefined => {
  const position = reply.blocks.findIndex((block) => block.kind === 'tool' && block.callId === callId && isUnfinished(block))
  const card = reply.blocks[position]
  return card?.kind === 'tool' ? { ...reply, blocks: replaceAt(reply.blocks, position, change(card)) } : undefined
}
