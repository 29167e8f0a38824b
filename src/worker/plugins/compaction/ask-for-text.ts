// One plain request for text, outside of the conversation: no tools, nothing of it in the log but its cost.
import type { SessionId } from '../../../storage/log/content.ts'
import { messageOf } from '../../../storage/log/errors.ts'
import { freezeJson } from '../../../storage/log/lossless-json.ts'
import type { Chunk, ModelFailure, Usage } from '../../../storage/log/model-call.ts'
import type { LlmRequest } from '../../hooks/llm.ts'

export type TextRequest = {
  readonly provider: string
  readonly model: string
  readonly system: string
  readonly prompt: string
  /** Adapters and the barrier before a request want to know whose it is. */
  readonly sessionId: SessionId
}
/** `text` may be empty. */
export type TextAnswer =
  | { readonly kind: 'text'; readonly text: string; readonly usage: Usage | undefined }
  | { readonly kind: 'failed'; readonly message: string; readonly failure: ModelFailure | undefined; readonly usage: Usage | undefined }

type Stream = (request: LlmRequest) => AsyncIterable<Chunk>

/** Never rejects. An abort ends it at once, whatever the adapter makes of it. */
export const askForText = async (stream: Stream, request: TextRequest, signal: AbortSignal): Promise<TextAnswer> => {
  const reply = collector()
  let iterator: AsyncIterator<Chunk> | undefined
  const read = async (): Promise<TextAnswer> => {
    iterator = stream(llmRequest(request, signal))[Symbol.asyncIterator]()
    for (;;) {
      const next = await iterator.next()
      if (signal.aborted) return reply.failed('It was stopped.')
      const answer = next.done ? reply.failed(CUT_SHORT.message, CUT_SHORT) : reply.take(next.value)
      if (answer !== undefined) return answer
    }
  }
  try {
    return await Promise.race([read(), stopped(signal).then(() => reply.failed('It was stopped.'))])
  } catch (thrown) {
    return reply.failed(messageOf(thrown), (thrown as { readonly failure?: ModelFailure } | null | undefined)?.failure)
  } finally {
    const close = async (): Promise<unknown> => iterator?.return?.()
    close().catch(() => {}) // the answer is there: what the adapter throws while closing concerns nobody
  }
}

const CUT_SHORT: ModelFailure = { class: 'protocol', message: 'The reply stopped before it was finished.', transient: true }

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** As the loop makes its own: frozen, session and signal beside the JSON. */
const llmRequest = ({ provider, model, system, prompt, sessionId }: TextRequest, signal: AbortSignal): LlmRequest => {
  const messages = freezeJson([{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] }])
  const request = { provider, model, messages, system }
  Object.defineProperty(request, 'sessionId', { value: sessionId })
  Object.defineProperty(request, 'signal', { value: signal })
  return Object.freeze(request)
}

const collector = () => {
  const texts = new Map<number, string>()
  let usage: Usage | undefined
  const failed = (message: string, failure?: ModelFailure): TextAnswer => ({ kind: 'failed', message, failure, usage })

  return {
    failed,
    /** The answer, once there is one. Reasoning and calls are not asked for, and ignored. */
    take(chunk: Chunk): TextAnswer | undefined {
      if (chunk.type === 'text-delta') texts.set(chunk.index, (texts.get(chunk.index) ?? '') + chunk.text)
      else if (chunk.type === 'block-end' && chunk.block.type === 'text') texts.set(chunk.index, chunk.block.text)
      else if (chunk.type === 'usage') usage = plainUsage(chunk.usage)
      if (chunk.type !== 'finish') return undefined
      const { reason } = chunk
      if (reason.kind === 'error') return failed(reason.message, reason.failure)
      if (reason.kind === 'aborted' || reason.kind === 'refusal' || reason.kind === 'content-filter')
        return failed(`The model ended the summary with "${reason.kind}".`)
      return { kind: 'text', text: [...texts.values()].join('\n').trim(), usage }
    },
  }
}

/** Fit for the log, whatever else the adapter put in. */
const plainUsage = (given: Usage): Usage => {
  const numbers = Object.entries(given ?? {}).filter(([, value]) => typeof value === 'number' && Number.isFinite(value) && value >= 0)
  return { inputTokens: 0, outputTokens: 0, ...Object.fromEntries(numbers) }
}
