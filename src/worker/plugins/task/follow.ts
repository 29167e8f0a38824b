// Follows the session's log for a run: which turn is its own, what a step came to, what was used, which calls go round in circles.
import type { EventOf, SessionEvent } from '../../../storage/log/events.ts'
import { applyToAccount } from '../../../storage/log/projections/account.ts'
import { type Round, signatureOf } from './circles.ts'
import { markRepeatedResult } from './repeated-result.ts'
import { note, type Run, soon, tell } from './run.ts'
import { applyToFacts } from './step-facts.ts'

const wordsFor = (name: string, round: Round): string | undefined => {
  if (round.kind === 'cycle') return `the same ${round.length} calls came round again.`
  if (round.kind === 'duplicate' && round.ends) return `${name} was called with the same arguments ${round.count + 1} times in a row.`
  return undefined
}

const takeCalls = (run: Run, { data: { content } }: EventOf<'assistant/message'>): void => {
  run.rounds.clear()
  for (const block of content) {
    if (block.type !== 'tool-call' || run.home.tools.traits(block.name)?.polling === true) continue
    const round = run.circles.take(signatureOf(block), run.replies)
    if (round.kind !== 'fresh') run.rounds.set(block.id, round)
    run.loop ??= wordsFor(block.name, round)
  }
}

/** The facts of a call are in the log as its call and its result; the application is told, and nothing is logged twice. */
const tellStatus = (run: Run, event: EventOf<'tool/call'> | EventOf<'tool/result'>): void => {
  const { callId } = event.data
  if (event.type === 'tool/call') {
    tell(run, 'tool_status', { callId, status: 'running' })
    return
  }
  const { isError, error } = event.data
  tell(run, 'tool_status', { callId, status: isError ? 'failed' : 'completed', ...(error === undefined ? {} : { error: error.code }) })
}

const followOwn = (run: Run, event: SessionEvent): void => {
  run.facts = applyToFacts(run.facts, event)
  run.account = applyToAccount(run.account, event, run.pricesOf)
  switch (event.type) {
    case 'assistant/message':
      if (event.surfaceOp !== 'append') return
      run.replies++
      run.page.write(run.account)
      takeCalls(run, event)
      return
    case 'compaction/end':
    case 'task/noted':
      run.page.write(run.account)
      return
    case 'tool/call':
      run.toolCount++
      tellStatus(run, event)
      return
    case 'tool/result':
      if (event.surfaceOp !== 'append') return
      tellStatus(run, event)
      soon(run, () => markRepeatedResult(run.agent.session, event))
      return
    case 'model/retry': {
      const { attempt, delayMs, failure } = event.data
      soon(run, () => note(run, 'retry', { attempt, delayMs, message: failure.message }))
      return
    }
    case 'question/asked':
    case 'approval/asked': {
      const { callId } = event.data
      const on = event.type === 'question/asked' ? 'answer' : 'decision'
      soon(run, () => note(run, 'waiting', { on, callId }))
    }
  }
}

/** `onTurnEnd` is called while observers are told: it must not append. */
export const follow = (run: Run, onTurnEnd: (event: EventOf<'turn/end'>) => void): ((event: SessionEvent) => void) => {
  let openTurn = 0
  return (event) => {
    if (event.type === 'turn/start') openTurn = event.data.turn
    if ((event.type === 'user/message' || event.type === 'prompt/blocked') && event.data.id === run.promptId) {
      run.turn = openTurn
      if (event.type === 'prompt/blocked') run.blocked = event.data.reason
    }
    if (run.turn === undefined) return
    if (event.type === 'turn/end' && event.data.turn === run.turn) onTurnEnd(event)
    else followOwn(run, event)
  }
}
