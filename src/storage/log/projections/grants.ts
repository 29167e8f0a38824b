// Which tools the person has allowed for the rest of the session, folded from their decisions.
import type { CallId } from '../content.ts'
import type { Projection } from '../projection.ts'

export type SessionGrants = {
  readonly tools: ReadonlySet<string>
  /** Approvals that were asked for and not decided: call → tool. */
  readonly asked: ReadonlyMap<CallId, string>
}

const without = <K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> => new Map([...map].filter(([each]) => each !== key))

/** The newest decision with a reach beyond its own call counts; a call that got its result asks for nothing any more. */
export const grants: Projection<SessionGrants> = {
  initial: { tools: new Set(), asked: new Map() },
  apply(state, event) {
    if (event.type === 'approval/asked') return { ...state, asked: new Map(state.asked).set(event.data.callId, event.data.action.tool) }
    if (event.type === 'tool/result') {
      const { callId } = event.data
      return state.asked.has(callId) ? { ...state, asked: without(state.asked, callId) } : state
    }
    if (event.type !== 'approval/decided') return state
    const { callId, decision } = event.data
    const tool = state.asked.get(callId)
    const asked = without(state.asked, callId)
    if (tool === undefined || decision.reach === 'once') return { ...state, asked }
    const tools = new Set(state.tools)
    if (decision.kind === 'allow') tools.add(tool)
    else tools.delete(tool)
    return { tools, asked }
  },
}
