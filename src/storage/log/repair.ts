// Closes what a kill left open, so that every stored log can go on (S8). Pure and deterministic: repairing twice changes nothing.
import type { EventOf, EventType, SessionEvent, SessionEventData, SurfacePlace, TaskResult, ToolError } from './events.ts'
import { interruptedReply } from './interrupted-reply.ts'
import { freezeJson } from './lossless-json.ts'
import type { OpenCall, OpenRun } from './open-ends.ts'
import { findOpenEnds } from './open-ends.ts'
import { usage } from './projections/usage.ts'

/** Read by a model: what happened, and what to do. */
export const NOT_STARTED_TEXT =
  'This call was not started: the session was interrupted before its turn came. Nothing was done. It is safe to make the call again if it is still needed.'
export const OUTCOME_UNKNOWN_TEXT =
  'The session was interrupted while this call was running, so its result is lost. It may have been carried out wholly, partly or not at all. Check the present state before making the call again.'
const TASK_SUMMARY = 'Interrupted: the page or its worker ended before the work was finished.'

type Append = <T extends EventType>(type: T, data: SessionEventData[T], place?: SurfacePlace) => number

const answersText = (call: OpenCall): string => {
  if (call.answers === undefined) return ''
  if (call.answers === null) return ' Before that the person had dismissed the question.'
  const lines = call.answers.map((answer) => {
    const question = call.questions?.find((each) => each.id === answer.id)?.text ?? answer.id
    return `${question} → ${[...answer.chosen, ...(answer.text === undefined ? [] : [answer.text])].join(', ')}`
  })
  return ` Before that the person had answered: ${lines.join('; ')}.`
}

const closeCall = (append: Append, turn: number, step: number, call: OpenCall): void => {
  const { id: callId, name } = call
  const started = call.recorded !== undefined
  const cited = call.recorded ?? append('tool/call', { turn, step, callId, name, arguments: call.arguments })
  const text = started ? OUTCOME_UNKNOWN_TEXT + answersText(call) : NOT_STARTED_TEXT
  const error: ToolError = { name: 'Interrupted', code: started ? 'TOOL_OUTCOME_UNKNOWN' : 'TOOL_NOT_STARTED' }
  append(
    'tool/result',
    { turn, step, callId, content: [{ type: 'text', text }], isError: true, error },
    { surfaceOp: 'append', sourceEventSeqs: [cited] },
  )
}

const resultOf = (run: OpenRun): TaskResult => ({
  success: false,
  exitReason: 'interrupted',
  summary: TASK_SUMMARY,
  toolCount: run.toolCount,
  turnCount: run.usage.calls,
  totalCost: run.usage.cost,
  totalUsage: run.usage.total,
})

/**
 * The events to append to a log that was read from storage, complete with seq and time (that of the last real event), deep-frozen;
 * empty when nothing is open. Append them as they are: seed the log with both.
 *
 * A call that waits for a person keeps its step, turn and run open. Calls beside it that were running are closed all the same, for
 * nobody knows their outcome; those that come after it are left to the driver.
 */
export const repairEvents = (events: readonly SessionEvent[]): readonly SessionEvent[] => {
  const last = events.at(-1)
  if (last === undefined) return []
  const { turn, step, attempt, calls, runs, compacting, config } = findOpenEnds(events)
  const repairs: SessionEvent[] = []
  let openRuns = runs

  const append = <T extends EventType>(type: T, data: SessionEventData[T], place?: SurfacePlace): number => {
    const seq = last.seq + 1 + repairs.length
    const event = freezeJson({ type, seq, time: last.time, data, ...place }) as EventOf<T> as SessionEvent
    repairs.push(event)
    openRuns = openRuns.map((run) => ({ ...run, usage: usage.apply(run.usage, event) }))
    return seq
  }

  const open = calls.filter((call) => !call.hasResult)
  const parked = open.some((call) => call.parked)
  if (turn !== undefined && step !== undefined) {
    const reply = interruptedReply(attempt)
    if (reply !== undefined) {
      const provenance = { provider: config?.provider ?? 'unknown', model: config?.model ?? 'unknown' }
      const { content, usage: used, sources } = reply
      append(
        'assistant/message',
        { turn, step, content, provenance, ...(used !== undefined && { usage: used }), interrupted: true },
        { surfaceOp: 'append', sourceEventSeqs: sources },
      )
    }
    for (const call of open) if (!call.parked && (!parked || call.recorded !== undefined)) closeCall(append, turn, step, call)
  }
  if (parked) return repairs
  if (compacting) append('compaction/end', { outcome: 'aborted', detail: 'interrupted' })
  if (turn !== undefined && step !== undefined) append('step/end', { turn, step })
  if (turn !== undefined) append('turn/end', { turn, reason: { kind: 'interrupted' } })
  for (const run of openRuns) append('task/ended', { run: run.run, result: resultOf(run) })
  return repairs
}
