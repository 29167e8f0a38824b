// Turns the parts of a scripted reply into the events of a Gemini stream.
import type { ModelFailureClass, Usage } from '../../src/storage/log/model-call.ts'
import { signatureOf } from '../../src/worker/llm/wire/gemini/signatures.ts'
import type { StreamStep } from './chat-stream.ts'
import type { Part } from './replies.ts'
import { streamSteps } from './stream-steps.ts'

const REASONS = { stop: 'STOP', 'tool-calls': 'STOP', 'max-tokens': 'MAX_TOKENS', 'content-filter': 'SAFETY' } as const
const STATUS: Partial<Record<ModelFailureClass, readonly [number, string]>> = {
  overloaded: [503, 'UNAVAILABLE'],
  rate_limit: [429, 'RESOURCE_EXHAUSTED'],
  auth: [401, 'UNAUTHENTICATED'],
}

/**
 * A reasoning part with `{part, thoughtSignature}` as its replay is signed: `thought` on its own last piece, `call` on the next
 * call, which then follows it.
 */
export function* geminiStream(parts: readonly Part[], model = 'scripted-1'): Generator<StreamStep, void, undefined> {
  const event = (fields: object) => `data: ${JSON.stringify({ ...fields, modelVersion: model })}\r\n\r\n`
  const part = (fields: object, more: object = {}) =>
    event({ candidates: [{ content: { role: 'model', parts: [fields] }, index: 0, ...more }] })
  let waiting: { readonly thoughtSignature: string } | undefined
  yield* streamSteps(
    parts,
    {
      text: (text) => part({ text }),
      reasoning(text, replay, last) {
        const signed = signatureOf(replay as Parameters<typeof signatureOf>[0])
        const signature = signed === undefined ? undefined : { thoughtSignature: signed.thoughtSignature }
        if (signed?.part === 'call') waiting = signature
        return part({ text, thought: true, ...(last && signed?.part === 'thought' ? signature : {}) })
      },
      call({ name, id, args }) {
        const signature = waiting
        waiting = undefined
        return part({ functionCall: { ...(id === undefined ? {} : { id }), name, args }, ...signature })
      },
      error(message, failure) {
        const [code, status] = STATUS[failure?.class ?? 'provider'] ?? [500, 'INTERNAL']
        return event({ error: { code, message, status } })
      },
      end: (reason = 'STOP', usage) =>
        part({ text: '' }, { finishReason: reason }).replace('"modelVersion"', `${counted(usage)}"modelVersion"`),
    },
    REASONS,
  )
}

const counted = (usage: Usage | undefined): string => {
  if (usage === undefined) return ''
  const promptTokenCount = usage.inputTokens + (usage.cacheReadTokens ?? 0)
  const thoughtsTokenCount = usage.reasoningTokens ?? 0
  const usageMetadata = {
    promptTokenCount,
    candidatesTokenCount: usage.outputTokens - thoughtsTokenCount,
    ...(thoughtsTokenCount === 0 ? {} : { thoughtsTokenCount }),
    ...(usage.cacheReadTokens === undefined ? {} : { cachedContentTokenCount: usage.cacheReadTokens }),
    totalTokenCount: promptTokenCount + usage.outputTokens,
  }
  return `"usageMetadata":${JSON.stringify(usageMetadata)},`
}
