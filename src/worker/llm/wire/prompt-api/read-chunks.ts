// The reader of the browser's built-in model: the strings that it streams → chunks. Pure. It sends no reasons, no calls and no counts.
import type { Chunk, ModelFailure, Usage } from '../../../../storage/log/model-call.ts'
import type { ReaderContext } from '../reply-reader.ts'
import { replyWriter } from '../reply-writer.ts'

/**
 * `delta`: each string is a piece, as the specification has it. `cumulative`: each string is all there is so far, as Chrome had it
 * before version 138. Chosen by name, for no text tells which one it is.
 */
export type ChunkForm = 'delta' | 'cumulative'

export interface ChunkReader {
  push(chunk: string): void
  /** The stream came to its end. */
  end(usage?: Usage): void
  fail(failure: ModelFailure): void
}

export const promptApiReader = (context: ReaderContext, emit: (chunk: Chunk) => void, form: ChunkForm): ChunkReader => {
  let counted: Usage | undefined
  let shown = 0
  const reply = replyWriter(context, emit, { usage: () => counted })
  return {
    push(chunk) {
      // What was shown stays, also when the model has changed its mind about it.
      const piece = form === 'delta' ? chunk : chunk.slice(shown)
      shown += piece.length
      if (piece !== '') reply.text(piece)
    },
    end(usage) {
      counted = usage
      reply.end('stop', undefined)
    },
    fail: (failure) => reply.fail(failure),
  }
}
