// A turn that was left open because a call in it waits for a person (L16): found again in the log of an earlier life.
import type { CallId, ToolCallBlock } from '../../storage/log/content.ts'
import type { SessionLog } from '../../storage/log/session-log.ts'

/** The step that waits, and its calls that have no result yet, in the model's order. */
export type Parked = { readonly turn: number; readonly step: number; readonly calls: readonly ToolCallBlock[] }

/** Undefined when no turn is open, or nothing in it waits. Reads no further back than the step. */
export const findParked = (log: SessionLog): Parked | undefined => {
  if (!log.turnOpen) return undefined
  const answered = new Set<CallId>()
  for (let seq = log.length - 1; seq >= 0; seq--) {
    const event = log.at(seq)
    if (event?.type === 'turn/start' || event?.type === 'step/end') return undefined
    if (event?.type === 'tool/result') answered.add(event.data.callId)
    if (event?.type !== 'assistant/message') continue
    const { turn, step, content } = event.data
    const calls = content.filter((block) => block.type === 'tool-call').filter(({ id }) => !answered.has(id))
    return calls.length === 0 ? undefined : { turn, step, calls }
  }
  return undefined
}
