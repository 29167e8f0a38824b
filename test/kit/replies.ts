// Builders for what a scripted model answers: parts that are put together to a reply, `[text('ok')]` being the shortest.
import type { CallId, ContentBlock, Json } from '../../src/storage/log/content.ts'
import type { Chunk, FinishReason, ModelFailure, ModelFailureClass, Usage } from '../../src/storage/log/model-call.ts'
import type { LlmRequest } from '../../src/worker/hooks/llm.ts'
import type { Gate } from './gate.ts'

/** How a block is cut: pieces in order, a gate among them holding the stream there. Without a plan: one piece. */
export type ChunkPlan = { readonly chunks?: readonly (string | Gate)[] }

export type Part =
  | {
      readonly part: 'block'
      readonly block: Extract<ContentBlock, { type: 'text' | 'reasoning' }>
      readonly pieces: readonly (string | Gate)[]
    }
  | {
      readonly part: 'tool-call'
      readonly name: string
      readonly arguments: string
      readonly id: CallId | undefined
      readonly pieces: readonly (string | Gate)[]
      /** A call that the stream leaves without its end. */
      readonly cut: 'whole' | 'cut'
    }
  | { readonly part: 'usage'; readonly usage: Usage | undefined }
  | { readonly part: 'finish'; readonly reason: FinishReason; readonly rawReason?: string }
  | { readonly part: 'chunks'; readonly chunks: readonly Chunk[] }
  | { readonly part: 'hold'; readonly gate: Gate; readonly onAbort: 'throw' | 'ignore' }
  | { readonly part: 'hang' }
  | { readonly part: 'throw'; readonly error: unknown }
  | { readonly part: 'disconnect' }

export type ReplyValue = Part | readonly Part[]
/** A reply, or a function that makes one from the request it answers. */
export type Reply = ReplyValue | ((request: LlmRequest, index: number) => ReplyValue | Promise<ReplyValue>)

/** Parts in a row, for when one array literal reads badly. */
export const reply = (...parts: readonly Part[]): readonly Part[] => parts

/** `text('ok', { chunks: ['o', 'k'] })`: block-start, a delta for each piece, block-end. */
export const text = (words: string, plan: ChunkPlan = {}): Part => ({
  part: 'block',
  block: { type: 'text', text: words },
  pieces: plan.chunks ?? [words],
})

export const reasoning = (words: string, plan: ChunkPlan & { readonly replay?: Json } = {}): Part => ({
  part: 'block',
  block: { type: 'reasoning', text: words, ...(plan.replay === undefined ? {} : { replay: plan.replay }) },
  pieces: plan.chunks ?? [words],
})

/** Arguments are written as JSON; without an id the model makes `call-REQUEST-NUMBER`. */
export const toolCall = (name: string, args: Json = {}, id?: CallId, plan: ChunkPlan = {}): Part =>
  rawToolCall(name, JSON.stringify(args), id, plan)

/** The arguments exactly as given, for text that is not JSON. */
export const rawToolCall = (name: string, args: string, id?: CallId, plan: ChunkPlan = {}): Part => ({
  part: 'tool-call',
  name,
  arguments: args,
  id,
  pieces: plan.chunks ?? [args],
  cut: 'whole',
})

/** A call that the limit cuts: deltas without a block-end, and a finish of `max-tokens` unless another is given. */
export const cutToolCall = (name: string, args: string, id?: CallId): Part => ({
  part: 'tool-call',
  name,
  arguments: args,
  id,
  pieces: [args],
  cut: 'cut',
})

export const usage = (inputTokens: number, outputTokens: number, more: Omit<Usage, 'inputTokens' | 'outputTokens'> = {}): Part => ({
  part: 'usage',
  usage: { inputTokens, outputTokens, ...more },
})
/** Without it a reply that ends well reports 10 tokens in and 5 out. */
export const noUsage = (): Part => ({ part: 'usage', usage: undefined })

export const finish = (kind: Exclude<FinishReason['kind'], 'invalid-tool' | 'error'>, rawReason?: string): Part =>
  finishWith({ kind }, rawReason)
export const finishWith = (reason: FinishReason, rawReason?: string): Part => ({
  part: 'finish',
  reason,
  ...(rawReason === undefined ? {} : { rawReason }),
})

/** A list of chunks, sent as they are; nothing is added to a reply that has one. */
export const rawChunks = (...chunks: readonly Chunk[]): Part => ({ part: 'chunks', chunks })

/** The stream waits at the gate; an abort ends it there. With `ignore` it waits on, like a model that does not listen. */
export const hold = (gate: Gate, onAbort: 'throw' | 'ignore' = 'throw'): Part => ({ part: 'hold', gate, onAbort })

/** Nothing more ever comes, until the call is aborted. `hold` tells a test that it got there; this one does not. */
export const hang = (): Part => ({ part: 'hang' })

/** Throws whatever is given, as an adapter with a fault would. */
export const throws = (error: unknown): Part => ({ part: 'throw', error })

/** The connection is gone: a transport failure is thrown. */
export const disconnect = (): Part => ({ part: 'disconnect' })

const TRANSIENT: readonly ModelFailureClass[] = ['overloaded', 'rate_limit', 'provider', 'transport']

export const modelFailure = (
  failureClass: ModelFailureClass,
  message = `scripted failure: ${failureClass}`,
  more: Partial<ModelFailure> = {},
): ModelFailure => ({ class: failureClass, message, transient: TRANSIENT.includes(failureClass), ...more })

/** A typed failure, thrown as adapters throw it. */
export const fails = (failureClass: ModelFailureClass, message?: string, more?: Partial<ModelFailure>): Part => {
  const failure = modelFailure(failureClass, message, more)
  return throws(Object.assign(new Error(failure.message), { failure }))
}

/** A typed failure as the stream's own finish. */
export const finishError = (failureClass: ModelFailureClass, message?: string, more?: Partial<ModelFailure>): Part => {
  const failure = modelFailure(failureClass, message, more)
  return finishWith({
    kind: 'error',
    message: failure.message,
    ...(failure.code === undefined ? {} : { code: failure.code }),
    failure,
  })
}
