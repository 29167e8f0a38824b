// How a run ended: its reason, whether that is a success, and the words for it (T1).
import type { ExitReason, TaskResult } from '../../../storage/log/events.ts'
import type { Account } from '../../../storage/log/projections/account.ts'

export type Verdict = { readonly reason: ExitReason; readonly summary: string }

const SUCCESS: { readonly [R in ExitReason]: boolean } = {
  status_complete_post_tool: true,
  status_complete: true,
  status_remaining_empty: true,
  agent_type_exit: true,
  setup_complete: true,
  awaiting_user: true,
  stopped: false,
  error_stop: false,
  nudge_exhaustion: false,
  loop_detected: false,
  max_iterations: false,
  budget_exhausted: false,
  disposed: false,
  interrupted: false,
  execution_error: false,
}

export const isSuccess = (reason: ExitReason): boolean => SUCCESS[reason]

export const stopped = (why: string): Verdict => ({ reason: 'stopped', summary: `Stopped: ${why}` })
export const errorStop = (message: string): Verdict => ({ reason: 'error_stop', summary: `Ended after a model error: ${message}` })
export const executionError = (message: string): Verdict => ({ reason: 'execution_error', summary: `An error ended the run: ${message}` })
export const disposed = (): Verdict => ({ reason: 'disposed', summary: 'The agent was disposed before the work was finished.' })
export const maxIterations = (max: number): Verdict => ({
  reason: 'max_iterations',
  summary: `Reached the limit of ${max} steps before the work was finished.`,
})
export const nudgeExhaustion = (given: number): Verdict => ({
  reason: 'nudge_exhaustion',
  summary: `Gave up after ${given} nudges: the model neither called a tool nor reported how the work stands.`,
})
export const loopDetected = (what: string): Verdict => ({ reason: 'loop_detected', summary: `The model went round in a loop: ${what}` })
export const budgetExhausted = (what: string): Verdict => ({ reason: 'budget_exhausted', summary: `The budget is used up: ${what}` })

export const resultOf = ({ reason, summary }: Verdict, toolCount: number, turnCount: number, { usage, cost }: Account): TaskResult => ({
  success: isSuccess(reason),
  exitReason: reason,
  summary,
  toolCount,
  turnCount,
  totalCost: cost,
  totalUsage: usage,
})
