// Is a whole log valid, and would every vendor's server accept what it derives?
import type { SessionEvent } from '../../src/storage/log/events.ts'
import { writeAnthropicRequest } from '../../src/worker/llm/wire/anthropic/write-request.ts'
import { writeGeminiRequest } from '../../src/worker/llm/wire/gemini/write-request.ts'
import { writeOllamaRequest } from '../../src/worker/llm/wire/ollama-chat/write-request.ts'
import { chatDialect } from '../../src/worker/llm/wire/openai-chat/dialects.ts'
import { writeChatRequest } from '../../src/worker/llm/wire/openai-chat/write-request.ts'
import { writeResponsesRequest } from '../../src/worker/llm/wire/openai-responses/write-request.ts'
import { anthropicHistoryProblems } from '../kit/anthropic-history-checker.ts'
import { deriveFrom, problemsOf } from '../kit/check-log.ts'
import { geminiHistoryProblems } from '../kit/gemini-history-checker.ts'
import { ollamaHistoryProblems } from '../kit/ollama-history-checker.ts'
import { openaiHistoryProblems } from '../kit/openai-history-checker.ts'
import { responsesHistoryProblems } from '../kit/responses-history-checker.ts'

const picture = (): undefined => undefined

const historyProblems = (events: readonly SessionEvent[]): readonly string[] => {
  const messages = deriveFrom(events)
  if (messages.length === 0) return []
  const request = { provider: 'p', model: 'm', messages }
  const bodies = {
    openai: openaiHistoryProblems(writeChatRequest(request, { dialect: chatDialect('https://v.example/v1', 'm'), picture })),
    responses: responsesHistoryProblems(writeResponsesRequest(request, { picture })),
    anthropic: anthropicHistoryProblems(writeAnthropicRequest(request, { picture })),
    gemini: geminiHistoryProblems(writeGeminiRequest(request, { picture })),
    ollama: ollamaHistoryProblems(writeOllamaRequest(request, { picture })),
  }
  return Object.entries(bodies).flatMap(([vendor, problems]) => problems.map((problem) => `${vendor}: ${problem}`))
}

/** Empty when all is well: its driver is at rest, seqs have no gaps, turns count up, calls have their results, histories are accepted. */
export const logProblems = (events: readonly SessionEvent[]): readonly string[] => {
  const gap = events.findIndex(({ seq }, i) => seq !== i)
  if (gap >= 0) return [`event ${gap} has the seq ${events[gap]?.seq}`]
  try {
    return [...problemsOf(events), ...historyProblems(events)]
  } catch (error) {
    return [`it cannot be read: ${String(error)}`]
  }
}
