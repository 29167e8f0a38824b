// Asks the model for the summary of a part of the conversation. Too long: with less of it; a passing failure: once more.
import type { SessionId } from '../../../storage/log/content.ts'
import type { SurfaceEvent } from '../../../storage/log/events.ts'
import type { Chunk, Usage } from '../../../storage/log/model-call.ts'
import type { LlmRequest } from '../../hooks/llm.ts'
import { askForText } from './ask-for-text.ts'
import { isSummary } from './choose-cut.ts'
import { renderConversation } from './render-conversation.ts'
import { SUMMARY_SYSTEM, summaryIn, summaryPrompt } from './summary-texts.ts'

export type SummaryOrder = {
  readonly provider: string
  readonly model: string
  readonly sessionId: SessionId
  readonly nodes: readonly SurfaceEvent[]
  /** How many characters of conversation the request may hold at first. */
  readonly limit: number
}
export type SummaryPorts = {
  readonly stream: (request: LlmRequest) => AsyncIterable<Chunk>
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}
export type Summary =
  | { readonly kind: 'summary'; readonly text: string; readonly usage: Usage | undefined }
  | { readonly kind: 'failed'; readonly detail: string; readonly usage: Usage | undefined }

const MOST_ATTEMPTS = 3
const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 10_000

/** Never rejects. `usage` is the cost of all attempts. */
export const summarise = async ({ stream, wait }: SummaryPorts, order: SummaryOrder, signal: AbortSignal): Promise<Summary> => {
  const { provider, model, sessionId, nodes } = order
  const previous = nodes.flatMap((node) => (node.type === 'context/message' && isSummary(node) ? [summaryIn(node.data.content)] : []))
  const news = nodes.filter((node) => !isSummary(node))
  let limit = order.limit
  let usage: Usage | undefined
  for (let attempt = 1; ; attempt++) {
    const prompt = summaryPrompt(renderConversation(news, limit), previous.length === 0 ? undefined : previous.join('\n\n'))
    const answer = await askForText(stream, { provider, model, sessionId, system: SUMMARY_SYSTEM, prompt }, signal)
    usage = added(usage, answer.usage)
    if (answer.kind === 'text') return { kind: 'summary', text: answer.text, usage }
    const { failure, message } = answer
    const tooLong = failure?.class === 'context_overflow' || failure?.class === 'request_too_large'
    if (signal.aborted || attempt === MOST_ATTEMPTS || !(tooLong || failure?.transient === true)) {
      return { kind: 'failed', detail: message, usage }
    }
    if (tooLong) limit = Math.floor(Math.min(limit, prompt.length) / 2)
    else await wait(Math.min(failure?.retryAfterMs ?? PAUSE_MS, LONGEST_PAUSE_MS), signal)
  }
}

const OPTIONAL = ['cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens', 'cost'] as const

const added = (a: Usage | undefined, b: Usage | undefined): Usage | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }
  for (const key of OPTIONAL) if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0)
  return sum
}
