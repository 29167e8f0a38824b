// Tool cards in the transcript: asked for by a reply, started by `tool/call`, finished by `tool/result`.
import type { Json, JsonObject } from '../content.ts'
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

/** The card shows the question, and that it waits for the person. */
export const askQuestion = (items: Items, { data, time }: EventOf<'question/asked'>): Items =>
  changeCard(items, data.callId, (card) => ({
    ...card,
    state: { kind: 'waiting', on: 'answer', since: time },
    asked: { questions: data.questions },
  })) ?? items

export const answerQuestion = (items: Items, { data, time }: EventOf<'question/answered'>): Items =>
  changeCard(items, data.callId, (card) =>
    card.asked === undefined
      ? card
      : { ...card, state: { kind: 'running', since: time }, asked: { questions: card.asked.questions, answers: data.answers } },
  ) ?? items

export const askApproval = (items: Items, { data, time }: EventOf<'approval/asked'>): Items =>
  changeCard(items, data.callId, (card) => ({ ...card, state: { kind: 'waiting', on: 'decision', since: time } })) ?? items

/** From here on it runs: how long the person took is not the tool's time. */
export const decideApproval = (items: Items, { data, time }: EventOf<'approval/decided'>): Items =>
  changeCard(items, data.callId, (card) => ({ ...card, state: { kind: 'running', since: time }, decision: data.decision })) ?? items

/** What the model sees of a result became shorter; the person keeps the whole one, and is told. */
export const shortenResult = (items: Items, { data: { callId, meta } }: EventOf<'tool/result'>): Items => {
  const file = fileIn(meta)
  return changeCard(items, callId, (card) => ({ ...card, shortened: file === undefined ? {} : { file } }), isFinished) ?? items
}

const fileIn = (meta: Json | undefined): string | undefined => {
  const pruned = fieldOf(meta, 'pruned')
  const file = fieldOf(pruned, 'file')
  return typeof file === 'string' ? file : undefined
}

const fieldOf = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined

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

const isFinished = ({ state }: ToolCard): boolean => 'content' in state
const isUnfinished = (card: ToolCard): boolean => !isFinished(card)

type Change = (card: ToolCard) => ToolCard

/** Changes the newest card with this id that `fits`, wherever it is; undefined when there is none. */
const changeCard = (items: Items, callId: string, change: Change, fits = isUnfinished): Items | undefined => {
  for (let position = items.length - 1; position >= 0; position--) {
    const item = items[position]
    if (item?.kind === 'tool' && item.callId === callId && fits(item))
      return replaceAt<TranscriptItem>(items, position, { ...item, ...change(item), seq: item.seq })
    if (item?.kind !== 'reply') continue
    const reply = changeInReply(item, callId, change, fits)
    if (reply !== undefined) return replaceAt<TranscriptItem>(items, position, reply)
  }
  return undefined
}

const changeInReply = (reply: ReplyItem, callId: string, change: Change, fits: (card: ToolCard) => boolean): ReplyItem | undefined => {
  const position = reply.blocks.findIndex((block) => block.kind === 'tool' && block.callId === callId && fits(block))
  const card = reply.blocks[position]
  return card?.kind === 'tool' ? { ...reply, blocks: replaceAt(reply.blocks, position, change(card)) } : undefined
}
