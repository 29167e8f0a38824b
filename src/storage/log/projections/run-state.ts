// What a session is doing, folded from its log: idle, running (and at what), waiting for the person, or paused by a failure.
import type { CallId } from '../content.ts'
import type { TurnEndReason } from '../events.ts'
import type { Projection } from '../projection.ts'

export type Activity =
  | { readonly kind: 'starting' }
  /** The model was asked in this step; nothing came yet. */
  | { readonly kind: 'asking'; readonly step: number }
  | { readonly kind: 'replying'; readonly step: number }
  | { readonly kind: 'tools'; readonly step: number; readonly calls: readonly { readonly callId: CallId; readonly name: string }[] }
  /** Asked again `until` (epoch milliseconds). */
  | { readonly kind: 'retrying'; readonly step: number; readonly attempt: number; readonly until: number }

/** `since` and `at`: epoch milliseconds. A paused session goes on with `continue`. */
export type RunState =
  | { readonly kind: 'idle'; readonly ended?: TurnEndReason }
  | { readonly kind: 'running'; readonly turn: number; readonly since: number; readonly activity: Activity }
  | { readonly kind: 'waiting'; readonly turn: number; readonly since: number; readonly on: 'answer' | 'decision'; readonly callId: CallId }
  | {
      readonly kind: 'paused'
      readonly turn: number
      readonly by: Extract<TurnEndReason, { kind: 'error' | 'interrupted' }>
      readonly at: number
    }

type Running = Extract<RunState, { kind: 'running' }>

export const runState: Projection<RunState> = {
  initial: { kind: 'idle' },
  apply(state, event) {
    switch (event.type) {
      case 'turn/start':
        return { kind: 'running', turn: event.data.turn, since: event.time, activity: { kind: 'starting' } }
      case 'turn/end':
        return ended(event.data.turn, event.data.reason, event.time)
      case 'step/start':
        return doing(state, { kind: 'asking', step: event.data.step })
      case 'assistant/chunk':
        // Every delta of a reply comes by here: only the first one is a change.
        return state.kind === 'running' && state.activity.kind === 'replying'
          ? state
          : doing(state, { kind: 'replying', step: event.data.step })
      case 'model/retry':
        return doing(state, {
          kind: 'retrying',
          step: event.data.step,
          attempt: event.data.attempt,
          until: event.time + event.data.delayMs,
        })
      case 'tool/call':
        return doing(state, {
          kind: 'tools',
          step: event.data.step,
          calls: [...callsOf(state), { callId: event.data.callId, name: event.data.name }],
        })
      case 'tool/result':
        return finished(state, event.data.callId)
      case 'question/asked':
        return waiting(state, 'answer', event.data.callId)
      case 'approval/asked':
        return waiting(state, 'decision', event.data.callId)
      case 'question/answered':
      case 'approval/decided':
        return state.kind === 'waiting' ? { kind: 'running', turn: state.turn, since: state.since, activity: { kind: 'starting' } } : state
      case 'step/end':
        return doing(state, { kind: 'starting' })
      // Facts about content, plans and cost do not change what the session is doing.
      case 'user/message':
      case 'steering/message':
      case 'context/message':
      case 'prompt/blocked':
      case 'request/header':
      case 'assistant/message':
      case 'tool/late':
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
const unread = (_event: never, state: RunState): RunState => state

const doing = (state: RunState, activity: Activity): RunState => (state.kind === 'running' ? { ...state, activity } : state)

const callsOf = (state: RunState) => (state.kind === 'running' && state.activity.kind === 'tools' ? state.activity.calls : [])

const finished = (state: RunState, callId: CallId): RunState => {
  if (state.kind !== 'running' || state.activity.kind !== 'tools') return state
  const calls = state.activity.calls.filter((call) => call.callId !== callId)
  return calls.length === state.activity.calls.length ? state : { ...state, activity: { ...state.activity, calls } }
}

const waiting = (state: RunState, on: 'answer' | 'decision', callId: CallId): RunState =>
  isOpen(state) ? { kind: 'waiting', turn: state.turn, since: state.since, on, callId } : state

const isOpen = (state: RunState): state is Running | Extract<RunState, { kind: 'waiting' }> =>
  state.kind === 'running' || state.kind === 'waiting'

const ended = (turn: number, reason: TurnEndReason, at: number): RunState =>
  reason.kind === 'error' || reason.kind === 'interrupted' ? { kind: 'paused', turn, by: reason, at } : { kind: 'idle', ended: reason }
