// What the list of sessions shows, folded from the log: title, times, turns, how it stands.
import type { TurnEndReason } from '../events.ts'
import type { Projection } from '../projection.ts'
import type { SessionSummary } from '../session-summary.ts'
import { titleFrom } from '../title-from.ts'

export type LogSummary = Pick<SessionSummary, 'title' | 'updatedAt' | 'turns' | 'status'> & {
  /** The person named it, or only the first words of the first message did. */
  readonly titleBy: 'nobody' | 'message' | 'plugin' | 'user'
}

/** Characters. */
const MAX_TITLE = 80

const statusAfter = (reason: TurnEndReason): SessionSummary['status'] =>
  reason.kind === 'error' ? 'failed' : reason.kind === 'interrupted' ? 'interrupted' : 'idle'

/** `updatedAt` moves when a turn starts or ends, not with every chunk. */
export const summary: Projection<LogSummary> = {
  initial: { title: '', updatedAt: 0, turns: 0, status: 'idle', titleBy: 'nobody' },
  apply(state, event) {
    switch (event.type) {
      case 'turn/start':
        return { ...state, turns: event.data.turn, status: 'running', updatedAt: event.time }
      case 'turn/end':
        return { ...state, status: statusAfter(event.data.reason), updatedAt: event.time }
      case 'question/asked':
      case 'approval/asked':
        return { ...state, status: 'waiting', updatedAt: event.time }
      case 'question/answered':
      case 'approval/decided':
        return { ...state, status: 'running', updatedAt: event.time }
      case 'session/title':
        return { ...state, title: event.data.title, titleBy: event.data.by, updatedAt: event.time }
      case 'user/message': {
        if (state.titleBy !== 'nobody' || event.data.source.kind !== 'user') return state
        const text = event.data.content.find((block) => block.type === 'text')?.text ?? ''
        return text.trim() === '' ? state : { ...state, title: titleFrom(text, MAX_TITLE), titleBy: 'message' }
      }
      default:
        return state
    }
  },
}
