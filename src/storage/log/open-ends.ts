// What a log leaves open at its end: the run, turn and step, the reply that was coming in, the calls and who waits for what.
import type { CallId, ToolCallBlock } from './content.ts'
import type { Answer, EventOf, Question, SessionEvent } from './events.ts'
import type { CallConfig } from './model-call.ts'
import type { UsageTotals } from './projections/usage.ts'
import { usage } from './projections/usage.ts'

export type OpenCall = {
  readonly id: CallId
  readonly name: string
  readonly arguments: string
  /** The seq of its `tool/call`; undefined while it was only asked for. */
  readonly recorded: number | undefined
  readonly hasResult: boolean
  /** An unanswered question or approval: the call is parked. */
  readonly parked: boolean
  /** What the person had answered, if the result never came. */
  readonly questions?: readonly Question[]
  readonly answers?: readonly Answer[] | null
}

export type OpenRun = { readonly run: string; readonly toolCount: number; readonly usage: UsageTotals }

export type OpenEnds = {
  readonly turn: number | undefined
  readonly step: number | undefined
  /** The chunks of the attempt that has no `assistant/message` yet. */
  readonly attempt: readonly EventOf<'assistant/chunk'>[]
  /** The calls of the open step, in the model's order. */
  readonly calls: readonly OpenCall[]
  readonly runs: readonly OpenRun[]
  readonly compacting: boolean
  /** Of the newest request header. */
  readonly config: CallConfig | undefined
}

type State = {
  turn: number | undefined
  step: number | undefined
  attempt: EventOf<'assistant/chunk'>[]
  readonly calls: Map<CallId, OpenCall>
  readonly runs: Map<string, OpenRun>
  compacting: boolean
  config: CallConfig | undefined
}

const leaveStep = (state: State): void => {
  state.step = undefined
  state.attempt = []
  state.calls.clear()
}

/** Attempts of one step stand behind each other; a new one begins after a finish, or when a block starts a second time. */
const beginsAttempt = (attempt: readonly EventOf<'assistant/chunk'>[], { data: { chunk } }: EventOf<'assistant/chunk'>): boolean => {
  if (attempt.at(-1)?.data.chunk.type === 'finish') return true
  if (chunk.type !== 'block-start') return false
  return attempt.some(({ data }) => 'index' in data.chunk && data.chunk.index === chunk.index)
}

const takeChunk = (state: State, event: EventOf<'assistant/chunk'>): void => {
  if (beginsAttempt(state.attempt, event)) state.attempt = []
  state.attempt.push(event)
}

const ask = (state: State, block: Pick<ToolCallBlock, 'id' | 'name' | 'arguments'>): OpenCall => {
  const { id, name, arguments: text } = block
  const call = state.calls.get(id) ?? { id, name, arguments: text, recorded: undefined, hasResult: false, parked: false }
  state.calls.set(id, call)
  return call
}

const change = (state: State, id: CallId, part: Partial<OpenCall>): void => {
  const call = state.calls.get(id)
  if (call !== undefined) state.calls.set(id, { ...call, ...part })
}

const countCall = (state: State): void => {
  for (const run of state.runs.values()) state.runs.set(run.run, { ...run, toolCount: run.toolCount + 1 })
}

const countMessage = (state: State, event: SessionEvent): void => {
  for (const run of state.runs.values()) state.runs.set(run.run, { ...run, usage: usage.apply(run.usage, event) })
}

const apply = (state: State, event: SessionEvent): void => {
  switch (event.type) {
    case 'turn/start':
      state.turn = event.data.turn
      leaveStep(state)
      return
    case 'turn/end':
      state.turn = undefined
      state.compacting = false
      leaveStep(state)
      return
    case 'step/start':
      leaveStep(state)
      state.step = event.data.step
      return
    case 'step/end':
      leaveStep(state)
      return
    case 'request/header':
      state.config = event.data.header.config
      state.attempt = []
      return
    case 'model/retry':
      state.attempt = []
      return
    case 'assistant/chunk':
      takeChunk(state, event)
      return
    case 'assistant/message':
      state.attempt = []
      countMessage(state, event)
      if (event.surfaceOp !== 'append') return
      for (const block of event.data.content) if (block.type === 'tool-call') ask(state, block)
      return
    case 'tool/call':
      ask(state, { id: event.data.callId, name: event.data.name, arguments: event.data.arguments })
      change(state, event.data.callId, { recorded: event.seq })
      countCall(state)
      return
    case 'tool/result':
      change(state, event.data.callId, { hasResult: true })
      return
    case 'question/asked':
      change(state, event.data.callId, { parked: true, questions: event.data.questions })
      return
    case 'question/answered':
      change(state, event.data.callId, { parked: false, answers: event.data.answers })
      return
    case 'approval/asked':
      change(state, event.data.callId, { parked: true })
      return
    case 'approval/decided':
      change(state, event.data.callId, { parked: false })
      return
    case 'task/started':
      state.runs.set(event.data.run, { run: event.data.run, toolCount: 0, usage: usage.initial })
      return
    case 'task/ended':
      state.runs.delete(event.data.run)
      return
    case 'compaction/start':
      state.compacting = true
      return
    case 'compaction/end':
      state.compacting = false
      return
  }
}

export const findOpenEnds = (events: Iterable<SessionEvent>): OpenEnds => {
  const state: State = {
    turn: undefined,
    step: undefined,
    attempt: [],
    calls: new Map(),
    runs: new Map(),
    compacting: false,
    config: undefined,
  }
  for (const event of events) apply(state, event)
  return { ...state, calls: [...state.calls.values()], runs: [...state.runs.values()] }
}
