// The transcript: what a person sees of a session, folded from its events. Live and after a reload it is the same list.
import type { EventOf, SessionEvent, TurnEndReason } from '../events.ts'
import type { Projection } from '../projection.ts'
import type { EndingItem, Transcript, TranscriptItem } from './transcript-items.ts'
import { PAGE_SIZE } from './transcript-items.ts'
import { completeReply, failReply, growReply } from './transcript-reply.ts'
import { callTool, finishTool } from './transcript-tools.ts'

/**
 * A text delta costs the same however long the transcript is: it replaces the open reply and nothing else. Whether a message is
 * on disk is not a matter of the log; compare an item's `seq` with the view's `stored`.
 */
export const transcript: Projection<Transcript> = {
  initial: { pages: [], open: [] },
  apply(state, event) {
    switch (event.type) {
      case 'assistant/chunk':
        return withOpen(state, growReply(state.open, event))
      case 'assistant/message':
        return withOpen(state, completeReply(state.open, event))
      case 'tool/call':
        return withOpen(state, callTool(state.open, event))
      case 'tool/result':
        // A replacing result shortens what the model sees; the person keeps the whole one.
        return event.surfaceOp === 'append' ? withOpen(state, finishTool(state.open, event)) : state
      case 'user/message':
        return add(state, { kind: 'user', ...at(event), ...event.data })
      case 'steering/message':
        return add(state, {
          kind: 'steering',
          ...at(event),
          id: event.data.id,
          content: event.data.content,
          source: event.data.source,
        })
      case 'prompt/blocked':
        return add(state, { kind: 'blocked', ...at(event), ...event.data })
      case 'context/message':
        if (event.data.content.length === 0) return state // takes something off the surface; nothing to read
        return add(state, {
          kind: 'context',
          ...at(event),
          content: event.data.content,
          source: event.data.source,
          summary: event.surfaceOp !== 'append',
        })
      case 'model/retry': {
        const { attempt, delayMs, failure } = event.data
        const failed = withOpen(state, failReply(state.open, failure.message))
        return add(failed, { kind: 'retry', ...at(event), attempt, delayMs, failure })
      }
      case 'tool/late':
        return add(state, { kind: 'late', ...at(event), callId: event.data.callId, isError: event.data.isError })
      case 'step/start':
        return settle(state)
      case 'step/end':
        return settle(withOpen(state, failReply(state.open)))
      case 'turn/end': {
        const settled = settle(withOpen(state, failReply(state.open)))
        return isWorthSaying(event.data.reason) ? settle(add(settled, ending(event, event.data.reason))) : settled
      }
      case 'turn/start':
      case 'request/header':
      case 'question/asked':
      case 'question/answered':
      case 'approval/asked':
      case 'approval/decided':
      case 'todo/write':
      case 'task/started':
      case 'task/noted':
      case 'task/ended':
      case 'compaction/start':
      case 'compaction/end':
      case 'artifact/saved':
      case 'files/snapshot':
      case 'session/title':
      case 'plugin/noted':
        return state
      default:
        return unread(event, state)
    }
  },
}

/** The compiler finds a type without a case here; at run time it is an optional event of a newer version. */
const unread = (_event: never, state: Transcript): Transcript => state

const at = (event: SessionEvent) => ({ key: `e${event.seq}`, seq: event.seq, time: event.time })

const withOpen = (state: Transcript, open: readonly TranscriptItem[]): Transcript =>
  open === state.open ? state : { pages: state.pages, open }

const add = (state: Transcript, item: TranscriptItem): Transcript => ({ pages: state.pages, open: [...state.open, item] })

/** Moves the open items to the pages: they will not change any more. */
const settle = (state: Transcript): Transcript => {
  if (state.open.length === 0) return state
  const pages = [...state.pages]
  const last = pages.at(-1)
  let page = last !== undefined && last.length < PAGE_SIZE ? [...(pages.pop() ?? [])] : []
  for (const item of state.open) {
    if (page.length === PAGE_SIZE) {
      pages.push(page)
      page = []
    }
    page.push(item)
  }
  pages.push(page)
  return { pages, open: [] }
}

const isWorthSaying = (reason: TurnEndReason): reason is EndingItem['reason'] => reason.kind !== 'completed' && reason.kind !== 'rejected'

const ending = (event: EventOf<'turn/end'>, reason: EndingItem['reason']): EndingItem => ({
  kind: 'ending',
  ...at(event),
  turn: event.data.turn,
  reason,
})
