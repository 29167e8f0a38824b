// Turns the parts of a scripted reply into the lines of Ollama's native chat.
import type { StreamStep } from './chat-stream.ts'
import type { Part } from './replies.ts'
import { streamSteps } from './stream-steps.ts'

const REASONS = { stop: 'stop', 'tool-calls': 'stop', 'max-tokens': 'length' } as const

/** Calls are sent with the ids that newer servers give; a part without one has none. */
export function* ollamaStream(parts: readonly Part[], model = 'scripted-1'): Generator<StreamStep, void, undefined> {
  const line = (fields: object) => `${JSON.stringify({ model, created_at: '2026-01-01T00:00:00Z', ...fields })}\n`
  const message = (fields: object) => line({ message: { role: 'assistant', content: '', ...fields }, done: false })
  yield* streamSteps(
    parts,
    {
      text: (content) => message({ content }),
      reasoning: (thinking) => message({ thinking }),
      call: ({ name, id, args }) => message({ tool_calls: [{ ...(id === undefined ? {} : { id }), function: { name, arguments: args } }] }),
      error: (error) => `${JSON.stringify({ error })}\n`,
      end: (reason = 'stop', usage) =>
        line({
          message: { role: 'assistant', content: '' },
          done: true,
          done_reason: reason,
          ...(usage === undefined ? {} : { prompt_eval_count: usage.inputTokens, eval_count: usage.outputTokens }),
        }),
    },
    REASONS,
  )
}
