// Reads one reply from the model: every chunk is logged before it is assembled. What a stopped turn had shown is kept.
import type { ContentBlock, Json } from '../../storage/log/content.ts'
import { messageOf } from '../../storage/log/errors.ts'
import type { EventOf } from '../../storage/log/events.ts'
import type { Chunk, FinishReason, ModelFailure, Usage } from '../../storage/log/model-call.ts'
import type { ModelCallError } from '../hooks/hooks.ts'
import type { LlmRequest } from '../hooks/llm.ts'
import { createReplyAssembler } from './assemble-reply.ts'
import { releaseContexts } from './contexts.ts'
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

/** What is no chunk cannot be logged, and nothing can be made of it. Gives the chunk as it is in the log. */
const logChunk = ({ log }: Driver, { number: turn, step }: Turn, chunk: Chunk): EventOf<'assistant/chunk'> => {
  try {
    return log.append('assistant/chunk', { turn, step, chunk })
  } catch (error) {
    const message = `The model adapter sent something that is no chunk of a reply: ${messageOf(error)}`
    throw modelCallError(message, { failure: { class: 'protocol', message, transient: false } })
  }
}

/** Errors: `TurnStopped`; a `ModelCallError` or whatever the adapter threw, after which the attempt's chunks are cited by nobody. */
export const collectReply = async (driver: Driver, turn: Turn, request: LlmRequest): Promise<Reply> => {
  const reply = createReplyAssembler()
  const chunks: number[] = []
  let reading = true
  let iterator: AsyncIterator<Chunk> | undefined

  const read = async (): Promise<void> => {
    iterator = driver.llm.stream(request)[Symbol.asyncIterator]()
    while (reading && reply.finish === undefined) {
      const next = await iterator.next()
      if (next.done || !reading) return
      const { seq, data } = logChunk(driver, turn, next.value)
      chunks.push(seq)
      reply.take(data.chunk)
      if (chunks.length === 1) releaseContexts(driver)
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
