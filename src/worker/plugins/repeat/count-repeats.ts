// Counts identical calls in a row, as a fold over the log: what is counted is what was written down.
import type { CallId } from '../../../storage/log/content.ts'
import type { EventOf } from '../../../storage/log/events.ts'
import type { Projection } from '../../../storage/log/projection.ts'

export type RepeatLimits = {
  /** From this identical call on, none is run. Default 3. */
  readonly correctAt: number
  /** With this one the turn ends. Default 5. */
  readonly endAt: number
}

export type Repeats = {
  /** Open task runs: they have rules of their own. */
  readonly runs: number
  readonly signature: string
  /** Identical calls in a row, the last one included. */
  readonly count: number
  /** The step in which the model was first told; undefined before. */
  readonly toldIn: number | undefined
  /** Calls that must not run, with their number in the row. */
  readonly repeated: ReadonlyMap<CallId, number>
  /** The name of the tool that the turn ends for. */
  readonly over: string | undefined
}

const none: ReadonlyMap<CallId, number> = new Map()
const fresh = { signature: '', count: 0, toldIn: undefined, repeated: none, over: undefined }

export const repeats = (limits: RepeatLimits, isExempt: (tool: string) => boolean): Projection<Repeats> => ({
  initial: { runs: 0, ...fresh },
  apply(state, event) {
    switch (event.type) {
      case 'task/started':
        return { ...fresh, runs: state.runs + 1 }
      case 'task/ended':
        return { ...fresh, runs: Math.max(0, state.runs - 1) }
      case 'turn/start':
      case 'steering/message': // a person may well ask for the same again
        return state.count === 0 ? state : { ...fresh, runs: state.runs }
      case 'tool/call':
        return state.runs > 0 ? state : counted(state, event, limits, isExempt)
      default:
        return state
    }
  },
})

const counted = (
  state: Repeats,
  { data }: EventOf<'tool/call'>,
  { correctAt, endAt }: RepeatLimits,
  isExempt: (tool: string) => boolean,
): Repeats => {
  const signature = `${data.name} ${canonical(data.arguments)}`
  // Of the same reply others may not have had their turn yet, and one may have been the last straw: those two stay.
  if (signature !== state.signature || isExempt(data.name)) return { ...state, signature, count: 1, toldIn: undefined }
  const count = state.count + 1
  if (count < correctAt) return { ...state, count }
  const toldIn = state.toldIn ?? data.step
  return {
    ...state,
    count,
    toldIn,
    repeated: new Map([...state.repeated, [data.callId, count]]),
    over: count >= endAt && data.step > toldIn ? data.name : state.over,
  }
}

/** The same for arguments that say the same, whatever the order of keys and the blanks between them. */
const canonical = (text: string): string => {
  try {
    return JSON.stringify(sorted(text.trim() === '' ? {} : JSON.parse(text)))
  } catch {
    return text.trim() // not JSON: then the text is what there is to compare
  }
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, sorted(inner)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}
