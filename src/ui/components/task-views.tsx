// A task run in the conversation: where it began, and how it truly ended.
import type { ExitReason, TaskKind } from '../../storage/log/events.ts'
import type { TaskEndedItem, TaskStartedItem } from '../../storage/log/projections/transcript-items.ts'

const STARTED: Record<TaskKind, string> = {
  orchestrator: 'Task',
  task: 'Task',
  interview: 'Interview',
  explore: 'Exploration, reads only',
  plan: 'Plan, reads only',
  setup: 'Setup',
}

export const TaskStartedView = ({ item }: { readonly item: TaskStartedItem }) => (
  <p class="rule" data-item="task-started" data-task={item.task}>
    <span>{STARTED[item.task]}</span>
  </p>
)

/** `good`: what was asked for is there. `open`: it goes on with the person. `cut`: it ended before it was done. */
type Ended = { readonly kind: 'good' | 'open' | 'cut'; readonly words: string }

const ENDED: Record<ExitReason, Ended> = {
  status_complete: { kind: 'good', words: 'Task completed' },
  status_complete_post_tool: { kind: 'good', words: 'Task completed' },
  status_remaining_empty: { kind: 'good', words: 'Task completed' },
  agent_type_exit: { kind: 'good', words: 'Answered' },
  setup_complete: { kind: 'good', words: 'Setup completed' },
  awaiting_user: { kind: 'open', words: 'Waiting for you' },
  stopped: { kind: 'cut', words: 'Task stopped' },
  error_stop: { kind: 'cut', words: 'Task ended by an error' },
  nudge_exhaustion: { kind: 'cut', words: 'Task given up: the agent did not go on' },
  loop_detected: { kind: 'cut', words: 'Task ended: the agent went round in circles' },
  max_iterations: { kind: 'cut', words: 'Task cut off at its step limit' },
  budget_exhausted: { kind: 'cut', words: 'Task cut off at the end of its budget' },
  disposed: { kind: 'cut', words: 'Task ended: the session was closed' },
  interrupted: { kind: 'cut', words: 'Task interrupted' },
  execution_error: { kind: 'cut', words: 'Task failed' },
}

export const TaskEndedView = ({ item: { result } }: { readonly item: TaskEndedItem }) => {
  const ended = ENDED[result.exitReason]
  const facts = [
    count(result.turnCount, 'reply', 'replies'),
    count(result.toolCount, 'tool call', 'tool calls'),
    ...(result.totalCost === null ? [] : [`$${result.totalCost.toFixed(result.totalCost < 0.1 ? 4 : 2)}`]),
  ]
  return (
    <div class="task-end" data-item="task-ended" data-state={ended.kind} data-exit={result.exitReason}>
      <p class="task-end__head">
        <strong>{ended.words}</strong>
        <span class="elapsed">{facts.join(' · ')}</span>
      </p>
      {result.summary === '' ? null : <p class="task-end__words">{result.summary}</p>}
    </div>
  )
}

const count = (n: number, one: string, many: string): string => `${n.toLocaleString()} ${n === 1 ? one : many}`
