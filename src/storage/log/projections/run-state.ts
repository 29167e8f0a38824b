// What a session is doing, folded from its log: idle, running (and at what), waiting for the person, or paused by a failure.
import type { CallId } from '../content.ts'
import type { EventOf, TaskKind, TurnEndReason } from '../events.ts'
import type { Projection } from '../projection.ts'

export type Activity =
  | { readonly kind: 'starting' }
  /** The model was asked in this step; nothing came yet. */
  | { readonly kind: 'asking'; readonly step: number }
  | { readonly kind: 'replying'; readonly step: number }
  | { readonly kind: 'tools'; readonly step: number; readonly calls: readonly { readonly callId: CallId; readonly name: string }[] }
  /** Asked again `until` (epoch milliseconds). */
  | { readonly kind: 'retrying'; readonly step: number; readonly attempt: number; readonly until: number }

/** A task run, from `task/started` to `task/ended`: `current` counts its steps, `max` is how many it may take. */
export type TaskProgress = { readonly run: string; readonly kind: TaskKind; readonly current?: number; readonly max?: number }

/** What a call waits for: words of the person, or their permission. */
export type Asked = { readonly on: 'answer' | 'decision'; readonly callId: CallId }

/** `since` and `at`: epoch milliseconds. A paused session goes on with `continue`. A task run may be under way in any of them. */
export type RunState = { readonly task?: TaskProgress } & (
  | { readonly kind: 'idle'; readonly ended?: TurnEndReason }
  | { readonly kind: 'running'; readonly turn: number; readonly since: number; readonly activity: Activity }
  /** The oldest of what waits; `also` holds the rest, as when calls run side by side. */
  | (Asked & {
      readonly kind: 'waiting'
      readonly turn: number
      readonly since: number
      readonly activity: Activity
      readonly also: readonly Asked[]
    })
  | {
      readonly kind: 'paused'
      readonly turn: number
      readonly by: Extract<TurnEndReason, { kind: 'error' | 'interrupted' }>
      readonly at: number
    }
)

type Waiting = Extract<RunState, { kind: 'waiting' }>
type Open = Extract<RunState, { kind: 'running' }> | Waiting

export const runState: Projection<RunState> = {
  initial: { kind: 'idle' },
  apply(state, event) {
    switch (event.type) {
      case 'turn/start':
        return within(state, { kind: 'running', turn: event.data.turn, since: event.time, activity: { kind: 'starting' } })
      case 'turn/end':
        return within(state, ended(event.data.turn, event.data.reason, event.time))
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
        return finished(answered(state, event.data.callId), event.data.callId)
      case 'question/asked':
        return waiting(state, { on: 'answer', callId: event.data.callId })
      case 'approval/asked':
        return waiting(state, { on: 'decision', callId: event.data.callId })
      case 'question/answered':
      case 'approval/decided':
        return answered(state, event.data.callId)
      case 'step/end':
        return doing(state, { kind: 'starting' })
      case 'task/started':
        return { ...state, task: { run: event.data.run, kind: event.data.kind } }
      case 'task/noted':
        return progressed(state, event)
      case 'task/ended': {
        if (state.task?.run !== event.data.run) return state
        const { task: _over, ...rest } = state
        return rest
      }
      // Facts about content, plans and cost do not change what the session is doing.
      case 'user/message':
      case 'steering/message':
      case 'context/message':
      case 'prompt/blocked':
      case 'request/header':
      case 'assistant/message':
      case 'tool/late':
      case 'todo/write':
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

/** A run lasts longer than its turns. */
const within = ({ task }: RunState, next: RunState): RunState => (task === undefined ? next : { ...next, task })

const isOpen = (state: RunState): state is Open => state.kind === 'running' || state.kind === 'waiting'

const doing = (state: RunState, activity: Activity): RunState => (isOpen(state) ? { ...state, activity } : state)

const callsOf = (state: RunState) => (isOpen(state) && state.activity.kind === 'tools' ? state.activity.calls : [])

const finished = (state: RunState, callId: CallId): RunState => {
  if (!isOpen(state) || state.activity.kind !== 'tools') return state
  const calls = state.activity.calls.filter((call) => call.callId !== callId)
  return calls.length === state.activity.calls.length ? state : { ...state, activity: { ...state.activity, calls } }
}

const waiting = (state: RunState, asked: Asked): RunState => {
  if (!isOpen(state)) return state
  const { turn, since, activity } = state
  if (state.kind === 'running') return within(state, { kind: 'waiting', turn, since, activity, ...asked, also: [] })
  const isKnown = [state, ...state.also].some(({ callId }) => callId === asked.callId)
  return isKnown ? state : { ...state, also: [...state.also, asked] }
}

const answered = (state: RunState, callId: CallId): RunState => {
  if (state.kind !== 'waiting') return state
  const { turn, since, activity } = state
  if (state.callId !== callId) {
    const also = state.also.filter((other) => other.callId !== callId)
    return also.length === state.also.length ? state : { ...state, also }
  }
  const [next, ...also] = state.also
  return within(
    state,
    next === undefined ? { kind: 'running', turn, since, activity } : { kind: 'waiting', turn, since, activity, ...next, also },
  )
}

const progressed = (state: RunState, { data: { run, name, data } }: EventOf<'task/noted'>): RunState => {
  const { task } = state
  if (task?.run !== run || name !== 'iteration' || typeof data !== 'object' || data === null || !('current' in data)) return state
  const { current, max } = data
  return typeof current === 'number' && typeof max === 'number' ? { ...state, task: { ...task, current, max } } : state
}

const ended = (turn: number, reason: TurnEndReason, at: number): RunState =>
  reason.kind === 'error' || reason.kind === 'interrupted' ? { kind: 'paused', turn, by: reason, at } : { kind: 'idle', ended: reason }
