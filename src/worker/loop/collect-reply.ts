// Reads one reply from the model: every chunk is logged before it is assembled. What a stopped turn had shown is kept.
import type { ContentBlock, Json } from '../../storage/log/content.ts'
import type { Chunk, FinishReason, ModelFailure, Usage } from '../../storage/log/model-call.ts'
import type { ModelCallError } from '../hooks/hooks.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import { createReplyAssembler } from './assemble-reply.ts'
import type { Driver, Turn } from './driver.ts'
import { keepVisible } from './keep-visible.ts'
import { settleWithin, TurnStopped } from './stop.ts'

export type Reply = {
  readonly content: readonly ContentBlock[]
  readonly finish: FinishReason
  readonly usage: Usage | undefined
  readonly replayState: Json | undefined
  /** The seqs of the chunks that it was made of. */
  readonly chunks: readonly number[]
}

/** A model call that failed, with the facts that a policy may route on. */
export const modelCallError = (message: string, facts: { failure?: ModelFailure; code?: string } = {}): ModelCallError =>
  Object.assign(new Error(message), facts)

const CUT_SHORT: ModelFailure = {
  class: 'protocol',
  message: 'The reply stopped before it was finished. Send the message again, or continue.',
  transient: true,
}

const failureOf = (finish: FinishReason | undefined): ModelCallError | undefined => {
  if (finish === undefined) return modelCallError(CUT_SHORT.message, { failure: CUT_SHORT })
  if (finish.kind === 'aborted') return modelCallError('The model call was aborted by its adapter')
  if (finish.kind !== 'error') return undefined
  const { message, code, failure } = finish
  return modelCallError(message, { ...(code === undefined ? {} : { code }), ...(failure === undefined ? {} : { failure }) })
}

/** Not awaited: an adapter that ignores its signal must not hold the turn. */
const letGo = (iterator: AsyncIterator<Chunk> | undefined): void => {
  const close = async (): Promise<unknown> => iterator?.return?.()
  close().catch(() => {}) // the reply is over: what its adapter throws while closing concerns nobody any more
}

/** Errors: `TurnStopped`; a `ModelCallError` or whatever the adapter threw, after which the attempt's chunks are cited by nobody. */
export const collectReply = async (driver: Driver, turn: Turn, request: LlmRequest): Promise<Reply> => {
  const { log, llm } = driver
  const reply = createReplyAssembler()
  const chunks: number[] = []
  let reading = true
  let iterator: AsyncIterator<Chunk> | undefined

  const read = async (): Promise<void> => {
    iterator = llm.stream(request)[Symbol.asyncIterator]()
    while (reading && reply.finish === undefined) {
      const next = await iterator.next()
      if (next.done || !reading) return
      const event = log.append('assistant/chunk', { turn: turn.number, step: turn.step, chunk: next.value })
      chunks.push(event.seq)
      reply.take(event.data.chunk)
    }
  }

  try {
    await settleWithin(read(), turn.signal, 0)
  } catch (error) {
    if (!turn.signal.aborted) throw error
  } finally {
    reading = false
    letGo(iterator)
  }
  if (turn.signal.aborted) {
    keepVisible(driver, turn, request, { content: reply.content(), usage: reply.usage, chunks })
    throw new TurnStopped('The turn was stopped while the model streamed')
  }
  const failure = failureOf(reply.finish)
  if (failure !== undefined || reply.finish === undefined) throw failure
  return { content: reply.content(), finish: reply.finish, usage: reply.usage, replayState: reply.replayState, chunks }
}
