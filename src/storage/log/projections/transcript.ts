// The transcript: what a person sees of a session, folded from its events. Live and after a reload it is the same list.
import type { EventOf, SessionEvent, TurnEndReason } from '../events.ts'
import type { Projection } from '../projection.ts'
import type { ContextItem, EndingItem, Transcript, TranscriptItem } from './transcript-items.ts'
import { PAGE_SIZE } from './transcript-items.ts'
import { compactingAt, endCompaction, endRetry, isReminder, retryMade, takeSummary } from './transcript-notes.ts'
import { completeReply, failReply, growReply } from './transcript-reply.ts'
import { answerQuestion, askApproval, askQuestion, callTool, decideApproval, finishTool, shortenResult } from './transcript-tools.ts'

/**
 * A text delta costs the same however long the transcript is: it replaces the open reply and nothing else. Whether a message is
 * on disk is not a matter of the log; compare an item's `seq` with the view's `stored`.
 */
export const transcript: Projection<Transcript> = {
  initial: { pages: [], open: [] },
  apply(state, event) {
    switch (event.type) {
      case 'assistant/chunk':
        return withOpen(state, growReply(retryMade(state.open), event))
      case 'assistant/message':
        return withOpen(state, completeReply(retryMade(state.open), event))
      case 'tool/call':
        return withOpen(state, callTool(state.open, event))
      case 'tool/result':
        return withOpen(state, event.surfaceOp === 'append' ? finishTool(state.open, event) : shortenResult(state.open, event))
      case 'question/asked':
        return withOpen(state, askQuestion(state.open, event))
      case 'question/answered':
        return withOpen(state, answerQuestion(state.open, event))
      case 'approval/asked':
        return withOpen(state, askApproval(state.open, event))
      case 'approval/decided':
        return withOpen(state, decideApproval(state.open, event))
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
        return event.data.content.length === 0 ? state : addContext(state, event) // empty: it takes something off the surface
      case 'model/retry': {
        const { attempt, delayMs, failure } = event.data
        const failed = withOpen(state, failReply(retryMade(state.open), failure.message))
        return add(failed, { kind: 'retry', ...at(event), attempt, delayMs, failure, state: 'waiting' })
      }
      case 'tool/late':
        return add(state, { kind: 'late', ...at(event), callId: event.data.callId, isError: event.data.isError })
      case 'compaction/start':
        return add(state, { kind: 'compaction', ...at(event), ...event.data })
      case 'compaction/end':
        return withOpen(state, endCompaction(state.open, event.data))
      case 'task/started':
        return add(state, { kind: 'task-started', ...at(event), task: event.data.kind })
      case 'task/ended':
        return add(state, { kind: 'task-ended', ...at(event), result: event.data.result })
      case 'step/start':
        return settle(state)
      case 'step/end':
        return settle(withOpen(state, endRetry(failReply(state.open), event.time)))
      case 'turn/end': {
        // What is still open then, as in a log that was cut, ends with its turn.
        const closed = endCompaction(endRetry(failReply(state.open), event.time), { outcome: 'aborted' })
        const settled = settle(withOpen(state, closed))
        return isWorthSaying(event.data.reason) ? settle(add(settled, ending(event, event.data.reason))) : settled
      }
      case 'turn/start':
      case 'request/header':
      case 'todo/write':
      case 'task/noted':
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

const addContext = (state: Transcript, event: EventOf<'context/message'>): Transcript => {
  const { content, source, meta } = event.data
  const summary = event.surfaceOp !== 'append'
  const item: ContextItem = { kind: 'context', ...at(event), content, source, summary, reminder: isReminder(event.data) }
  const taken = takeSummary(state.open, item, meta)
  return taken === undefined ? add(state, item) : withOpen(state, taken)
}

/** Moves the open items to the pages: they will not change any more. A compaction that goes on still can, and holds what follows it. */
const settle = (state: Transcript): Transcript => {
  const held = compactingAt(state.open)
  const done = held < 0 ? state.open : state.open.slice(0, held)
  if (done.length === 0) return state
  const pages = [...state.pages]
  const last = pages.at(-1)
  let page = last !== undefined && last.length < PAGE_SIZE ? [...(pages.pop() ?? [])] : []
  for (const item of done) {
    if (page.length === PAGE_SIZE) {
      pages.push(page)
      page = []
    }
    page.push(item)
  }
  pages.push(page)
  return { pages, open: held < 0 ? [] : state.open.slice(held) }
}

const isWorthSaying = (reason: TurnEndReason): reason is EndingItem['reason'] => reason.kind !== 'completed' && reason.kind !== 'rejected'

const ending = (event: EventOf<'turn/end'>, reason: EndingItem['reason']): EndingItem => ({
  kind: 'ending',
  ...at(event),
  turn: event.data.turn,
  reason,
})
