// What one step of a run came to: the reply, the results, what came in meanwhile. Folded from the session's events.
import type { CallId, ContentBlock } from '../../../storage/log/content.ts'
import type { SessionEvent } from '../../../storage/log/events.ts'
import type { FinishReason } from '../../../storage/log/model-call.ts'
import type { TaskSignals } from '../../hooks/task-signals.ts'
import { readSignals } from './read-signals.ts'

export type StepOutcome = {
  readonly callId: CallId
  readonly isError: boolean
  readonly code: string | undefined
  readonly signals: TaskSignals
}

export type StepFacts = {
  /** Of the assistant message; empty before it. */
  readonly content: readonly ContentBlock[]
  readonly finish: FinishReason['kind'] | undefined
  /** In the order of the calls. A failed call signals nothing. */
  readonly outcomes: readonly StepOutcome[]
  /** Steering came in that the model has not seen. */
  readonly steered: boolean
}

export const noFacts: StepFacts = { content: [], finish: undefined, outcomes: [], steered: false }

export const applyToFacts = (facts: StepFacts, event: SessionEvent): StepFacts => {
  switch (event.type) {
    case 'step/start':
      return noFacts
    case 'assistant/chunk':
      return event.data.chunk.type === 'finish' ? { ...facts, finish: event.data.chunk.reason.kind } : facts
    case 'assistant/message':
      return event.surfaceOp === 'append' ? { ...facts, content: event.data.content } : facts
    case 'tool/result': {
      if (event.surfaceOp !== 'append') return facts
      const { callId, isError, error, meta } = event.data
      const outcome: StepOutcome = { callId, isError, code: error?.code, signals: isError ? {} : readSignals(meta) }
      return { ...facts, outcomes: [...facts.outcomes, outcome] }
    }
    case 'steering/message':
      return { ...facts, steered: true }
    default:
      return facts
  }
}

/** Without the blanks around it; empty for a reply that says nothing. */
export const textOf = (content: readonly ContentBlock[]): string =>
  content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim()

export const hasReasoning = (content: readonly ContentBlock[]): boolean => content.some((block) => block.type === 'reasoning')
