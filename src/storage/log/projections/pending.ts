// What waits for the person: questions and approvals that were asked for and not answered, oldest first.
import type { CallId } from '../content.ts'
import type { Question, SessionEventData } from '../events.ts'
import type { Projection } from '../projection.ts'

export type PendingQuestion = { readonly kind: 'question'; readonly callId: CallId; readonly questions: readonly Question[] }
export type PendingApproval = {
  readonly kind: 'approval'
  readonly callId: CallId
  readonly action: SessionEventData['approval/asked']['action']
}
export type Pending = PendingQuestion | PendingApproval

const settle = (state: readonly Pending[], callId: CallId): readonly Pending[] =>
  state.some((each) => each.callId === callId) ? state.filter((each) => each.callId !== callId) : state

/** The result of a call and the end of its turn settle it too: a stop leaves nothing to answer. */
export const pending: Projection<readonly Pending[]> = {
  initial: [],
  apply(state, event) {
    switch (event.type) {
      case 'question/asked':
        return [...settle(state, event.data.callId), { kind: 'question', ...event.data }]
      case 'approval/asked':
        return [...settle(state, event.data.callId), { kind: 'approval', ...event.data }]
      case 'question/answered':
      case 'approval/decided':
      case 'tool/result':
        return settle(state, event.data.callId)
      case 'turn/end':
        return state.length === 0 ? state : []
      default:
        return state
    }
  },
}
